"""From environment variables to a memory: the one way there, and one memory per database in a process."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from hymem.errors import ConfigError
from hymem.settings import Settings, build_embedder, build_llm, read_settings
from hymem.tracing import start_tracing
from serving.memory import HyMem

Client = TypeVar("Client")

_shared: dict[Path, HyMem] = {}
_sharing = threading.Lock()


def build_from_env(
    environment: Mapping[str, str] | None = None, *, need_llm: bool = True, root: str | None = None
) -> HyMem:
    """The memory that the environment describes, in `root` where that is given; one per database in a process.

    The only way from environment variables to clients. Raises `ConfigError`, saying what to set, where a language model is
    needed and cannot be had.
    """
    settings = read_settings(environment, root)
    tell_remarks(settings)
    start_tracing(settings.traces)
    with _sharing:
        memory = _shared.get(settings.root)
        if memory is None:
            memory = _shared[settings.root] = HyMem(
                settings.root,
                llm=_built(build_llm, settings, need_llm),
                embedder=_built(build_embedder, settings, need_llm),
                concurrency=settings.llm_concurrency,
                redact_stored=settings.redact_stored,
            )
        elif need_llm and memory.llm is None:
            memory.llm, memory.embedder = build_llm(settings), build_embedder(settings)
        return memory


def tell_remarks(settings: Settings) -> None:
    """Warn about what is strange in the environment, by the logger `hymem`."""
    if settings.remarks:
        import logging

        for remark in settings.remarks:
            logging.getLogger("hymem").warning("%s", remark)


def _built(build: Callable[[Settings], Client | None], settings: Settings, needed: bool) -> Client | None:
    try:
        return build(settings)
    except ConfigError:
        if needed:
            raise
        return None
