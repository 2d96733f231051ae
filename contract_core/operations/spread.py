"""How numbers of one kind are spread: how many, their sum, the least, the middle and the most of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from statistics import median


@dataclass(frozen=True, slots=True)
class Spread:
    """Of no numbers at all nothing but count and total is known: no least, middle or most of them is invented."""

    count: int = 0
    total: float = 0.0
    least: float | None = None
    middle: float | None = None
    most: float | None = None


def spread_of(numbers: Iterable[float]) -> Spread:
    """The spread of these numbers, in whatever order they come."""
    known = sorted(numbers)
    return Spread(len(known), fsum(known), known[0], median(known), known[-1]) if known else Spread()
