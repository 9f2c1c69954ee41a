"""What the tools answer, as programs read it. The readable text beside it says the same to a model."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Self

from pydantic import BaseModel, Field

from hymem.records import DreamRun, Edge, FtsHit, MessageHit
from hymem.redaction import redacted
from hymem.told_facts import FactHit
from serving.recall import AugmentedContext, GraphFact, sentence
from serving.recall.conflicts import Conflict as Contradiction
from serving.recall.experience import EpisodeHit, ProcedureHit
from serving.recall.why import Why, Witness


class Fact(BaseModel):
    """A relation between two entities, with what makes it believed."""

    sentence: str
    subject: str
    predicate: str
    object: str
    confidence: float = Field(description="From 0 to 1; one half with no evidence.")
    status: str = Field(description="active, stale (its topic returned without it) or retracted.")
    negated: bool = Field(description="Whether it is to be read with its verb denied.")
    derived: bool = Field(description="Whether it follows from other facts and was never said.")
    supporting: int
    contradicting: int
    last_seen: str

    @classmethod
    def of(cls, edge: Edge) -> Self:
        """The edge, as a client sees it."""
        return cls(
            sentence=sentence(edge),
            subject=edge.subject,
            predicate=edge.predicate,
            object=edge.object,
            confidence=round(edge.confidence, 4),
            status=edge.status,
            negated=edge.negated,
            derived=edge.derived,
            supporting=edge.pos_evidence,
            contradicting=edge.neg_evidence,
            last_seen=edge.last_seen,
        )


class RecalledFact(BaseModel):
    """A fact that bears on a message: how much, and why it was found."""

    fact: Fact
    score: float
    why: list[str]

    @classmethod
    def of(cls, found: GraphFact) -> Self:
        """The fact, as a client sees it."""
        return cls(fact=Fact.of(found.edge), score=round(found.score, 6), why=list(found.why_retrieved))


class Passage(BaseModel):
    """A piece of a past conversation, word for word."""

    text: str
    session_id: str
    said_at: str
    score: float
    why: list[str]

    @classmethod
    def of(cls, hit: FtsHit) -> Self:
        """The chunk that was found, as a client sees it."""
        why = list(hit.why_retrieved)
        return cls(text=hit.text, session_id=hit.session_id, said_at=hit.said_at, score=round(hit.score, 6), why=why)


class Statement(BaseModel):
    """A fact that somebody told in their own words."""

    text: str
    trust: float = Field(description="From 0 to 1; one half until it was found helpful, or not.")
    told_at: str
    score: float
    why: list[str]

    @classmethod
    def of(cls, hit: FactHit) -> Self:
        """The told fact that was found, as a client sees it."""
        fact = hit.fact
        return cls(
            text=fact.content,
            trust=round(fact.trust_score, 4),
            told_at=fact.updated_at,
            score=round(hit.score, 6),
            why=list(hit.why_retrieved),
        )


class Experience(BaseModel):
    """An episode, or how something is done."""

    kind: str = Field(description="episode or procedure.")
    text: str
    session_id: str
    said_at: str
    score: float
    why: list[str]

    @classmethod
    def of_episode(cls, hit: EpisodeHit) -> Self:
        """The episode that was found, as a client sees it."""
        return cls._of("episode", hit, hit.episode.session_id, hit.episode.started_at)

    @classmethod
    def of_procedure(cls, hit: ProcedureHit) -> Self:
        """The procedure that was found, as a client sees it."""
        return cls._of("procedure", hit, hit.procedure.session_id, hit.procedure.said_at)

    @classmethod
    def _of(cls, kind: str, hit: EpisodeHit | ProcedureHit, session_id: str, said_at: str) -> Self:
        score, why = round(hit.score, 6), list(hit.why_retrieved)
        return cls(kind=kind, text=str(hit), session_id=session_id, said_at=said_at, score=score, why=why)


class Turn(BaseModel):
    """A message of a past conversation; its secrets are blacked out."""

    message_id: str
    session_id: str
    peer_id: str
    role: str
    said_at: str
    text: str
    score: float
    why: list[str]

    @classmethod
    def of(cls, hit: MessageHit) -> Self:
        """The message that was found, as a client sees it."""
        said = hit.message
        return cls(
            message_id=said.message_id,
            session_id=said.session_id,
            peer_id=said.peer_id,
            role=said.role,
            said_at=said.created_at,
            text=redacted(said.content),
            score=round(hit.score, 6),
            why=list(hit.why_retrieved),
        )


class Turns(BaseModel):
    """Messages, the best first."""

    messages: list[Turn]


class Recalled(BaseModel):
    """What bears on a message; `degraded` says what recall had to do without, if anything."""

    facts: list[RecalledFact]
    told: list[Statement] = Field(description="What somebody told as a fact in their own words.")
    episodes: list[Experience]
    procedures: list[Experience]
    passages: list[Passage]
    entities: list[str]
    degraded: list[str]
    left_out: dict[str, int] = Field(description="What did not fit into max_tokens: hits or, of files, lines.")
    user_md: str | None = None
    memory_md: str | None = None

    @classmethod
    def of(cls, found: AugmentedContext, files: bool) -> Self:
        """What was found, with the two files where they were asked for."""
        return cls(
            facts=[RecalledFact.of(fact) for fact in found.graph_facts],
            told=[Statement.of(hit) for hit in found.facts],
            episodes=[Experience.of_episode(hit) for hit in found.episodes],
            procedures=[Experience.of_procedure(hit) for hit in found.procedures],
            passages=[Passage.of(hit) for hit in found.fts_hits],
            entities=list(found.matched_entities),
            degraded=list(found.degraded),
            left_out={name: number for name, number in asdict(found.left_out).items() if number},
            user_md=found.user_md if files else None,
            memory_md=found.memory_md if files else None,
        )


class Logged(BaseModel):
    """The ids of the turns, in their order, and how many of them were new."""

    message_ids: list[str]
    added: int
    dream: "Dreamt | None" = Field(default=None, description="What the dream did, where one was asked for.")
    dream_error: str | None = Field(
        default=None, description="Why there was no dream; the turns are stored all the same."
    )


class Dreamt(BaseModel):
    """What a dream did."""

    outcome: str
    asked: int
    answered: int
    failed: int
    waiting: int = Field(description="Questions that wait for the next dream.")
    changed: dict[str, int] = Field(description="Rows that changed, by table.")
    warnings: list[str]

    @classmethod
    def of(cls, run: DreamRun) -> Self:
        """The run, as a client sees it."""
        return cls(
            outcome=run.outcome,
            asked=run.asked,
            answered=run.answered,
            failed=run.failed,
            waiting=run.waiting,
            changed=dict(run.changed),
            warnings=list(run.warnings),
        )


class Profile(BaseModel):
    """USER.md and MEMORY.md, whole."""

    user_md: str
    memory_md: str


class Renamed(BaseModel):
    """Two names that mean one thing; `changed` is false where they did already."""

    alias: str
    canonical: str
    changed: bool


class Corrected(BaseModel):
    """A fact that a person took back, or restored; `changed` is false where that had been said already."""

    subject: str
    predicate: str
    object: str
    retracted: bool
    changed: bool


class Quoted(BaseModel):
    """Words for or against a fact, and the messages that they stand in."""

    supports: bool
    quote: str
    said_at: str
    session_id: str
    messages: list[str]

    @classmethod
    def of(cls, witness: Witness) -> Self:
        """The evidence, as a client sees it."""
        told = witness.evidence
        messages = [f"{said.peer_id}: {said.content}" for said in witness.messages]
        return cls(
            supports=told.polarity > 0,
            quote=told.quote,
            said_at=told.said_at,
            session_id=witness.chunk.session_id,
            messages=messages,
        )


class Explained(BaseModel):
    """A fact with the arithmetic of its confidence and all that speaks for and against it."""

    fact: Fact
    arithmetic: str
    evidence: list[Quoted]
    decay_windows: int
    steps: list["Explained"] = Field(description="The facts that a derived one follows from.")

    @classmethod
    def of(cls, why: Why) -> Self:
        """The explanation, as a client sees it."""
        return cls(
            fact=Fact.of(why.edge),
            arithmetic=why.arithmetic,
            evidence=[Quoted.of(witness) for witness in why.witnesses],
            decay_windows=len(why.fadings),
            steps=[cls.of(step) for step in why.steps],
        )


class Explanations(BaseModel):
    """The stated fact of that name, the derived one, or both."""

    explanations: list[Explained]


class Conflict(BaseModel):
    """Two facts that cannot both hold."""

    kind: str
    reason: str
    first: Fact
    second: Fact

    @classmethod
    def of(cls, found: Contradiction) -> Self:
        """The conflict, as a client sees it."""
        return cls(kind=found.kind, reason=found.reason, first=Fact.of(found.first), second=Fact.of(found.second))


class Conflicts(BaseModel):
    """All conflicts, the most confident first."""

    conflicts: list[Conflict]


class Neighbourhood(BaseModel):
    """An entity and the facts that it takes part in."""

    entity: str
    facts: list[Fact]

    @classmethod
    def of(cls, entity: str, edges: Sequence[Edge]) -> Self:
        """The entity's edges, as a client sees them."""
        return cls(entity=entity, facts=[Fact.of(edge) for edge in edges])


class Forgotten(BaseModel):
    """What went for good, or would go: rows by table, lines of both files, and in a preview some of what they hold."""

    preview: bool
    gone: dict[str, int]
    changed: dict[str, int]
    markdown: dict[str, int]
    examples: dict[str, list[str]]
    remarks: list[str]
