"""What clients send: Pydantic models of every request. Fields that nobody knows are left aside, as Honcho does."""

from typing import Annotated, Any, Final, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from hymem.times import parse_time

ID: Final = r"^[a-zA-Z0-9_-]+$"
METADATA_KEYS: Final = 100
METADATA_DEPTH: Final = 5


def _bounded(metadata: dict[str, Any]) -> dict[str, Any]:
    if len(metadata) > METADATA_KEYS:
        raise ValueError(f"metadata has more than {METADATA_KEYS} keys")
    return _cleaned(metadata, METADATA_DEPTH)


def _cleaned(value: Any, depth: int) -> Any:
    """The value without NUL characters; raises `ValueError` where it nests deeper than that."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, float) and value - value != 0:
        raise ValueError("metadata holds a number that JSON does not know")
    if isinstance(value, dict | list) and depth == 0:
        raise ValueError(f"metadata nests deeper than {METADATA_DEPTH}")
    if isinstance(value, dict):
        return {_cleaned(key, depth): _cleaned(item, depth - 1) for key, item in value.items()}
    return [_cleaned(item, depth - 1) for item in value] if isinstance(value, list) else value


def _moment(value: Any) -> Any:
    return parse_time(value) if isinstance(value, str) else value


Id = Annotated[str, Field(min_length=1, max_length=512, pattern=ID)]
Metadata = Annotated[dict[str, Any], AfterValidator(_bounded)]
Time = Annotated[str, BeforeValidator(_moment), Field(description="ISO-8601; without a zone it is UTC")]


class Reasoning(BaseModel):
    """Whether a message may be learnt from."""

    enabled: bool | None = None
    custom_instructions: str | None = None


class PeerCard(BaseModel):
    """How cards are used."""

    use: bool | None = None
    create: bool | None = None
    custom_instructions: str | None = None


class Summaries(BaseModel):
    """How sessions are summed up."""

    enabled: bool | None = None
    messages_per_short_summary: int | None = Field(None, ge=10)
    messages_per_long_summary: int | None = Field(None, ge=20)
    custom_instructions: str | None = None

    @model_validator(mode="after")
    def _short_is_shorter(self) -> "Summaries":
        short, long = self.messages_per_short_summary, self.messages_per_long_summary
        if short is not None and long is not None and short >= long:
            raise ValueError("messages_per_short_summary must be less than messages_per_long_summary")
        return self


class Dreams(BaseModel):
    """How there is dreaming."""

    enabled: bool | None = None
    custom_instructions: str | None = None


class Dialectic(BaseModel):
    """How questions are answered."""

    custom_instructions: str | None = None


class Configuration(BaseModel):
    """The configuration of a workspace or a session."""

    model_config = ConfigDict(extra="allow")

    custom_instructions: str | None = None
    reasoning: Reasoning | None = None
    peer_card: PeerCard | None = None
    summary: Summaries | None = None
    dream: Dreams | None = None
    dialectic: Dialectic | None = None

    def told(self) -> dict[str, Any]:
        """What was said in it."""
        return self.model_dump(exclude_none=True)


class MessageConfiguration(BaseModel):
    """The configuration of a message."""

    reasoning: Reasoning | None = None


class Attention(BaseModel):
    """What holds for a peer in a session."""

    observe_me: bool | None = None
    observe_others: bool | None = None
    role: str | None = Field(default=None, description="extension: the role that the peer plays")


class WorkspaceCreate(BaseModel):
    """A workspace to get or create."""

    id: Id
    metadata: Metadata = Field(default_factory=dict)
    configuration: Configuration = Field(default_factory=Configuration)


class WorkspaceUpdate(BaseModel):
    """What to change of a workspace or a session."""

    metadata: Metadata | None = None
    configuration: Configuration | None = None


class PeerUpdate(BaseModel):
    """What to change of a peer."""

    metadata: Metadata | None = None
    configuration: Metadata | None = None


class PeerCreate(PeerUpdate):
    """A peer to get or create."""

    id: Id


class SessionCreate(WorkspaceUpdate):
    """A session to get or create. `peer_names` is HyMem's earlier word for `peers`: ids, or ids with roles."""

    id: Id
    peers: dict[Id, Attention] | None = None
    peer_names: list[Id] | dict[Id, str | Attention] | None = None
    scopes: list[Annotated[str, Field(min_length=1, max_length=506, pattern=ID)]] | None = Field(None, max_length=100)


class Filtered(BaseModel):
    """Which of them are asked for."""

    filters: dict[str, Any] | None = None


class Search(Filtered):
    """What is searched for among messages, how many are wanted, and of which."""

    query: str
    limit: int = Field(10, ge=1, le=100)


class WorkspaceSearch(Search):
    """What is searched for in a workspace, or in the sessions of a scope."""

    scope: str | None = Field(None, min_length=1, max_length=506)


def _object_schema(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("type") != "object":
        raise ValueError("response_format is a JSON Schema whose root is of the type object")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in cast(list[Any], required)):
        raise ValueError("required is a list of names")
    return schema


ScopeId = Annotated[str, Field(min_length=1, max_length=506)]


class Chat(BaseModel):
    """A question, and how it is to be answered.

    A language model composes the answer only where one is configured and a level above minimal is asked for, or a form.
    """

    query: str = Field(min_length=1, max_length=10_000)
    stream: bool = False
    session_id: str | None = Field(None, min_length=1, max_length=512)
    reasoning_level: Literal["minimal", "low", "medium", "high", "max"] | None = None
    response_format: Annotated[dict[str, Any], AfterValidator(_object_schema)] | None = None
    include_evidence: bool = False


class WorkspaceChat(Chat):
    """A question to a workspace, or to a session or a scope of it."""

    scope: ScopeId | None = None

    @model_validator(mode="after")
    def _one_limit(self) -> "WorkspaceChat":
        if self.scope is not None and self.session_id is not None:
            raise ValueError("scope and session_id exclude each other")
        return self


class AmongSessions(BaseModel):
    """Any of these sessions."""

    model_config = ConfigDict(extra="forbid")

    among: list[str] = Field(max_length=1000, validation_alias="in")


class SessionFilter(BaseModel):
    """From which sessions something may be known; nothing else can be asked of it."""

    model_config = ConfigDict(extra="forbid")

    session_id: str | Annotated[list[str], Field(max_length=1000)] | AmongSessions | None = None

    @property
    def sessions(self) -> list[str] | None:
        """The sessions; None for all of them."""
        match self.session_id:
            case str() as one:
                return [one]
            case AmongSessions(among=several):
                return several
            case several:
                return several


class PeerChat(Chat):
    """A question to a peer, about itself or about a target; `filters` may name sessions, by `session_id` alone."""

    target: str | None = Field(None, min_length=1, max_length=512)
    scope: ScopeId | Annotated[list[ScopeId], Field(min_length=1, max_length=100)] | None = None
    filters: SessionFilter | None = None

    @model_validator(mode="after")
    def _one_limit(self) -> "PeerChat":
        if self.scope is not None and self.sessions() is not None:
            raise ValueError("scope excludes session_id and filters")
        return self

    def sessions(self) -> list[str] | None:
        """The sessions that are asked about; None for all."""
        listed = self.filters.sessions if self.filters else None
        if self.session_id is None:
            return listed
        return [self.session_id] if listed is None or self.session_id in listed else []

    def scopes(self) -> list[str]:
        """The scopes that are to look."""
        if self.scope is None:
            return []
        return [self.scope] if isinstance(self.scope, str) else self.scope


class MessageCreate(BaseModel):
    """One turn."""

    content: str = Field(max_length=25_000)
    peer_id: str
    metadata: Metadata | None = None
    configuration: MessageConfiguration | None = None
    created_at: Time | None = None


class MessagesCreate(BaseModel):
    """Turns, in their order."""

    messages: list[MessageCreate] = Field(min_length=1, max_length=100)


class MessageUpdate(BaseModel):
    """What to attach to a message."""

    metadata: Metadata | None = None


class ConclusionCreate(BaseModel):
    """What one peer concludes about another."""

    content: str = Field(min_length=1, max_length=65_535)
    observer_id: str
    observed_id: str
    session_id: str | None = None


class ConclusionsCreate(BaseModel):
    """Conclusions; `observations` is an earlier word for them."""

    model_config = ConfigDict(populate_by_name=True)

    conclusions: list[ConclusionCreate] = Field(min_length=1, max_length=100, validation_alias="conclusions")

    @model_validator(mode="before")
    @classmethod
    def _earlier_word(cls, told: Any) -> Any:
        if isinstance(told, dict) and "conclusions" not in told and "observations" in told:
            return {**told, "conclusions": told["observations"]}
        return told


class ConclusionsQuery(Filtered):
    """What is sought among the conclusions of one peer about another, which `filters` names."""

    query: str = Field(min_length=1, max_length=10_000)
    top_k: int = Field(10, ge=1, le=100)
    distance: float | None = Field(
        None, ge=0, le=1, description="the largest cosine distance; needs an embedding model"
    )


class ScopeCreate(BaseModel):
    """A scope to get or create."""

    id: str = Field(min_length=1, max_length=506, pattern=ID)
    metadata: Metadata | None = None


class ScopeSessions(BaseModel):
    """Sessions that a scope is to look at."""

    session_ids: list[str] = Field(min_length=1, max_length=100)


class Recalled(BaseModel):
    """What of a peer's conclusions is wanted in a representation."""

    search_query: str | None = Field(None, max_length=10_000)
    search_top_k: int | None = Field(None, ge=1, le=100)
    search_max_distance: float | None = Field(None, ge=0, le=1)
    max_conclusions: int | None = Field(None, ge=1, le=100)


class RepresentationAsked(Recalled):
    """Of whom a representation is wanted, through whose eyes, and from which sessions."""

    session_id: str | None = None
    target: str | None = None
    include_most_frequent: bool | None = None
    filters: SessionFilter | None = None
    scope: ScopeId | Annotated[list[ScopeId], Field(min_length=1, max_length=100)] | None = None


class PeerContextAsked(Recalled):
    """Of whom a peer's knowledge is wanted."""

    target: str | None = Field(None, min_length=1, max_length=512)
    include_most_frequent: bool = True


class SessionContextAsked(Recalled):
    """What a session's context is to hold."""

    tokens: int = Field(100_000, ge=0, le=100_000)
    summary: bool = True
    peer_target: str | None = Field(None, min_length=1, max_length=512)
    peer_perspective: str | None = Field(None, min_length=1, max_length=512)
    scope: ScopeId | None = None
    sessions: list[str] | None = Field(None, max_length=1000)
    limit_to_session: bool = False
    include_most_frequent: bool = False


class CardWritten(BaseModel):
    """The lines of a card."""

    peer_card: list[Annotated[str, Field(max_length=10_000)]] = Field(max_length=1000)
