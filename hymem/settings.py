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

The servers:

HYMEM_DREAM_COOLDOWN_SECONDS  the least time between the starts of two dreams beside a server    60
HYMEM_HONCHO_HOST             the address that the Honcho server listens on                      127.0.0.1
HYMEM_HONCHO_PORT             its port                                                           8765
HYMEM_HONCHO_AUTH_SECRET      signs and checks its access tokens; set, it asks everyone for one  none
HYMEM_HONCHO_WEBHOOK_SECRET   signs what its webhooks deliver                                    the former
HYMEM_HONCHO_WEBHOOKS=local   lets webhooks call addresses of private networks and this machine
HYMEM_LOG=json                writes the log as JSON, one object a line
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
DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765
SHORTEST_SECRET: Final = 32
_SERVER: Final = (
    "HYMEM_DREAM_COOLDOWN_SECONDS",
    "HYMEM_HONCHO_HOST",
    "HYMEM_HONCHO_PORT",
    "HYMEM_HONCHO_AUTH_SECRET",
    "HYMEM_HONCHO_WEBHOOK_SECRET",
    "HYMEM_HONCHO_WEBHOOKS",
    "HYMEM_LOG",
)
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


@dataclass(frozen=True)
class ServerSettings:
    """The environment of the servers, read once."""

    dream_cooldown_seconds: float = 60.0
    honcho_host: str = DEFAULT_HOST
    honcho_port: int = DEFAULT_PORT
    auth_secret: str | None = None
    webhook_secret: str | None = None
    local_webhooks: bool = False
    json_log: bool = False

    def __repr__(self) -> str:
        """Never shows a secret."""
        return f"ServerSettings({self.honcho_host}:{self.honcho_port}, auth={'on' if self.auth_secret else 'off'})"


def read_server_settings(environment: Mapping[str, str] | None = None) -> ServerSettings:
    """What the environment says of the servers; raises `ConfigError` for what cannot be understood."""
    held = os.environ if environment is None else environment
    given = {name: held.get(name, "").strip() for name in _SERVER}
    secret = _secret("HYMEM_HONCHO_AUTH_SECRET", given)
    return ServerSettings(
        dream_cooldown_seconds=_seconds("HYMEM_DREAM_COOLDOWN_SECONDS", given, 60.0),
        honcho_host=given["HYMEM_HONCHO_HOST"] or DEFAULT_HOST,
        honcho_port=_port("HYMEM_HONCHO_PORT", given),
        auth_secret=secret,
        webhook_secret=_secret("HYMEM_HONCHO_WEBHOOK_SECRET", given) or secret,
        local_webhooks=_choice("HYMEM_HONCHO_WEBHOOKS", given, ("public", "local")) == "local",
        json_log=_choice("HYMEM_LOG", given, ("text", "json")) == "json",
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


def _seconds(name: str, given: Mapping[str, str], default: float) -> float:
    if not given[name]:
        return default
    try:
        seconds = float(given[name])
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise ConfigError(f"{name} must be a number of seconds from 0 to 86400, not {given[name]!r}")
    return seconds


def _port(name: str, given: Mapping[str, str]) -> int:
    text = given[name] or str(DEFAULT_PORT)
    if not (text.isascii() and text.isdecimal()) or int(text) > 65_535:
        raise ConfigError(f"{name} must be a port from 0 (any that is free) to 65535, not {text!r}")
    return int(text)


def _secret(name: str, given: Mapping[str, str]) -> str | None:
    if given[name] and len(given[name].encode()) < SHORTEST_SECRET:
        raise ConfigError(f"{name} must have {SHORTEST_SECRET} bytes or more: `openssl rand -hex 32` makes one")
    return given[name] or None


def _choice(name: str, given: Mapping[str, str], choices: tuple[str, ...]) -> str:
    chosen = given[name] or choices[0]
    if chosen not in choices:
        raise ConfigError(f"{name} must be {' or '.join(choices)}, not {chosen!r}")
    return chosen
