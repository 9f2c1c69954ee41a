"""A dream that carries rows over gives what a dream from nothing gives, whatever happened before, between and after."""

from contextlib import ExitStack

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from hymem.config import HyMemConfig
from tests.support.conversations import ALIASES, World, conversations, day, examples, turns

CONFIGURATIONS = (
    {},
    {"decay_window_days": 5.0},
    {"salience_min_chars": 60},
    {"prompt_version": "v8"},
    {"max_chunks": 2, "retention_days": 60.0},
)


class AnySeriesOfActs(RuleBasedStateMachine):
    """Everything that people, clients and time can do to a memory, in any order, with dreams in between."""

    def __init__(self) -> None:
        super().__init__()
        self.until_the_end = ExitStack()
        self.world = self.until_the_end.enter_context(World.of(now=day(150)))
        self.today = 150.0
        self.logged: list[str] = []
        self.number = 100

    @initialize(said=conversations())
    def someone_talked_before(self, said):
        self.world.log(said)
        self.logged = [turn.message_id for turn in said]

    @rule(data=st.data(), count=st.integers(1, 3))
    def someone_talks(self, data, count):
        for _ in range(count):
            self.number += 1
            said = data.draw(turns(self.number))
            self.world.log([said])
            self.logged.append(said.message_id)

    @rule(names=st.sampled_from(ALIASES))
    def someone_says_that_two_names_are_one(self, names):
        self.world.memory.alias(*names)

    @precondition(lambda self: self.world.edges())
    @rule(data=st.data(), act=st.sampled_from(["retract", "restore"]))
    def someone_judges_an_edge(self, data, act):
        edge = data.draw(st.sampled_from(sorted(self.world.edges())))
        judge = self.world.memory.retract_edge if act == "retract" else self.world.memory.restore_edge
        judge(*edge.split(" "))

    @precondition(lambda self: self.logged)
    @rule(data=st.data())
    def someone_takes_a_message_back(self, data):
        message = data.draw(st.sampled_from(self.logged))
        self.logged.remove(message)
        self.world.memory.erase_message(message)

    @precondition(lambda self: self.world.memory.sessions())
    @rule(data=st.data())
    def someone_takes_a_session_back(self, data):
        session = data.draw(st.sampled_from(sorted(x.session_id for x in self.world.memory.sessions())))
        gone = {message.message_id for message in self.world.memory.messages(session)}
        self.logged = [message for message in self.logged if message not in gone]
        self.world.memory.erase_session(session)

    @rule(days=st.floats(1, 200))
    def time_passes(self, days):
        self.today += days
        self.world.clock.now = day(self.today)

    @rule(model=st.sampled_from(["listener", "successor"]))
    def another_model_is_chosen(self, model):
        self.world.listener.model = model

    @rule(config=st.sampled_from(CONFIGURATIONS))
    def another_configuration_is_chosen(self, config):
        self.world.memory.config = HyMemConfig(**config)

    @rule(budget=st.sampled_from([0, 0, 1, 3]))
    def a_dream(self, budget):
        self.world.dream(budget)

        assert self.world.tables() == self.world.recomputed()

    def teardown(self):
        try:
            self.world.dream()
            remembered = self.world.remembered()
            self.world.forget_what_was_computed()
            self.world.dream()

            assert self.world.remembered() == remembered
            self.world.check()
        finally:
            self.until_the_end.close()


AnySeriesOfActs.TestCase.settings = settings(examples(4), stateful_step_count=10)
TestCarriedRows = AnySeriesOfActs.TestCase
