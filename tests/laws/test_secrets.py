"""What people should not have pasted stays in the ledger's message and goes nowhere else."""

from pathlib import Path

import pytest

from hymem import HyMem
from hymem.models.rules import RulesExtractor
from hymem.testing import HashedWordsEmbedder, ScriptedModel

SECRET = "hunter2-correct-horse"
TURNS = [
    ("user", f"The billing API uses Postgres and my password is {SECRET}."),
    ("assistant", f"Noted: the password is {SECRET}. Anything else about how the deployment works?"),
    ("user", f"We prefer uv over pip. Steps:\n1. export DB_PASSWORD={SECRET}\n2. make deploy"),
]


@pytest.fixture
def memory(tmp_path: Path):
    with HyMem(tmp_path, llm=RulesExtractor(), embedder=HashedWordsEmbedder()) as memory:
        memory.log_messages([{"session_id": "monday", "role": role, "content": text} for role, text in TURNS])
        yield memory


def everything_but_messages(memory: HyMem) -> str:
    tables = memory.query("select name from sqlite_schema where type = 'table' and name <> 'messages'").name
    plain = [name for name in tables if not name.startswith("vec_")]
    rows = "\n".join(memory.query(f"select * from {name}").to_csv() for name in plain)
    files = [path.read_text() for path in memory.root.glob("*.md")]
    return "\n".join([rows, *files])


def test_a_secret_reaches_no_table_but_the_ledgers_and_no_file(memory: HyMem):
    memory.dream()

    assert SECRET not in everything_but_messages(memory)
    assert SECRET in memory.messages()[0].content


def test_what_stands_beside_a_secret_is_learnt(memory: HyMem):
    memory.dream()

    assert ("billing_api", "uses", "postgresql") in {(e.subject, e.predicate, e.object) for e in memory.edges()}


def test_no_question_to_a_model_holds_a_secret(memory: HyMem):
    memory.llm = ScriptedModel({}, others={"triples": []})
    memory.dream()

    assert memory.llm.requests
    assert not [request for request in memory.llm.requests if SECRET in f"{request.user}{request.material}"]
    assert not [texts for texts in memory.embedder.requests if SECRET in " ".join(texts)]


def test_a_question_is_embedded_without_its_secret(memory: HyMem):
    memory.dream()
    asked = len(memory.embedder.requests)

    memory.augment(f"What does billing use, now that my password is {SECRET}?")

    texts = [text for request in memory.embedder.requests[asked:] for text in request]
    assert "What does billing use, now that my password is [redacted: password]?" in texts
    assert not [text for text in texts if SECRET in text]


def test_a_reply_that_names_a_secrets_placeholder_gives_no_edge(memory: HyMem):
    claim = {"subject": "api", "predicate": "uses", "object": "[redacted: password]", "quote": "uses Postgres"}
    memory.llm = ScriptedModel({}, others={"triples": [claim]})
    memory.dream()

    assert memory.edges() == []


def test_a_ledger_may_be_kept_free_of_secrets_too(tmp_path: Path):
    with HyMem(tmp_path / "strict", redact_stored=True) as memory:
        memory.log_message("monday", "user", TURNS[0][1])
        fact = memory.remember(TURNS[0][1])
        memory.fact_store().update_fact(fact, f"Not any more: {TURNS[0][1]}", tags=TURNS[0][1])

        assert SECRET not in memory.messages()[0].content
        assert "[redacted" in memory.facts()[0]["content"]
    assert SECRET.encode() not in (tmp_path / "strict" / "hymem.db").read_bytes()


def test_a_message_told_again_is_known_whether_its_secret_was_kept_or_not(tmp_path: Path):
    for redact_stored in (True, False, True):
        with HyMem(tmp_path / "both", redact_stored=redact_stored) as memory:
            memory.log_message("monday", "user", TURNS[0][1], message_id="m1")
            assert len(memory.messages()) == 1
