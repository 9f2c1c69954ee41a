"""The OpenAPI document against the server: whatever it allows, and what it does not, is answered, and never with a 5xx."""

import sys
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from hymem.settings import ServerSettings
from tests.support.honcho_house import House, honcho_house

NO_DREAM = [sys.executable, "-I", "-S", "-c", "print('{}')"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with honcho_house(tmp_path_factory.mktemp("house"), ServerSettings(dream_cooldown_seconds=3600), NO_DREAM) as house:
        house.say("We use Redis.")
        yield house


def fuzz(house: House, examples: int) -> dict[str, set[int]]:
    """The statuses of each operation's answers to requests that its schema allows, and to those that it does not."""
    schema = schemathesis.openapi.from_url(f"{house.url}/openapi.json")
    return {
        f"{operation.ok().method.upper()} {operation.ok().path}": {
            status
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
            for status in statuses(operation.ok(), mode, examples)
        }
        for operation in schema.get_all_operations()
    }


def statuses(operation: schemathesis.schemas.APIOperation, mode: GenerationMode, examples: int) -> set[int]:
    found = set[int]()

    @settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def answered(case: schemathesis.Case) -> None:
        response = case.call(timeout=30)
        assert response.status_code < 500, (response.status_code, case.as_curl_command())
        found.add(response.status_code)

    try:
        answered()
    except Unsatisfiable:  # nothing can be wrong with a request that takes nothing
        assert mode == GenerationMode.NEGATIVE
    return found


def test_no_request_makes_the_server_fail(house: House):
    found = fuzz(house, examples=4)

    assert len(found) >= 46
    assert all(found.values())


@pytest.mark.soak
def test_no_request_makes_the_server_fail_in_the_long_run(house: House):
    fuzz(house, examples=200)
