from dataflows.edges import edge_ids
from dataflows.graph import knowledge_graph, last_words, standing_retractions, stated_edges
from dataflows.rows import Decay, Edge, Evidence, FeedbackAct, Relation, Retraction, Tally, Value
from dataflows.tables import Table, table
from hymem.aliases import Aliases
from hymem.digests import edge_id
from tests.support.frames import day, days, some, told

API_USES_FLASK = some(Relation, edge_id=1, subject="api", predicate="uses", object="flask")
NO_DECAY, NO_RETRACTIONS, NO_VALUES = table(Decay), table(Retraction), table(Value)


def judged(
    tallies: Table[Tally],
    *,
    decay: Table[Decay] = NO_DECAY,
    retractions: Table[Retraction] = NO_RETRACTIONS,
    values: Table[Value] = NO_VALUES,
    retract_threshold: float = 0.15,
) -> Table[Edge]:
    return stated_edges(API_USES_FLASK, tallies, values, decay, retractions, retract_threshold)


def test_a_fact_said_once_is_believed_two_to_one():
    edge = judged(some(Tally, edge_id=1, pos_evidence=1))

    assert told(edge, "status", "confidence", "neg_evidence") == [("active", 2 / 3, 0)]


def test_decay_windows_count_as_negatives_and_make_an_edge_stale():
    edge = judged(
        some(Tally, edge_id=1, pos_evidence=1, stated_negatives=1), decay=some(Decay, edge_id=1, decay_windows=2)
    )

    assert told(edge, "status", "confidence", "neg_evidence", "decay_windows") == [("stale", 2 / 6, 3, 2)]


def test_an_edge_below_the_threshold_is_retracted():
    faded = some(Decay, edge_id=1, decay_windows=12)

    assert judged(some(Tally, edge_id=1, pos_evidence=1), decay=faded).status.tolist() == ["retracted"]


def test_a_persons_retraction_stands_whatever_the_evidence():
    edge = judged(some(Tally, edge_id=1, pos_evidence=50), retractions=some(Retraction, edge_id=1))

    assert edge.status.tolist() == ["retracted"]


def test_an_edge_shows_its_value():
    edge = judged(some(Tally, edge_id=1, pos_evidence=1), values=some(Value, edge_id=1, value_text=">= 3"))

    assert edge.value_text.tolist() == [">= 3"]


RETRACTED_ON_DAY_5 = last_words(
    some(FeedbackAct, act="retract", subject="api", predicate="uses", object="flask", created_at=day(5)), Aliases()
)
EDGE = edge_id("api", "uses", "flask")


def said(*when: float, polarity: int = 1, chunks: list[int] | None = None) -> Table[Evidence]:
    chunk_ids = chunks or list(range(len(when)))
    return some(Evidence, edge_id=EDGE, chunk_id=chunk_ids, polarity=polarity, said_at=days(*when))


def test_a_retraction_is_sticky_against_one_newer_chunk():
    assert standing_retractions(RETRACTED_ON_DAY_5, said(0, 1, 2, 6)).edge_id.tolist() == [EDGE]


def test_a_retracted_edge_returns_when_two_newer_chunks_say_it_again():
    assert standing_retractions(RETRACTED_ON_DAY_5, said(6, 7)).empty


def test_newer_denials_do_not_bring_an_edge_back():
    assert standing_retractions(RETRACTED_ON_DAY_5, said(6, 7, 8, polarity=-1)).edge_id.tolist() == [EDGE]


def test_what_was_said_at_the_moment_of_the_retraction_is_not_newer():
    assert standing_retractions(RETRACTED_ON_DAY_5, said(5, 5, 6)).edge_id.tolist() == [EDGE]


def feedback(*acts: tuple[str, float]) -> Table[FeedbackAct]:
    names, when = zip(*acts, strict=True)
    return some(FeedbackAct, act=list(names), subject="api", predicate="uses", object="flask", created_at=days(*when))


def test_a_persons_last_word_counts():
    taken_back = last_words(feedback(("retract", 1), ("restore", 2)), Aliases())

    assert told(taken_back, "act", "created_at") == [("restore", day(2))]
    assert standing_retractions(taken_back, said(0)).empty


def test_of_two_words_at_one_moment_the_retraction_wins():
    assert last_words(feedback(("retract", 1), ("restore", 1)), Aliases()).act.tolist() == ["retract"]


def test_a_retraction_follows_its_entities_through_aliases():
    retraction = some(FeedbackAct, act="retract", subject="api", predicate="uses", object="pg", created_at=day(1))

    words = last_words(retraction, Aliases({"pg": "postgresql"}))

    assert words.edge_id.tolist() == [edge_id("api", "uses", "postgresql")]


def test_the_graph_holds_stated_and_derived_edges_by_id():
    graph = knowledge_graph(some(Edge, edge_id=[3, 1]), some(Edge, edge_id=2, derived=True))

    assert told(graph, "edge_id", "derived") == [(1, False), (2, True), (3, False)]


def test_ids_of_edges_are_their_digests():
    relations = some(Relation, subject=["api", "api"], predicate="uses", object=["git", "flask"])

    assert edge_ids(relations).tolist() == [edge_id("api", "uses", "git"), EDGE]
    assert edge_ids(relations, derived=True)[1] == edge_id("api", "uses", "flask", derived=True)
    assert edge_ids(table(Relation)).dtype == "int64"
