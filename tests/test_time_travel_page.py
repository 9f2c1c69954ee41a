"""The page about time travel: its examples run, and print what it says."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs/time-travel.md").read_text(encoding="utf-8")


def test_the_examples_run_and_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    names = dict[str, object]()

    for example in re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        exec(compile(example, "docs/time-travel.md", "exec"), names)

    shown = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert capsys.readouterr().out == "".join(shown)
