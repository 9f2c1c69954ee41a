"""`hymem serve token`: an access token for the servers, made where their secret is."""

import click

from hymem.errors import ConfigError
from hymem.settings import read_server_settings
from hymem.times import wall_clock
from serving.cli.options import ROOT, command, workspace_named
from serving.cli.printing import say


@command("hymem serve token", "hymem serve token --workspace team --peer ann --expires-at 2027-01-01", workspace=False)
@click.option("--workspace", metavar="ID", help="Reach no farther than this workspace.")
@click.option("--peer", metavar="ID", help="Reach no farther than this peer of it.")
@click.option("--session", metavar="ID", help="Reach no farther than this session of it.")
@click.option("--expires-at", metavar="TIME", help="When it ends, as ISO-8601; never, by default.")
def token(workspace: str | None, peer: str | None, session: str | None, expires_at: str | None) -> None:
    """Make an access token.

    It is signed with HYMEM_HONCHO_AUTH_SECRET, which must be the server's. Without any option it opens everything, and with it
    others can be made over HTTP (POST /v3/keys).
    """
    from serving.honcho.security import Claims
    from serving.honcho.security import token as make

    workspace = workspace or workspace_named()
    secret = read_server_settings(root=click.get_current_context().meta.get(ROOT)).auth_secret
    if secret is None:
        raise ConfigError(
            "there is nothing to sign with: set HYMEM_HONCHO_AUTH_SECRET (`openssl rand -hex 32` makes one)"
        )
    everything = workspace is None and peer is None and session is None
    say(make(secret, Claims(everything, workspace, peer, session), wall_clock(), expires_at))
