"""Why something is believed: from an edge to its evidence, the replies it was read from, the chunks, and the messages."""

from dataclasses import dataclass

from hymem.records import Chunk, Edge, Evidence, LoggedMessage, Rediscussion, Verdict
from hymem.store.acts import verdicts_on
from hymem.store.connection import Connection
from hymem.store.graph import chunks_by_id, edges_between, edges_by_id, evidence_for, rediscussions_of, reply_text
from hymem.store.messages import messages_by_seq


@dataclass(frozen=True)
class Witness:
    """One piece of evidence with everything it comes from."""

    evidence: Evidence
    chunk: Chunk
    reply: str | None
    messages: tuple[LoggedMessage, ...]


@dataclass(frozen=True)
class Fading:
    """One decay window that counts against an edge, with the chunk that brought the topic up."""

    rediscussion: Rediscussion
    chunk: Chunk


@dataclass(frozen=True)
class Why:
    """An edge and all that speaks for and against it; a derived one has steps, a stated one has witnesses.

    `verdicts` are what people said of it: a retraction holds, whatever the evidence, until the edge is said anew.
    """

    edge: Edge
    arithmetic: str
    witnesses: tuple[Witness, ...]
    fadings: tuple[Fading, ...]
    steps: tuple["Why", ...]
    verdicts: tuple[Verdict, ...] = ()


def why(connection: Connection, subject: str, predicate: str, object_: str) -> tuple[Why, ...]:
    """The explanation of the edges of that name between canonical names: the stated one, the derived one, both or none."""
    return tuple(explained(connection, edge) for edge in edges_between(connection, subject, predicate, object_))


def explained(connection: Connection, edge: Edge) -> Why:
    """The explanation of one edge."""
    verdicts = tuple(verdicts_on(connection, edge.subject, edge.predicate, edge.object))
    if edge.derived:
        steps = edges_by_id(connection, edge.path)
        below = tuple(explained(connection, steps[step]) for step in edge.path)
        return Why(edge, _product(edge, [steps[step] for step in edge.path]), (), (), below, verdicts)
    evidence = evidence_for(connection, edge.edge_id)
    windows = rediscussions_of(connection, edge.edge_id)
    chunks = chunks_by_id(connection, {x.chunk_id for x in (*evidence, *windows)})
    return Why(
        edge,
        _laplace(edge),
        tuple(_witness(connection, one, chunks[one.chunk_id]) for one in evidence),
        tuple(Fading(window, chunks[window.chunk_id]) for window in windows),
        (),
        verdicts,
    )


def _witness(connection: Connection, evidence: Evidence, chunk: Chunk) -> Witness:
    seqs = [seq for seq in (chunk.context_seq, chunk.message_seq) if seq is not None]
    said = messages_by_seq(connection, seqs)
    return Witness(evidence, chunk, reply_text(connection, chunk.chunk_id), tuple(said[seq] for seq in seqs))


def _laplace(edge: Edge) -> str:
    pos, neg = edge.pos_evidence, edge.neg_evidence
    faded = (
        f", of which {edge.decay_windows} decay window{'s' * (edge.decay_windows > 1)}" if edge.decay_windows else ""
    )
    return f"({pos} + 1) / ({pos} + {neg} + 2) = {edge.confidence:.3f}: {pos} for, {neg} against{faded}"


def _product(edge: Edge, steps: list[Edge]) -> str:
    return f"{' × '.join(f'{step.confidence:.3f}' for step in steps)} = {edge.confidence:.3f}: along the strongest path"
