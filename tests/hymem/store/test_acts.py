from hymem.store.acts import alias_acts, record_alias, record_feedback
from hymem.store.database import Database
from hymem.store.ledger import LedgerState, ledger_state

NOW = "2026-01-01T12:00:00.000000Z"
EDGE = ("api", "uses", "redis")


def test_acts_are_kept_in_their_order_and_move_the_ledger(database: Database):
    with database.writing() as connection:
        assert record_alias(connection, "pg", "postgresql", NOW)
        assert record_alias(connection, "pg", "pigeon", NOW)

        assert alias_acts(connection) == [("pg", "postgresql"), ("pg", "pigeon")]
        assert ledger_state(connection) == LedgerState(2, 2)


def test_saying_the_same_again_adds_nothing(database: Database):
    with database.writing() as connection:
        record_alias(connection, "pg", "postgresql", NOW)

        assert not record_alias(connection, "pg", "postgresql", NOW)
        assert ledger_state(connection) == LedgerState(1, 1)


def test_feedback_may_change_its_mind_but_not_repeat_itself(database: Database):
    with database.writing() as connection:
        told = [
            record_feedback(connection, act, *EDGE, "because", NOW)
            for act in ("retract", "retract", "restore", "restore", "retract")
        ]

    assert told == [True, False, True, False, True]
    assert database.rows("select act, reason from extraction_feedback order by feedback_id") == [
        ("retract", "because"),
        ("restore", "because"),
        ("retract", "because"),
    ]


def test_each_edge_has_a_last_word_of_its_own(database: Database):
    with database.writing() as connection:
        assert record_feedback(connection, "retract", *EDGE, None, NOW)
        assert record_feedback(connection, "retract", "api", "uses", "kafka", None, NOW)
