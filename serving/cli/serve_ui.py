"""`hymem serve ui`: the page, to look into memory, to question it, and to put it right."""

from importlib.util import find_spec

import click

from hymem.errors import ConfigError
from serving.cli.options import command, root_of_all
from serving.cli.printing import note


@command("hymem serve ui", "hymem serve ui --port 0", workspace=False)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8767,
    show_default=True,
    help="At which port of this machine; 0 for any that is free.",
)
def ui(port: int) -> None:
    """Serve a page that shows memory to a browser on this machine.

    Its address is printed; open it yourself. No key is needed but for dreaming. With HYMEM_HONCHO_AUTH_SECRET set, the page asks
    for a token (`hymem serve token` makes one). The Honcho server has the same page at /ui, also for other machines. Ctrl-C, or
    SIGTERM, ends it.
    """
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "jwt")):
        raise ConfigError("the page needs the servers' extra: pip install 'hymem[server]'")
    from serving.page.running import serve

    serve(root_of_all("the page"), port, lambda url: note(f"The page is at {url}/ui; Ctrl-C ends it."))
