"""Where a told fact comes from: who told it when, in which message, how it was reworded, and how its trust was reckoned."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from hymem.errors import UnknownError
from hymem.redaction import redacted
from hymem.store.connection import Connection
from hymem.store.facts.history import History, fact_in_these_words, history_of
from hymem.store.messages import messages_by_id
from hymem.told_facts import FactAct, standing
from hymem.trust import CHANGES, changed_trust
from serving.recall.origin import Origin, origin_of_message

TOLD_FACT: Final = "told fact"
_NUMBER: Final = re.compile(r"(?:(?:told )?fact ?#?|#)(?P<number>[1-9][0-9]{0,17})", re.IGNORECASE)
_FEEDBACK: Final = {"helpful": "it helped", "unhelpful": "it did not help", "update": "its trust was changed"}


def origin_of_number(connection: Connection, what: str) -> Origin | None:
    """The origin of the told fact that "fact 12" or "#12" calls; None for what is no such call.

    Raises `UnknownError` where there is no fact of that number.
    """
    called = _NUMBER.fullmatch(what.strip())
    if called is None:
        return None
    history = history_of(connection, int(called["number"]))
    if history is None:
        raise UnknownError(f"there is no told fact {called['number']}: `hymem show facts` lists them")
    return _origin(connection, history)


def origin_of_words(connection: Connection, what: str) -> Origin | None:
    """The origin of the told fact that reads so, or once did; None where none does."""
    fact_id = fact_in_these_words(connection, what.strip())
    history = None if fact_id is None else history_of(connection, fact_id)
    return None if history is None else _origin(connection, history)


def _origin(connection: Connection, history: History) -> Origin:
    told, acts = history.told, [act for act, _ in history.acts]
    fact = standing(told, acts)
    first = redacted(told.content)
    messages = _messages(connection, history)
    telling = Origin(
        "telling",
        f'{told.peer_id} told it: "{first}"',
        f"trusted {told.trust:g} at first",
        sign="+",
        at=told.created_at,
        steps=messages.get(history.message_id, ()),
    )
    return Origin(
        TOLD_FACT,
        fact.content if fact else f"{first} (removed)",
        _arithmetic(told.trust, acts),
        id=str(told.fact_id),
        at=fact.updated_at if fact else acts[-1].created_at,
        name=fact.content if fact else first,
        steps=(telling, *_acts(history, messages)),
    )


def _messages(connection: Connection, history: History) -> dict[str | None, tuple[Origin, ...]]:
    ids = {history.message_id, *(message_id for _, message_id in history.acts)} - {None}
    found = messages_by_id(connection, [one for one in ids if one is not None])
    return {said.message_id: (origin_of_message(said),) for said in found.values()}


def _acts(history: History, messages: dict[str | None, tuple[Origin, ...]]) -> Iterator[Origin]:
    trust = changed_trust(history.told.trust, 0.0)
    for act, message_id in history.acts:
        steps = messages.get(message_id, ())
        if act.act == "remove":
            yield Origin("removal", "it is to be found no more", sign="-", at=act.created_at, steps=steps)
        if changed := _rewording(act):
            yield Origin("rewording", changed, at=act.created_at, steps=steps)
        if change := _change(act):
            after = changed_trust(trust, change)
            sum_ = f"{trust:g}{_term(trust, change)} = {after:g}"
            yield Origin(
                "feedback", _FEEDBACK[act.act], sum_, "+" if change > 0 else "-", at=act.created_at, steps=steps
            )
            trust = after


def _rewording(act: FactAct) -> str:
    """What an update made of it: the new words, category and tags, of those that it changed."""
    told = [] if act.content is None else [f'it reads "{redacted(act.content)}"']
    told += [] if act.category is None else [f"its category is {act.category}"]
    told += [] if act.tags is None else [f"its tags are {redacted(act.tags) or 'none'}"]
    return ", ".join(told)


def _change(act: FactAct) -> float:
    return CHANGES.get(act.act, act.trust_change) or 0.0


def _arithmetic(first: float, acts: Iterable[FactAct]) -> str:
    """The whole reckoning: "trust 0.5 + 0.05 − 0.1 = 0.45: 1 helpful, 1 unhelpful"."""
    trust, told, marks = changed_trust(first, 0.0), f"trust {first:g}", list(acts)
    for change in filter(None, map(_change, marks)):
        told += _term(trust, change)
        trust = changed_trust(trust, change)
    helpful, unhelpful = (sum(act.act == mark for act in marks) for mark in ("helpful", "unhelpful"))
    total = f" = {trust:g}" if any(map(_change, marks)) else ""
    return f"{told}{total}: {helpful} helpful, {unhelpful} unhelpful"


def _term(trust: float, change: float) -> str:
    """One summand; where it would leave the scale, at which end trust is held."""
    term = f" {'+' if change > 0 else '−'} {abs(change):g}"
    held = changed_trust(trust, change)
    return term if abs(trust + change - held) < 1e-6 else f"{term} (held at {held:g})"
