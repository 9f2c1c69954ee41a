"""What the settings come to: version, folder, models, and the keys that they need."""

import sys
from collections.abc import Iterator
from typing import Final

from hymem import __version__
from hymem.errors import ConfigError
from hymem.models.trouble import shown
from hymem.settings import LOCAL, NO_KEY, NONE, RULES, Settings, build_embedder, lacks_key
from hymem.store import health
from hymem.variables import masked
from serving.doctor.findings import Finding, error_finding

_REMEDY: Final = "correct it where it was set; `hymem config` tells where every value came from"


def configuration(settings: Settings) -> Iterator[Finding]:
    """What was understood, and what was not."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("version", "ok", f"hymem {__version__}, Python {python}, SQLite {health.sqlite_version()}")
    yield Finding("root", "ok", str(settings.root))
    yield from (Finding("settings", "warning", remark, _REMEDY) for remark in settings.remarks)
    if settings.llm_model == RULES:
        yield Finding("model", "ok", "rules: a grammar in place of a language model; no key, no network")
    else:
        yield Finding("model", "ok", f"{settings.llm_model} at {shown(settings.llm_base_url)}")
        yield _key(settings)
    yield _embedding(settings)


def _key(settings: Settings) -> Finding:
    if settings.llm_api_key:
        return Finding("key", "ok", f"present: {masked(settings.llm_api_key)}")
    if lacks_key(settings):
        fault, _, remedy = NO_KEY.partition(": ")
        return Finding("key", "error", fault, remedy, ConfigError.exit_code)
    return Finding("key", "ok", "none, and none is needed for an endpoint on this machine")


def _embedding(settings: Settings) -> Finding:
    try:
        embedder = build_embedder(settings)
    except ConfigError as error:
        return error_finding("embedding", error, str(error).partition(": ")[2])
    if embedder is None or settings.embedding_model in (None, NONE):
        return Finding("embedding", "ok", "none: recall goes by words and by the graph")
    if settings.embedding_model == LOCAL:
        return Finding("embedding", "ok", f"{embedder.model}, on this machine")
    return Finding("embedding", "ok", f"{embedder.model} at {shown(settings.embedding_base_url or '')}")
