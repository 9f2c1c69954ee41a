"""Whether the models answer, and what they can do; asked only where that is wanted, since it costs something."""

import time
from collections.abc import Iterator

from hymem.errors import ConfigError, ModelError, StoreError
from hymem.models.chat import ChatRequest, close_client
from hymem.models.openai_chat import OpenAIChat
from hymem.settings import RULES, Settings, build_embedder, build_llm, lacks_key
from hymem.store.database import Database
from hymem.store.vectors import Space, stored_space
from serving.doctor.abilities import abilities
from serving.doctor.findings import Finding, error_finding

PATIENCE = 60.0


def endpoints(settings: Settings) -> Iterator[Finding]:
    """Whether both models answer, what the language model can do, and whether the vectors fit those that are stored."""
    if settings.llm_model != RULES and not lacks_key(settings):
        yield from _language(settings)
    yield from _embedding(settings)


def _language(settings: Settings) -> Iterator[Finding]:
    llm = build_llm(settings)
    assert isinstance(llm, OpenAIChat)
    asked = llm.hurried(PATIENCE)
    began = time.perf_counter()
    try:
        completion = asked.completion(ChatRequest("probe", "Answer in one word.", "Are you there?"))
    except ModelError as error:
        yield error_finding("endpoint", error, "check HYMEM_LLM_BASE_URL, HYMEM_LLM_MODEL and HYMEM_LLM_API_KEY")
    else:
        seconds = time.perf_counter() - began
        yield Finding("endpoint", "ok", f"{settings.llm_model} answers after {seconds:.1f} s; its key is accepted")
        yield from abilities(asked, completion)
    finally:
        close_client(asked)


def _embedding(settings: Settings) -> Iterator[Finding]:
    try:
        embedder = build_embedder(settings)
    except ConfigError:
        return  # a finding of the configuration already
    if embedder is None:
        return
    try:
        dimension = embedder.embed(["Are you there?"]).shape[1]
    except ModelError as error:
        remedy = "check HYMEM_EMBEDDING_BASE_URL, HYMEM_EMBEDDING_MODEL and HYMEM_EMBEDDING_API_KEY"
        yield error_finding("embedding endpoint", error, remedy)
        return
    finally:
        close_client(embedder)
    space = _stored(settings)
    if space is not None and space.model == embedder.model and space.dimension != dimension:
        told = f"{embedder.model} gives {dimension} numbers, the stored vectors have {space.dimension}"
        yield Finding("embedding endpoint", "error", told, "`hymem reembed` makes all anew", ConfigError.exit_code)
    else:
        yield Finding("embedding endpoint", "ok", f"{embedder.model} gives {dimension} numbers")


def _stored(settings: Settings) -> Space | None:
    if not settings.database.exists():
        return None
    try:
        database = Database.open(settings.database)
    except StoreError:
        return None  # a finding of the database already
    try:
        with database.reading() as connection:
            return stored_space(connection)
    finally:
        database.close()
