"""Conversations and the small world in which they are dreamt over: what tests about dreaming start from."""

from tests.support.talk import (
    ALIASES,
    DAYS,
    HABITS,
    NOTHING,
    SENTENCES,
    SESSIONS,
    THINGS,
    Listener,
    Turn,
    conversations,
    day,
    examples,
    noted,
    turns,
    understood,
)
from tests.support.world import Clock, Rows, World

__all__ = [
    "ALIASES",
    "DAYS",
    "HABITS",
    "NOTHING",
    "SENTENCES",
    "SESSIONS",
    "THINGS",
    "Clock",
    "Listener",
    "Rows",
    "Turn",
    "World",
    "conversations",
    "day",
    "examples",
    "noted",
    "turns",
    "understood",
]
