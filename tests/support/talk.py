"""Conversations that Hypothesis makes up, and a model that understands them.

What people say is built from a handful of sentences, and `Listener` reads them back by their form: so its replies depend on the
text alone, and a test may let any of them fail, come late or come twice.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st

from hymem.errors import ReplyError
from hymem.models.chat import ChatReply, ChatRequest
from hymem.times import format_time

NEW_YEAR = datetime(2025, 1, 1, tzinfo=UTC)


def day(number: float) -> str:
    """The moment so many days after New Year."""
    return format_time(NEW_YEAR + timedelta(days=number))


def examples(number: int) -> settings:
    """So many examples, where each costs a dream or more; in the soak profile in proportion.

    A world that fails is made smaller in the soak profile only: that takes hundreds of dreams.
    """
    default = settings.default
    assert default is not None
    share = default.max_examples / 100
    phases = [phase for phase in Phase if share > 1 or phase not in (Phase.shrink, Phase.explain)]
    return settings(max_examples=max(1, round(number * share)), phases=phases, report_multiple_bugs=False)


# ------------------------------------------------------------------------------------------------------ what is said


@dataclass(frozen=True)
class Turn:
    """One turn, with the day of the year on which it was said."""

    message_id: str
    session_id: str
    role: str
    content: str
    day: float
    peer_id: str | None = None

    def logged(self) -> dict[str, Any]:
        """The turn as `log_messages` takes it."""
        return {
            "message_id": self.message_id,
            "session_id": self.session_id,
            "role": self.role,
            "content": self.content,
            "created_at": day(self.day),
            "peer_id": self.peer_id,
        }


THINGS = ("api", "worker", "billing", "Redis", "Postgres", "PostgreSQL", "uv", "pip")
ALIASES = (("worker", "billing"), ("uv", "pip"), ("Redis", "Postgres"), ("api", "PostgreSQL"), ("billing", "worker"))
HABITS = ("short answers", "tabs", "long tests")
SESSIONS = ("monday", "tuesday", "offsite")

_things = st.sampled_from(THINGS)
_speakers = st.one_of(_things, st.just("We"))
SENTENCES = st.one_of(
    st.builds("{} uses {}.".format, _speakers, _things),
    st.builds("{} depends on {}.".format, _things, _things),
    st.builds("{} no longer uses {}.".format, _speakers, _things),
    st.builds("{} replaces {}.".format, _things, _things),
    st.builds("{} requires {} version {}.".format, _things, _things, st.integers(1, 3)),
    st.builds("I prefer {}.".format, st.sampled_from(HABITS)),
    st.builds("I reject {}.".format, st.sampled_from(HABITS)),
    st.builds("{} is a {}.".format, _things, st.sampled_from(["database", "service", "tool"])),
    st.builds("Yesterday someone talked about {} again.".format, _things),
)
DAYS = st.one_of(st.sampled_from([0, 10, 40, 80, 200]), st.floats(0, 365).map(lambda number: round(number, 3)))


@st.composite
def turns(draw: st.DrawFn, number: int) -> Turn:
    """A turn of any session and peer, said on any day of the year."""
    role = draw(st.sampled_from(["user", "user", "user", "assistant", "tool"]))
    said = draw(st.lists(SENTENCES, min_size=1, max_size=3))
    opening = draw(st.sampled_from(["", "", "Exactly. "])) if role == "user" else ""
    peer = draw(st.sampled_from([None, None, "Kai-Lee"])) if role == "user" else None
    return Turn(f"m{number}", draw(st.sampled_from(SESSIONS)), role, opening + " ".join(said), draw(DAYS), peer)


@st.composite
def conversations(draw: st.DrawFn, longest: int = 8) -> list[Turn]:
    """Turns in the order of their logging, which need not be that of their saying."""
    return [draw(turns(number)) for number in range(draw(st.integers(2, longest)))]


# ------------------------------------------------------------------------------------------------ who understands it

_FORMS: tuple[tuple[str, re.Pattern[str], int], ...] = (
    ("uses", re.compile(r"\b(?!longer\b)(\w+) uses (\w+)"), 1),
    ("uses", re.compile(r"(\w+) no longer uses (\w+)"), -1),
    ("depends_on", re.compile(r"(\w+) depends on (\w+)"), 1),
    ("replaces", re.compile(r"(\w+) replaces (\w+)"), 1),
    ("requires_version", re.compile(r"(\w+) requires (\w+) version (\d+)"), 1),
)
_MARKER = re.compile(r"I (prefer|reject) ([\w ]+)")
_TYPE = re.compile(r"(\w+) is a (database|service|tool)")
_KINDS = {"prefer": "preference", "reject": "rejection"}
NOTHING = {"triples": [], "markers": [], "entity_types": []}


def understood(text: str) -> dict[str, list[dict[str, Any]]]:
    """What the sentences of a text say, as a reply puts it."""
    found: dict[str, list[dict[str, Any]]] = {"triples": [], "markers": [], "entity_types": []}
    for sentence in re.split(r"[.\n]", text):
        for predicate, form, polarity in _FORMS:
            if match := form.search(sentence):
                triple = {"subject": match[1], "predicate": predicate, "object": match[2], "polarity": polarity}
                value = {"value_text": match[3], "value_numeric": int(match[3])} if form.groups == 3 else {}
                found["triples"].append(triple | value | {"quote": match[0]})
        if match := _MARKER.search(sentence):
            statement = f"{match[1]}s {match[2]}"
            found["markers"].append({"kind": _KINDS[match[1]], "statement": statement, "quote": match[0]})
        if match := _TYPE.search(sentence):
            found["entity_types"].append({"name": match[1], "type": match[2]})
    return found


def noted(turns: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """What happened in a session's turns: an episode for each use, a procedure for each replacement."""
    found: dict[str, list[Any]] = {"summaries": [turns[-1]["text"]], "episodes": [], "procedures": []}
    for turn in turns:
        for triple in understood(turn["text"])["triples"]:
            quote, names = triple["quote"], [triple["subject"], triple["object"]]
            if triple["predicate"] == "uses":
                place = {"first": turn["turn"], "last": turn["turn"]}
                found["episodes"].append({"title": quote, "summary": quote, "entities": names, "quote": quote, **place})
            if triple["predicate"] == "replaces":
                found["procedures"].append({"name": quote, "steps": names, "entities": names, "quote": quote})
    return found


def graded(passages: Sequence[str]) -> dict[str, list[dict[str, int]]]:
    """Grades for passages, by their lengths."""
    return {"grades": [{"passage": n, "grade": 1 + len(text) % 5} for n, text in enumerate(passages, start=1)]}


@dataclass
class Listener:
    """An `LLMClient` that understands the sentences above; `failing` texts get what cannot be read, so many times each.

    `script` has other replies for some texts, and `notes` one for all sessions. `refusing` is what it says to every question
    instead, if anything. `asked` holds the texts of the chunks that it was asked about, `requests` everything.

    `during`, if given, is called once, within the first question: for what happens while a dream waits for a model.
    """

    model: str = "listener"
    failing: Mapping[str, int] = field(default_factory=dict)
    refusing: str | None = None
    script: dict[str, str | Mapping[str, Any]] = field(default_factory=dict)
    notes: Mapping[str, Any] | None = None
    during: Callable[[], object] | None = None
    asked: list[str] = field(default_factory=list)
    requests: list[ChatRequest] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer, or fail as arranged."""
        with self._lock:
            self.requests.append(request)
        if self.refusing is not None:
            raise ReplyError(self.refusing)
        if request.kind == "session":
            return self._reply(request, json.dumps(self.notes or noted(request.material["turns"])))
        if request.kind == "relevance":
            return self._reply(request, json.dumps(graded(request.material["passages"])))
        text, context = str(request.material["text"]), str(request.material["context"])
        with self._lock:
            self.asked.append(text)
            fails = self.asked.count(text) <= self.failing.get(text, 0)
            during, self.during = self.during, None
        if during is not None:
            during()
        if fails:
            return self._reply(request, "I am not sure.")
        said = self.script.get(text, understood(f"{context}\n{text}"))
        return self._reply(request, said if isinstance(said, str) else json.dumps(said))

    def _reply(self, request: ChatRequest, text: str) -> ChatReply:
        """A reply that costs a token a word."""
        return ChatReply(text, self.model, len(request.user.split()), len(text.split()))
