"""`hymem serve honcho`, and `hymem-honcho`: memory for code that speaks to Honcho."""

from importlib.util import find_spec

import click

from hymem.errors import ConfigError
from serving.cli.options import command, root_of_all
from serving.cli.printing import note


@command("hymem serve honcho", "HYMEM_LLM_MODEL=rules hymem serve honcho --port 8000", workspace=False)
@click.option("--host", metavar="ADDRESS", help="Where to listen, in place of HYMEM_HONCHO_HOST; 127.0.0.1 by default.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    help="At which port, in place of HYMEM_HONCHO_PORT; 8765 by default, 0 for any that is free.",
)
def honcho(host: str | None, port: int | None) -> None:
    """Serve memory behind Honcho's interface.

    Code that uses honcho-ai is pointed here by HONCHO_URL=http://127.0.0.1:8765. What is said is dreamt over beside the server,
    at most once in HYMEM_DREAM_COOLDOWN_SECONDS. Ctrl-C, or SIGTERM, ends it cleanly.

    With HYMEM_HONCHO_AUTH_SECRET set, everyone needs a token; `hymem serve token` makes the first one. Without it, the server
    listens on this machine only. Without a key for the language model, and without HYMEM_LLM_MODEL=rules, it does not start.
    """
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "jwt", "prometheus_client")):
        raise ConfigError("the Honcho server needs its extra: pip install 'hymem[server]'")
    from serving.honcho.running import serve

    serve(
        root_of_all("the Honcho server"),
        host,
        port,
        lambda url: note(f"Serving Honcho's interface at {url}; Ctrl-C ends it."),
    )
