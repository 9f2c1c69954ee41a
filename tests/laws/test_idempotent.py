"""The first law: dreaming twice at one moment changes nothing, to the byte."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversations import ALIASES, DAYS, Turn, World, conversations, day, examples


@given(said=conversations(), alias=st.sampled_from(ALIASES))
@examples(4)
def test_a_second_dream_has_nothing_to_do_and_a_forced_one_changes_nothing(said: list[Turn], alias: tuple[str, str]):
    with World.of(said) as world:
        world.memory.alias(*alias)
        world.dream()
        remembered = world.remembered()

        idle = world.dream()
        world.write("delete from dream_state")
        forced = world.dream()

        assert (idle.outcome, forced.outcome) == ("nothing to do", "done")
        assert (forced.asked, dict(forced.changed)) == (0, {})
        assert world.remembered() == remembered


@given(said=conversations(), now=DAYS, later=DAYS)
@examples(6)
def test_where_a_dream_says_that_there_is_nothing_to_do_there_is_nothing(said: list[Turn], now: float, later: float):
    with World.of(said, now=day(min(now, later))) as world:
        world.dream()
        world.clock.now = day(max(now, later))

        idle = world.dream().outcome == "nothing to do"

        assert world.tables() == world.recomputed(), idle


def test_a_file_that_someone_changed_is_mended_and_nothing_else():
    with World.of([Turn("m1", "monday", "user", "api uses Redis. I prefer tabs.", 1)]) as world:
        world.dream()
        remembered = world.remembered()
        user_md = world.root / "USER.md"
        user_md.write_text(user_md.read_text().replace("tabs", "spaces"))

        mended = world.dream()

        assert dict(mended.changed) == {}
        assert world.remembered() == remembered


def test_thirty_idle_sessions_cost_no_question():
    with World.of(Turn(f"m{n}", f"s{n}", "user", f"api uses Redis. Point {n}.", n) for n in range(30)) as world:
        world.dream()
        asked = len(world.listener.requests)
        world.say("worker uses uv.", on=40, session="another")

        world.dream()

        assert len([text for text in world.listener.asked if text.startswith("api")]) == 30
        assert [
            request.material["text"] for request in world.listener.requests[asked:] if request.kind == "extraction"
        ] == ["worker uses uv."]
