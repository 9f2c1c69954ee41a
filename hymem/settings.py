"""From the environment to clients: the one file that reads it.

HYMEM_ROOT            where the database and the Markdown files live       ~/.hermes
HYMEM_LLM_API_KEY     the language model's key                             DEEPSEEK_API_KEY's value
HYMEM_LLM_BASE_URL    its endpoint                                         https://api.deepseek.com
HYMEM_LLM_MODEL       its name, or `rules` to work without a model         deepseek-chat
HYMEM_LLM_CONCURRENCY calls at once                                        8, or 1 for a loopback endpoint

Embeddings are off unless one of these is set:

HYMEM_EMBEDDING_MODEL     the embedding model's name, `local` for the offline one, or `none`
HYMEM_EMBEDDING_BASE_URL  its endpoint
HYMEM_EMBEDDING_API_KEY   its key                                          the language model's key

HYMEM_REDACT=store keeps secrets out of the ledger's messages too; models, indexes and files never see them.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hymem.errors import ConfigError
from hymem.models.chat import LLMClient

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient

DEFAULT_ROOT: Final = "~/.hermes"
DEFAULT_BASE_URL: Final = "https://api.deepseek.com"
DEFAULT_MODEL: Final = "deepseek-chat"
RULES: Final = "rules"
LOCAL: Final = "local"
NONE: Final = "none"
DATABASE: Final = "hymem.db"
NO_KEY: Final = "no key for the language model: set HYMEM_LLM_API_KEY, or HYMEM_LLM_MODEL=rules to work without one"
NO_EMBEDDING_KEY: Final = "no key for the embedding model: set HYMEM_EMBEDDING_API_KEY, or HYMEM_EMBEDDING_MODEL=local"


@dataclass(frozen=True)
class Settings:
    """The environment, read once."""

    root: Path
    llm_base_url: str
    llm_model: str
    llm_api_key: str | None
    llm_concurrency: int
    embedding_model: str | None = None
    embedding_base_url: str | None = None
    embedding_api_key: str | None = None
    redact_stored: bool = False

    @property
    def database(self) -> Path:
        """The default workspace's file."""
        return self.root / DATABASE

    def __repr__(self) -> str:
        """Never shows a key."""
        llm = f"{self.llm_model!r} at {self.llm_base_url!r}"
        embedding = f"{self.embedding_model!r} at {self.embedding_base_url!r}"
        return f"Settings(root={str(self.root)!r}, llm={llm}, embedding={embedding})"


def read_settings(environment: Mapping[str, str] | None = None, root: str | None = None) -> Settings:
    """What the environment says, with `root` in place of HYMEM_ROOT; raises `ConfigError` for what cannot be understood."""
    given = os.environ if environment is None else environment
    base_url = _address(given, "HYMEM_LLM_BASE_URL") or DEFAULT_BASE_URL
    return Settings(
        root=_folder((root or given.get("HYMEM_ROOT", "")).strip() or DEFAULT_ROOT),
        llm_base_url=base_url,
        llm_model=given.get("HYMEM_LLM_MODEL", "").strip() or DEFAULT_MODEL,
        llm_api_key=(given.get("HYMEM_LLM_API_KEY", "").strip() or given.get("DEEPSEEK_API_KEY", "").strip()) or None,
        llm_concurrency=_concurrency(given.get("HYMEM_LLM_CONCURRENCY", "").strip(), base_url),
        embedding_model=given.get("HYMEM_EMBEDDING_MODEL", "").strip() or None,
        embedding_base_url=_address(given, "HYMEM_EMBEDDING_BASE_URL") or None,
        embedding_api_key=given.get("HYMEM_EMBEDDING_API_KEY", "").strip() or None,
        redact_stored=_redact_stored(given.get("HYMEM_REDACT", "").strip()),
    )


def build_llm(settings: Settings) -> LLMClient:
    """The language model that the settings name; raises `ConfigError` where it needs a key and has none."""
    if settings.llm_model == RULES:
        from hymem.models.rules import RulesExtractor

        return RulesExtractor()
    from hymem.models.loopback import is_loopback
    from hymem.models.openai_chat import OpenAIChat

    if settings.llm_api_key is None and not is_loopback(settings.llm_base_url):
        raise ConfigError(NO_KEY)
    return OpenAIChat(
        settings.llm_base_url, settings.llm_api_key, settings.llm_model, concurrency=settings.llm_concurrency
    )


def build_embedder(settings: Settings) -> "EmbeddingClient | None":
    """The embedding model that the settings name, None where they name none; raises `ConfigError` where they do so in part.

    The language model's key serves for the endpoint that HYMEM_EMBEDDING_BASE_URL names, where it has no key of its own.
    """
    model, base_url, key = settings.embedding_model, settings.embedding_base_url, settings.embedding_api_key
    if model == NONE or not (model or base_url or key):
        return None
    if model == LOCAL:
        from hymem.models.local_embedding import LocalEmbedder

        return LocalEmbedder()
    if model is None or base_url is None:
        raise ConfigError(_missing(model, base_url))
    from hymem.models.loopback import is_loopback
    from hymem.models.openai_embedding import OpenAIEmbedder

    key = key or settings.llm_api_key
    if key is None and not is_loopback(base_url):
        raise ConfigError(NO_EMBEDDING_KEY)
    return OpenAIEmbedder(base_url, key, model)


def _missing(model: str | None, base_url: str | None) -> str:
    wanted = {
        "HYMEM_EMBEDDING_BASE_URL (such as https://api.openai.com/v1)": base_url,
        "HYMEM_EMBEDDING_MODEL (such as text-embedding-3-small)": model,
    }
    unset = " and ".join(name for name, value in wanted.items() if value is None)
    return f"embeddings are set up in part: set {unset} too; or HYMEM_EMBEDDING_MODEL=local, or =none to go without"


def _address(given: Mapping[str, str], name: str) -> str:
    base_url = given.get(name, "").strip()
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigError(f"{name} must begin with http:// or https://, not {base_url!r}")
    return base_url


def _redact_stored(text: str) -> bool:
    if text not in ("", "index", "store"):
        raise ConfigError(f"HYMEM_REDACT must be index (the default) or store, not {text!r}")
    return text == "store"


def _folder(text: str) -> Path:
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        raise ConfigError(f"HYMEM_ROOT {text!r} names no folder: {error}") from None


def _concurrency(text: str, base_url: str) -> int:
    if not text:
        from hymem.models.loopback import default_concurrency

        return default_concurrency(base_url)
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise ConfigError(f"HYMEM_LLM_CONCURRENCY must be a whole number from 1 to 256, not {text!r}")
    return int(text)
