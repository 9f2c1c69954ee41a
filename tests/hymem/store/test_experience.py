from hymem.store.experience import episodes, procedures
from tests.support.conversations import World, day


def test_episodes_and_procedures_are_read_as_they_were_told():
    with World.of() as world:
        world.say("uv replaces pip.", on=1)
        world.say("The api uses Redis.", on=2)
        world.say("worker uses uv.", on=3, session="tuesday")
        world.dream()
        with world.database.reading() as connection:
            happened, known = episodes(connection), procedures(connection)

    assert [(e.session_id, e.title, e.outcome, e.entities, e.started_at) for e in happened] == [
        ("tuesday", "worker uses uv", "", ("worker", "uv"), day(3)),
        ("monday", "api uses Redis", "", ("api", "redis"), day(2)),
    ]
    assert [(e.first_seq, e.last_seq) for e in happened] == [(3, 3), (2, 2)]
    (procedure,) = known
    assert (procedure.name, procedure.entities, procedure.triggers, procedure.said_at) == (
        "uv replaces pip",
        ("uv", "pip"),
        (),
        day(2),
    )
    assert procedure.steps == ({"order": 1, "action": "uv", "tools": []}, {"order": 2, "action": "pip", "tools": []})


def test_where_nothing_happened_there_is_nothing():
    with World.of() as world, world.database.reading() as connection:
        assert (episodes(connection), procedures(connection)) == ([], [])
