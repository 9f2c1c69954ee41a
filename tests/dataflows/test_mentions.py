from dataflows.mentions import entity_mentions, names_in_new_chunks, new_names, new_names_in_old_chunks
from dataflows.rows import Chunk, EntityName, FoundName, KnownName
from dataflows.tables import Table, table
from tests.support.frames import some, told

NO_CHUNKS = table(Chunk)
NAMES = table(EntityName, [("pg", "postgresql"), ("postgresql", "postgresql"), ("order_service", "order_service")])


def chunks(*texts: str) -> Table[Chunk]:
    return some(Chunk, chunk_id=list(range(1, len(texts) + 1)), text=list(texts))


def test_new_chunks_are_searched_for_every_name():
    found = names_in_new_chunks(chunks("pg is down", "the order service uses PostgreSQL", "hello"), NO_CHUNKS, NAMES)

    assert sorted(told(found)) == [(1, "pg"), (2, "order_service"), (2, "postgresql")]


def test_the_context_is_searched_too():
    asked = some(Chunk, chunk_id=1, context="Is pg down?", text="yes it is")

    assert told(names_in_new_chunks(asked, NO_CHUNKS, NAMES)) == [(1, "pg")]


def test_a_name_does_not_reach_from_the_context_into_the_text():
    split = some(Chunk, chunk_id=1, context="next order", text="service is late")

    assert told(names_in_new_chunks(split, NO_CHUNKS, NAMES)) == []


def test_old_chunks_are_searched_for_new_names_only():
    old = chunks("pg and PostgreSQL")
    unknown_so_far = new_names(NAMES, table(KnownName, [("postgresql",), ("order_service",)]))

    assert unknown_so_far == ["pg"]
    assert told(names_in_new_chunks(old, old, NAMES)) == []
    assert told(new_names_in_old_chunks(old, old, unknown_so_far)) == [(1, "pg")]


def test_a_mention_leads_to_the_entity_of_today():
    carried = table(FoundName, [(1, "pg")])

    mentions = entity_mentions(carried, table(FoundName), table(FoundName), NAMES, chunks("pg"))

    assert told(mentions) == [(1, "pg", "postgresql")]


def test_mentions_of_chunks_and_names_that_are_gone_go_too():
    carried = table(FoundName, [(1, "pg"), (1, "forgotten"), (99, "pg")])

    mentions = entity_mentions(carried, table(FoundName), table(FoundName), NAMES, chunks("pg"))

    assert told(mentions, "chunk_id", "name") == [(1, "pg")]
