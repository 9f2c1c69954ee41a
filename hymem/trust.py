"""How far a told fact is trusted: one half at first, a little more with each word that it helped, less with each that it did not.

An unhelpful fact costs more than a helpful one earns: a wrong memory does more harm than a missing one. Trust stays between 0
and 1 after every step, and is kept to six digits, so that three tenths are three tenths however they were reached.
"""

import math
from collections.abc import Iterable
from typing import Final

from hymem.errors import InputError

DEFAULT_TRUST: Final = 0.5
HELPFUL: Final = 0.05
UNHELPFUL: Final = -0.10
LEAST_SERVED: Final = 0.3
"""Facts that are trusted less are not found, unless it is asked for."""

CHANGES: Final = {"helpful": HELPFUL, "unhelpful": UNHELPFUL}


def changed_trust(trust: float, change: float) -> float:
    """Trust after a change, from 0 to 1."""
    return round(min(1.0, max(0.0, trust + change)), 6)


def trust_after(first: float, changes: Iterable[float]) -> float:
    """Trust after changes, in their order: at the ends of the scale, order matters."""
    trust = changed_trust(first, 0.0)
    for change in changes:
        trust = changed_trust(trust, change)
    return trust


def checked_trust(value: object, name: str = "trust", least: float = 0.0) -> float:
    """The value as a number from `least` to 1, or `InputError`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{name} must be a number from {least:g} to 1, not {value!r:.40}")
    if not least <= value <= 1:
        raise InputError(f"{name} must lie between {least:g} and 1, not at {value:g}")
    return float(value)
