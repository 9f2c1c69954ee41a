"""How an edge fades: when its topic returns and the fact is not restated.

Time alone takes nothing away; a dormant topic is left as it was. The time since an edge was last reinforced is cut into
windows. The first is a period of grace; each later one in which the topic came up without the fact counts once against
it. As times are the messages' own, fading depends on what was said and not on how often HyMem dreams.
"""

from typing import Final, Literal

from hymem.quantities import Quantity, is_column

MICROSECONDS_PER_DAY: Final = 86_400_000_000

Status = Literal["active", "stale", "retracted"]
"""`active`: believed. `stale`: believed, though its topic returned without it. `retracted`: kept for audit only."""

ACTIVE: Final = "active"
STALE: Final = "stale"
RETRACTED: Final = "retracted"


def decay_window_index(last_reinforced: Quantity, at: Quantity, window: Quantity) -> Quantity:
    """In which window since its last reinforcement something happened: 0 in the period of grace, then 1, 2, ….

    What happened before the reinforcement has a negative index. The three share one unit, which must be whole
    (microseconds, days) for a moment on a window's edge to fall on the right side of it; datetimes with a timedelta do.
    """
    return (at - last_reinforced) // window


def is_past_grace(window_index: Quantity) -> Quantity:
    """Whether a window may count against the edge."""
    return window_index >= 1


def elapsed_days(since: Quantity, until: Quantity) -> Quantity:
    """Days, with their fraction, between two moments in microseconds; negative where `until` comes first."""
    return (until - since) / MICROSECONDS_PER_DAY


def edge_status(
    confidence: Quantity, decay_windows: Quantity, retracted_by_person: Quantity, retract_threshold: float
) -> Quantity:
    """What recall may do with an edge: a `Status`, or for columns an array of them in the same order."""
    retracted = retracted_by_person | (confidence < retract_threshold)
    stale = decay_windows > 0
    if is_column(retracted) or is_column(stale):
        import numpy

        return numpy.where(retracted, RETRACTED, numpy.where(stale, STALE, ACTIVE))
    return RETRACTED if retracted else STALE if stale else ACTIVE
