"""From the environment to settings and clients: the one file that reads it. `variables.py` lists what it may say.

Embeddings are off unless one of their three variables is set; then model and endpoint are needed both, or `local`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit, urlunsplit

from hymem.errors import ConfigError
from hymem.models.chat import LLMClient
from hymem.tracing import EXPORTERS, OFF
from hymem.variables import Environment, gathered

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
    traces: str = OFF
    remarks: tuple[str, ...] = ()
    """What is strange about the variables: unknown ones, lines of `.env` that make no sense."""

    @property
    def database(self) -> Path:
        """The default workspace's file."""
        return self.root / DATABASE

    def without_secrets(self) -> dict[str, str]:
        """Which models are set, as variables: neither keys, nor what an address carries beside host and path."""
        told = {
            "HYMEM_LLM_MODEL": self.llm_model,
            "HYMEM_LLM_BASE_URL": "" if self.llm_model == RULES else _bare(self.llm_base_url),
            "HYMEM_EMBEDDING_MODEL": self.embedding_model or "",
            "HYMEM_EMBEDDING_BASE_URL": _bare(self.embedding_base_url or ""),
            "HYMEM_REDACT": "store" if self.redact_stored else "",
        }
        return {name: value for name, value in told.items() if value}

    def __repr__(self) -> str:
        """Never shows a key."""
        llm = f"{self.llm_model!r} at {self.llm_base_url!r}"
        embedding = f"{self.embedding_model!r} at {self.embedding_base_url!r}"
        return f"Settings(root={str(self.root)!r}, llm={llm}, embedding={embedding})"


def read_environment(environment: Mapping[str, str] | None = None, root: str | None = None) -> Environment:
    """Every variable with where it came from, `root` in place of HYMEM_ROOT, and what is strange about them.

    `environment` takes the place of this process's. Raises `ConfigError` for a root that is no folder, and for a `.env` that
    cannot be read.
    """
    given = os.environ if environment is None else environment
    named = (root or "").strip()
    return gathered(given, _folder(named or given.get("HYMEM_ROOT", "").strip() or DEFAULT_ROOT), bool(named))


def read_settings(environment: Mapping[str, str] | None = None, root: str | None = None) -> Settings:
    """What the environment and the root's `.env` say; raises `ConfigError` for what cannot be understood."""
    given = read_environment(environment, root)
    base_url = _address(given, "HYMEM_LLM_BASE_URL") or DEFAULT_BASE_URL
    return Settings(
        root=given.root,
        llm_base_url=base_url,
        llm_model=given.get("HYMEM_LLM_MODEL") or DEFAULT_MODEL,
        llm_api_key=given.get("HYMEM_LLM_API_KEY") or given.get("DEEPSEEK_API_KEY") or None,
        llm_concurrency=_concurrency(given.get("HYMEM_LLM_CONCURRENCY"), base_url),
        embedding_model=given.get("HYMEM_EMBEDDING_MODEL") or None,
        embedding_base_url=_address(given, "HYMEM_EMBEDDING_BASE_URL") or None,
        embedding_api_key=given.get("HYMEM_EMBEDDING_API_KEY") or None,
        redact_stored=_choice("HYMEM_REDACT", given, ("index", "store")) == "store",
        traces=_choice("HYMEM_TRACES", given, EXPORTERS),
        remarks=given.remarks,
    )


def _bare(address: str) -> str:
    """An address without user, password, query and fragment."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def hermes_home(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of hermes-agent, or of the profile of it that the environment names."""
    given = os.environ if environment is None else environment
    return _folder(given.get("HERMES_HOME", "").strip() or DEFAULT_ROOT)


def names_a_model(root: Path) -> bool:
    """Whether the environment, or the `.env` of that folder, chooses a language model or has a key for one."""
    given = read_environment(root=str(root))
    names = ("HYMEM_LLM_API_KEY", "DEEPSEEK_API_KEY", "HYMEM_LLM_MODEL", "HYMEM_LLM_BASE_URL")
    return any(given.get(name) for name in names)


def process_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment for a child, with these settings in place of its own."""
    return {**os.environ, **settings}


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


def read_server_settings(environment: Mapping[str, str] | None = None, root: str | None = None) -> ServerSettings:
    """What the environment and the root's `.env` say of the servers; raises `ConfigError` for what cannot be understood."""
    given = read_environment(environment, root)
    secret = _secret("HYMEM_HONCHO_AUTH_SECRET", given)
    return ServerSettings(
        dream_cooldown_seconds=_seconds("HYMEM_DREAM_COOLDOWN_SECONDS", given, 60.0),
        honcho_host=given.get("HYMEM_HONCHO_HOST") or DEFAULT_HOST,
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
    from hymem.models.openai_chat import OpenAIChat

    if lacks_key(settings):
        raise ConfigError(NO_KEY)
    return OpenAIChat(
        settings.llm_base_url, settings.llm_api_key, settings.llm_model, concurrency=settings.llm_concurrency
    )


def lacks_key(settings: Settings) -> bool:
    """Whether the language model needs a key and has none."""
    if settings.llm_model == RULES or settings.llm_api_key is not None:
        return False
    from hymem.models.loopback import is_loopback

    return not is_loopback(settings.llm_base_url)


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


def _address(given: Environment, name: str) -> str:
    base_url = given.get(name)
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigError(f"{name} must begin with http:// or https://, not {base_url!r}")
    return base_url


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


def _seconds(name: str, given: Environment, default: float) -> float:
    if not given.get(name):
        return default
    try:
        seconds = float(given.get(name))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise ConfigError(f"{name} must be a number of seconds from 0 to 86400, not {given.get(name)!r}")
    return seconds


def _port(name: str, given: Environment) -> int:
    text = given.get(name) or str(DEFAULT_PORT)
    if not (text.isascii() and text.isdecimal()) or int(text) > 65_535:
        raise ConfigError(f"{name} must be a port from 0 (any that is free) to 65535, not {text!r}")
    return int(text)


def _secret(name: str, given: Environment) -> str | None:
    if given.get(name) and len(given.get(name).encode()) < SHORTEST_SECRET:
        raise ConfigError(f"{name} must have {SHORTEST_SECRET} bytes or more: `openssl rand -hex 32` makes one")
    return given.get(name) or None


def _choice(name: str, given: Environment, choices: tuple[str, ...]) -> str:
    chosen = given.get(name) or choices[0]
    if chosen not in choices:
        raise ConfigError(f"{name} must be {' or '.join(choices)}, not {chosen!r}")
    return chosen


def refuse_usage_statistics() -> None:
    """Ray sends statistics of its use to its makers unless its environment says no; a user's own setting stands."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
