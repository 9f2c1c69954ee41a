"""`hymem hermes install`, `uninstall` and `status`, and what they do to a profile's configuration."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import ConfigError, InputError
from serving.hermes.configuration import Configuration, read_configuration, write_configuration
from serving.hermes.installing import install, installed, profile_home, provider_in, set_provider, uninstall
from tests.support.command_line import CommandLine


def test_a_profile_gets_the_plugin_and_loses_it_again_with_its_comments_kept(tmp_path: Path):
    config = tmp_path / "config.yaml"
    before = (
        "model: gpt  # mine\n\nmemory:\n    # notes\n    enabled: true\n    provider: honcho  # for now\n\ntools: []\n"
    )
    config.write_text(before)

    done = install(tmp_path)

    assert (done.there, done.current, done.active) == (True, True, True)
    assert config.read_text() == before.replace("honcho", "hymem")
    assert uninstall(tmp_path) and not installed(tmp_path).there
    assert config.read_text() == before.replace("honcho", '""')
    assert not (tmp_path / "plugins/hymem").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "memory:\n  provider: hymem\n"),
        ("model: x", "model: x\nmemory:\n  provider: hymem\n"),
        ("memory:\n  nudge: 3\n", "memory:\n  provider: hymem\n  nudge: 3\n"),
        (
            "memory:\n  a:\n    provider: no\nb:\n  provider: x\n",
            "memory:\n  provider: hymem\n  a:\n    provider: no\nb:\n  provider: x\n",
        ),
    ],
    ids=["empty", "no block", "no line", "others' lines"],
)
def test_the_memory_is_named_wherever_the_configuration_has_room_for_it(tmp_path: Path, before: str, after: str):
    config = tmp_path / "config.yaml"
    config.write_text(before)

    set_provider(config, "hymem")

    assert config.read_text() == after
    assert provider_in(config) == "hymem"


def test_a_configuration_that_cannot_be_edited_line_by_line_is_left_alone(tmp_path: Path):
    config = tmp_path / "config.yaml"
    config.write_text("memory: {provider: honcho}\n")

    with pytest.raises(ConfigError, match="hermes config set memory"):
        set_provider(config, "hymem")

    assert config.read_text() == "memory: {provider: honcho}\n"


def test_another_plugin_of_that_name_is_not_written_over(tmp_path: Path):
    folder = tmp_path / "plugins/hymem"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("# mine")

    with pytest.raises(InputError, match="another plugin"):
        install(tmp_path)
    assert not uninstall(tmp_path)
    assert (folder / "__init__.py").read_text() == "# mine"


@pytest.mark.parametrize("name", ["../x", "", "nobody"])
def test_a_profile_that_is_not_there_is_refused(tmp_path: Path, name: str):
    with pytest.raises(InputError, match="profile"):
        profile_home(tmp_path, name)


def test_the_command_installs_says_which_model_learns_and_tells_how_things_stand(tmp_path: Path):
    home = tmp_path / "home"
    line = CommandLine(tmp_path / "memory")

    assert line("hermes", "install", "--home", str(home), "--model", "rules").exit_code == 0
    told = line.json("hermes", "status", "--home", str(home))

    assert (told["installed"], told["current"], told["active"]) == (True, True, True)
    assert read_configuration(home).llm_model == "rules"


def test_settings_are_read_as_they_are_meant_and_others_are_refused(tmp_path: Path):
    assert read_configuration(tmp_path) == Configuration()
    write_configuration(tmp_path, {"dream": "false", "recall_characters": "500", "owners": "telegram:1, x:2", "no": 1})
    assert read_configuration(tmp_path) == Configuration(500, True, False, "", ("telegram:1", "x:2"))

    for values in ({"dream": "perhaps"}, {"recall_characters": "many"}, {"recall_characters": 1}):
        with pytest.raises(ConfigError):
            write_configuration(tmp_path, values)
    assert read_configuration(tmp_path).recall_characters == 500


@given(st.text(alphabet="memory:provid \n#{}'\"abc", max_size=80))
def test_naming_the_memory_is_found_again_or_refused_whatever_the_configuration_says(tmp_path_factory, text: str):
    config = tmp_path_factory.mktemp("profile") / "config.yaml"
    config.write_text(text)

    try:
        set_provider(config, "hymem")
    except ConfigError:
        assert config.read_text() == text
    else:
        assert provider_in(config) == "hymem"
