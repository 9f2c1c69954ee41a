"""What people had forgotten, or what is kept without its secrets, is known again in the agent's state.db."""

from pathlib import Path

import pytest

from serving.environment import build_from_env
from serving.hermes.backfill import backfill
from serving.hermes.keeping import Keeper
from serving.hermes.transcript import Said
from tests.support.hermes import HERMES, run_in_hermes

pytestmark = HERMES

SECRET = "The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD, keep it."
STATE = f"""
import os, pathlib
from hermes_state import SessionDB
db = SessionDB(pathlib.Path(os.environ["HERMES_HOME"]) / "state.db")
db.create_session("s1", "cli")
for text in ("The vault is behind the boiler.", {SECRET!r}):
    db.append_message("s1", "user", text)
"""


def test_what_was_forgotten_stays_away_and_what_is_kept_without_secrets_is_not_taken_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run_in_hermes(STATE, tmp_path)
    home = tmp_path / ".hermes"
    monkeypatch.setenv("HYMEM_REDACT", "store")
    with build_from_env(need_llm=False, root=str(home)) as memory:
        Keeper(memory).keep_turn("s1", [Said("user", "The vault is behind the boiler."), Said("user", SECRET)])
        memory.forget(message=memory.messages()[0].message_id)

    ((_, done),) = backfill(home)

    assert (done.messages, done.added, done.skipped) == (1, 0, {"forgotten message": 1})
