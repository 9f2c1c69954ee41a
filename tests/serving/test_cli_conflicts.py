import pytest

from tests.support.command_line import CommandLine, said

SAID = [
    said("The API depends on PostgreSQL.", message_id="said", created_at="2025-01-01"),
    said("Billing runs on Hetzner.", created_at="2025-01-02"),
    said("Billing runs on Fly.", created_at="2025-01-03"),
]


@pytest.fixture(scope="module")
def hymem(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A memory that was told two things about billing which cannot both hold."""
    hymem = CommandLine(tmp_path_factory.mktemp("once") / "root")
    hymem("ingest", hymem.file("chat.jsonl", *SAID))
    hymem("dream")
    return hymem


def test_conflicts_tell_both_sides_and_the_reason(hymem: CommandLine):
    told, (found,) = hymem("conflicts").stdout, hymem.json("conflicts")

    assert "billing runs on fly, and billing runs on hetzner" in told or (
        "billing runs on hetzner, and billing runs on fly" in told
    )
    assert "billing runs on one thing, not both" in told
    assert found["kind"] == "competing_object" and {found["first"]["object"], found["second"]["object"]} == {
        *("hetzner", "fly"),
    }


def test_conflicts_as_of_a_day_are_those_of_that_day(hymem: CommandLine):
    result = hymem("conflicts", "--as-of", "2025-01-02")

    assert (result.stdout, result.exit_code) == ("", 0)
    assert "Nothing that is remembered contradicts itself." in result.stderr


@pytest.mark.parametrize(
    ("message", "expecting", "told"),
    [
        ("What does the api depend on?", "api depends on postgresql", "It is recalled: it is number 1 of the facts"),
        ("What does billing run on?", "api depends on postgresql", "Lost at the step `matching`: nothing leads there"),
        ("What does the api use?", "api uses redis", "Lost at the step `ledger`: no message names api and redis"),
        ("thanks!", "api depends on postgresql", "Lost at the step `question`"),
        ("What does the api depend on?", "said", "It is recalled: a fact that rests on it is recalled"),
    ],
    ids=["recalled", "matching", "ledger", "question", "message"],
)
def test_explain_names_the_step_at_which_something_was_lost(
    hymem: CommandLine, message: str, expecting: str, told: str
):
    result = hymem("explain", message, "--expecting", expecting)

    assert result.exit_code == 0
    assert result.stdout.startswith(told)


def test_explain_reads_standard_input_and_prints_json(hymem: CommandLine):
    result = hymem("explain", "-", "--expecting", "billing", "--json", input="What does billing run on?")

    assert '"recalled": true' in result.stdout and '"lost_at": "recalled"' in result.stdout


def test_explain_needs_something_that_names_anything(hymem: CommandLine):
    assert hymem("explain", "What is up?").exit_code == 2
    assert hymem("explain", "What is up?", "--expecting", "?!").exit_code not in (0, 1)
