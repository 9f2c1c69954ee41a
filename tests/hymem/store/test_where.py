import pytest

from hymem.errors import InputError
from hymem.store.where import Where, chosen_messages


def test_nothing_chosen_is_no_condition():
    assert chosen_messages() is None


def test_what_is_chosen_must_all_hold():
    chosen = chosen_messages(["monday"], None, ["tool"], Where("m.seq > :least", {"least": 3}))

    assert chosen is not None
    assert chosen.condition.count(" and ") == 2
    assert chosen.parameters == {"least": 3, "chosen_session_id": '["monday"]', "chosen_role": '["tool"]'}


def test_one_text_is_no_list():
    with pytest.raises(InputError, match="give a list"):
        chosen_messages("monday")
