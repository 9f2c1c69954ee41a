from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from hymem.errors import ModelRefusedError, ModelUnavailableError
from hymem.models.cooling import FIRST_PAUSE, LONGEST_PAUSE, CoolingEmbeddingClient
from hymem.testing import HashedWordsEmbedder

AWAY = ModelUnavailableError("nobody answers")


class Seconds:
    """A clock that stands still until it is set."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def fails(client: CoolingEmbeddingClient) -> str:
    with pytest.raises(ModelUnavailableError) as raised:
        client.embed(["tabs"])
    return str(raised.value)


def test_after_a_failure_nobody_waits_for_the_endpoint_until_the_pause_is_over():
    clock, endpoint = Seconds(), HashedWordsEmbedder(trouble=AWAY)
    client = CoolingEmbeddingClient(endpoint, clock=clock)

    assert fails(client) == "nobody answers (not asked again for 30 s)"
    clock.now += FIRST_PAUSE - 1
    assert fails(client) == "nobody answers (not asked again for 30 s)"
    assert len(endpoint.requests) == 1
    clock.now += 1
    assert fails(client) == "nobody answers (not asked again for 60 s)"
    assert len(endpoint.requests) == 2


def test_the_pause_doubles_up_to_a_limit():
    clock, endpoint = Seconds(), HashedWordsEmbedder(trouble=AWAY)
    client, pauses = CoolingEmbeddingClient(endpoint, clock=clock), []
    for _ in range(7):
        pauses.append(float(fails(client).split()[-2]))
        clock.now += pauses[-1]

    assert pauses == [30, 60, 120, 240, 480, LONGEST_PAUSE, LONGEST_PAUSE]


def test_an_endpoint_that_is_back_is_asked_as_before_and_begins_with_the_first_pause_again():
    clock, endpoint = Seconds(), HashedWordsEmbedder(trouble=AWAY)
    client = CoolingEmbeddingClient(endpoint, clock=clock)
    fails(client)
    clock.now += FIRST_PAUSE
    fails(client)
    clock.now += 2 * FIRST_PAUSE
    endpoint.trouble = None

    assert [client.embed(["tabs"]).shape for _ in range(3)] == [(1, 256)] * 3
    endpoint.trouble = AWAY
    fails(client)
    assert fails(client).endswith("30 s)")


def test_what_is_refused_is_no_reason_to_leave_the_endpoint_alone():
    endpoint = HashedWordsEmbedder(trouble=ModelRefusedError("too long"))
    client = CoolingEmbeddingClient(endpoint)
    for _ in range(3):
        with pytest.raises(ModelRefusedError):
            client.embed(["tabs"])

    assert len(endpoint.requests) == 3


def test_of_those_who_ask_when_the_pause_is_over_one_finds_out_for_all():
    clock, start = Seconds(), Barrier(8)

    class Slow(HashedWordsEmbedder):
        def embed(self, texts):
            self.requests.append(list(texts))
            if len(self.requests) > 1:
                done.wait(10)
            raise AWAY

    endpoint, done = Slow(), Barrier(2)
    client = CoolingEmbeddingClient(endpoint, clock=clock)
    fails(client)
    clock.now += FIRST_PAUSE

    def ask(_: int) -> str:
        start.wait(10)
        return fails(client)

    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask, n) for n in range(8)]
        while sum(one.done() for one in asking) < 7:
            pass
        done.wait(10)
        answers = sorted(one.result() for one in asking)

    assert len(endpoint.requests) == 2
    assert answers == ["nobody answers (not asked again for 30 s)"] * 7 + ["nobody answers (not asked again for 60 s)"]


def test_those_who_fail_together_count_as_one_failure():
    together = Barrier(4)

    class Slow(HashedWordsEmbedder):
        def embed(self, texts):
            together.wait(10)
            raise AWAY

    client = CoolingEmbeddingClient(Slow(), clock=Seconds())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: fails(client), range(4)))

    assert fails(client).endswith("30 s)")
