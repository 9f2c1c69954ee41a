from pathlib import Path

import pytest

from hymem.errors import ConfigError
from hymem.models.local_embedding import LocalEmbedder
from hymem.models.openai_embedding import OpenAIEmbedder
from hymem.settings import ServerSettings, build_embedder, read_server_settings, read_settings

LLM = {"HYMEM_LLM_API_KEY": "llm-key"}
ENDPOINT = {"HYMEM_EMBEDDING_BASE_URL": "https://api.example.org/v1", "HYMEM_EMBEDDING_MODEL": "small"}


@pytest.mark.parametrize(
    "environment",
    [{}, LLM, {"HYMEM_EMBEDDING_API_KEY": " "}, ENDPOINT | {"HYMEM_EMBEDDING_MODEL": "none"}],
)
def test_embeddings_are_off_unless_something_of_theirs_is_set(environment):
    assert build_embedder(read_settings(environment)) is None


@pytest.mark.parametrize(
    ("environment", "key"),
    [
        (LLM | ENDPOINT, "llm-key"),
        (LLM | ENDPOINT | {"HYMEM_EMBEDDING_API_KEY": "own-key"}, "own-key"),
        (ENDPOINT | {"HYMEM_EMBEDDING_BASE_URL": "http://localhost:11434/v1"}, ""),
    ],
)
def test_an_embedding_endpoint_has_its_own_key_or_that_of_the_language_model(environment, key):
    model = build_embedder(read_settings(environment))

    assert isinstance(model, OpenAIEmbedder)
    assert (model.model, model.base_url, model._key) == ("small", environment["HYMEM_EMBEDDING_BASE_URL"], key)


@pytest.mark.parametrize(
    ("environment", "advice"),
    [
        (LLM | {"HYMEM_EMBEDDING_API_KEY": "k"}, "HYMEM_EMBEDDING_BASE_URL.* and HYMEM_EMBEDDING_MODEL.* too"),
        (LLM | {"HYMEM_EMBEDDING_MODEL": "small"}, r"set HYMEM_EMBEDDING_BASE_URL \(such as https://api.openai.com/v1"),
        (LLM | {"HYMEM_EMBEDDING_BASE_URL": "https://a.org"}, "set HYMEM_EMBEDDING_MODEL"),
        (ENDPOINT, "HYMEM_EMBEDDING_API_KEY, or HYMEM_EMBEDDING_MODEL=local"),
    ],
)
def test_what_is_set_up_in_part_is_an_error_that_names_the_rest(environment, advice):
    with pytest.raises(ConfigError, match=advice):
        build_embedder(read_settings(environment))


def test_an_embedding_address_is_checked_when_it_is_read():
    with pytest.raises(ConfigError, match="HYMEM_EMBEDDING_BASE_URL must begin with http"):
        read_settings({"HYMEM_EMBEDDING_BASE_URL": "api.example.org"})


def test_the_local_model_needs_neither_key_nor_address():
    pytest.importorskip("onnxruntime", reason="the local extra is not installed")

    assert isinstance(build_embedder(read_settings({"HYMEM_EMBEDDING_MODEL": "local"})), LocalEmbedder)


def test_settings_never_show_a_key(tmp_path: Path):
    settings = read_settings(LLM | ENDPOINT | {"HYMEM_EMBEDDING_API_KEY": "own-key", "HYMEM_ROOT": str(tmp_path)})

    assert "own-key" not in repr(settings)
    assert "llm-key" not in repr(settings)
    assert "'small' at 'https://api.example.org/v1'" in repr(settings)


# ---------------------------------------------------------------------------------------------------------- servers


def test_a_server_listens_on_this_machine_and_asks_nobody_for_a_token_unless_told_otherwise():
    assert read_server_settings({}) == ServerSettings(60.0, "127.0.0.1", 8765, None, None, False, False)


def test_a_server_is_told_everything_by_the_environment():
    secret = "s" * 32
    told = {
        "HYMEM_DREAM_COOLDOWN_SECONDS": "0.5",
        "HYMEM_HONCHO_HOST": "0.0.0.0",
        "HYMEM_HONCHO_PORT": "0",
        "HYMEM_HONCHO_AUTH_SECRET": secret,
        "HYMEM_HONCHO_WEBHOOKS": "local",
        "HYMEM_LOG": "json",
    }

    settings = read_server_settings(told)

    assert settings == ServerSettings(0.5, "0.0.0.0", 0, secret, secret, True, True)
    assert secret not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HYMEM_DREAM_COOLDOWN_SECONDS", "-1"),
        ("HYMEM_DREAM_COOLDOWN_SECONDS", "nan"),
        ("HYMEM_DREAM_COOLDOWN_SECONDS", "a minute"),
        ("HYMEM_HONCHO_PORT", "65536"),
        ("HYMEM_HONCHO_PORT", "²"),
        ("HYMEM_HONCHO_AUTH_SECRET", "too short"),
        ("HYMEM_HONCHO_WEBHOOKS", "everyone"),
        ("HYMEM_LOG", "xml"),
    ],
)
def test_what_a_server_cannot_understand_is_refused_by_name(name, value):
    with pytest.raises(ConfigError, match=name):
        read_server_settings({name: value})
