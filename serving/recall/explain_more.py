"""Why an episode, a procedure or a told fact was not recalled: they are called by their titles, names, ids or words."""

from hymem.digests import read
from hymem.store.connection import Connection
from hymem.store.experience_search import Kind, experiences_called
from hymem.store.facts import has_facts
from serving.recall.asked import Understood
from serving.recall.caches import QueryCaches
from serving.recall.experience import CANDIDATES, MOST_RECALLED, recall_experience
from serving.recall.lost import Lost, placed
from serving.recall.question import Question


def lost_experience(
    connection: Connection, question: Question, understood: Understood, caches: QueryCaches, expecting: str
) -> Lost | None:
    """What became of an episode or a procedure; None where none is called so."""
    found = recall_experience(connection, question, understood, caches, 2 * CANDIDATES)
    episodes = [(hit.episode.episode_id, hit.score) for hit in found.episodes]
    procedures = [(hit.procedure.procedure_id, hit.score) for hit in found.procedures]
    kinds: tuple[tuple[Kind, list[tuple[int, float]]], ...] = (("episode", episodes), ("procedure", procedures))
    for kind, hits in kinds:
        if called := experiences_called(connection, kind, expecting.strip(), read(expecting.strip())):
            place = next((place for place, (name, _) in enumerate(hits) if name in called), None)
            if place is None:
                return Lost("words", f"the message leads to other {kind}s, by its words and by its meaning, or to none")
            return placed(place, [score for _, score in hits], MOST_RECALLED, "experience_cut", f"the {kind}s")
    return None


def lost_fact(connection: Connection, question: Question, expecting: str) -> Lost | None:
    """What became of a told fact; None where nobody told this."""
    if not has_facts(connection):
        return None
    from hymem.store.facts.found import CANDIDATES as MOST_FOUND
    from hymem.store.facts.found import Scope, facts_saying
    from serving.recall.told_facts import MOST_RECALLED as FACTS_RECALLED
    from serving.recall.told_facts import recall_facts

    served, told = Scope(), facts_saying(connection, expecting.strip())
    own = [fact for fact in told if fact.peer_id == served.peer_id]
    if told and not own:
        return Lost("matching", f"it is a fact of {told[0].peer_id}, and those of {served.peer_id} are recalled")
    trusted = {fact.fact_id for fact in own if fact.trust_score >= served.min_trust}
    if own and not trusted:
        trust = max(fact.trust_score for fact in own)
        return Lost(
            "trust", f"it is trusted {trust:.2f}, and what is trusted less than {served.min_trust} is not recalled"
        )
    if not own:
        return None
    hits = recall_facts(connection, question.text, MOST_FOUND)
    place = next((place for place, hit in enumerate(hits) if hit.fact.fact_id in trusted), None)
    if place is None:
        return Lost("words", "the message has too few of its words, and names nothing in it")
    return placed(
        place, [hit.score for hit in hits], FACTS_RECALLED, "facts_cut", "the told facts that bear on the message"
    )
