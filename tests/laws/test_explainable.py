"""The sixth law: every line of both files, and every edge, leads back to messages, with the arithmetic of its confidence."""

import json
import math

from hypothesis import given

from hymem.confidence import smoothed_confidence
from hymem.records import Edge
from hymem.statements import as_statement
from serving.recall.why import Why
from tests.support.conversations import Turn, World, conversations, examples


@given(said=conversations(longest=10))
@examples(6)
def test_every_line_and_every_edge_leads_back_to_what_was_said(said: list[Turn]):
    with World.of(said) as world:
        world.dream()
        world.check()
        edges = {edge.edge_id: edge for edge in world.memory.edges(include_retracted=True)}

        explained = {edge.edge_id: explanation(world, edge) for edge in edges.values()}

        assert all(is_grounded(world, why) for why in explained.values())
        assert lines(world, "MEMORY.md") == [as_statement(insight.statement) for insight in world.memory.insights()]
        assert {edge for insight in world.memory.insights() for edge in insight.edges} <= explained.keys()
        assert set(lines(world, "USER.md")) <= set(profile_lines(world))


def explanation(world: World, edge: Edge) -> Why:
    (found,) = [
        why for why in world.memory.why(edge.subject, edge.predicate, edge.object) if why.edge.derived == edge.derived
    ]
    return found


def is_grounded(world: World, why: Why) -> bool:
    """Whether evidence, replies, chunks and messages are all there, and the arithmetic gives the stored confidence."""
    edge = why.edge
    if edge.derived:
        product = math.prod(step.edge.confidence for step in why.steps)
        joined = [step.edge.subject for step in why.steps] == [edge.subject, *(s.edge.object for s in why.steps[:-1])]
        arrives = why.steps[-1].edge.object == edge.object
        return (
            math.isclose(product, edge.confidence)
            and joined
            and arrives
            and all(is_grounded(world, s) for s in why.steps)
        )
    supporting = sum(witness.evidence.polarity == 1 for witness in why.witnesses)
    contradicting = len(why.witnesses) - supporting + len(why.fadings)
    told = all(is_told(world, edge, witness) for witness in why.witnesses)
    return told and math.isclose(smoothed_confidence(supporting, contradicting), edge.confidence)


def is_told(world: World, edge: Edge, witness) -> bool:
    """Whether the quoted words are in the messages, and the triple in the very reply."""
    quote = witness.evidence.quote
    replied = [triple["quote"] for triple in json.loads(witness.reply)["triples"]]
    spoken = " ".join(message.content for message in witness.messages)
    return quote in spoken and quote in replied


def lines(world: World, file: str) -> list[str]:
    text = (world.root / file).read_text()
    return [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]


def profile_lines(world: World) -> list[str]:
    """The lines of the entries whose evidence leads to markers, chunks and messages."""
    found = world.rows("""
        select distinct e.kind, e.statement
        from profile_entries e join profile_evidence p using (entry_id)
             join behavioral_markers b using (chunk_id, position)
             join chunks c using (chunk_id) join messages m on m.seq in (c.message_seq, c.context_seq)
        where p.polarity = 1 and instr(m.content, b.quote) > 0
          and e.pos_evidence = (select count(*) from profile_evidence x where x.entry_id = e.entry_id and polarity = 1)
          and e.neg_evidence = (select count(*) from profile_evidence x where x.entry_id = e.entry_id and polarity = -1)
          and abs(e.confidence - (e.pos_evidence + 1.0) / (e.pos_evidence + e.neg_evidence + 2.0)) < 1e-12""")
    return [f"**{kind}**: {as_statement(statement)}" for kind, statement in found]
