"""Arithmetic that is true for a number and for a column of numbers.

The same formula ranks one edge in a running agent, where pandas is not loaded, and a million edges in a dream. Most of
it is operators, which both understand; the few functions that are not stand here. numpy is imported by the first
array that comes in, and never for a number.
"""

import math
from typing import Any, TypeAlias

Quantity: TypeAlias = Any
"""A number, a numpy array or a pandas column; arrays give arrays, columns give columns."""


def is_column(quantity: Quantity) -> bool:
    """Whether `quantity` is an array or a column, not a plain number."""
    return hasattr(quantity, "__array__")


def exponential(quantity: Quantity) -> Quantity:
    """Euler's number to the power of `quantity`."""
    if not is_column(quantity):
        return math.exp(quantity)
    import numpy

    return numpy.exp(quantity)


def logarithm(quantity: Quantity) -> Quantity:
    """The natural logarithm; of what is not above 0, that of a very small number."""
    if not is_column(quantity):
        return math.log(max(quantity, 1e-300))
    import numpy

    return numpy.log(numpy.maximum(quantity, 1e-300))


def at_least(floor: float, quantity: Quantity) -> Quantity:
    """`quantity`, or `floor` where it lies below."""
    if not is_column(quantity):
        return max(quantity, floor)
    import numpy

    return numpy.maximum(quantity, floor)


def at_most(ceiling: float, quantity: Quantity) -> Quantity:
    """`quantity`, or `ceiling` where it lies above."""
    if not is_column(quantity):
        return min(quantity, ceiling)
    import numpy

    return numpy.minimum(quantity, ceiling)
