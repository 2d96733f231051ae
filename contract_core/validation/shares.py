"""Rows in shares by the hash of a key: rows with equal keys are in the same share, so that each is looked at in a pass of its own.

What a question must hold in memory is bounded by that of one share, and the counts of all shares add up to the answer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import polars as pl

MOST_HELD = 2_000_000
"""How many rows are held at a time, with their keys and what is compared: 100 to 800 MB. More are looked at in several passes."""
FEW_KEYS = 100_000
"""So many keys are held at once whatever the rows: they are counted as the rows stream by."""
_ODD = pl.lit(0x9E37_79B9_7F4A_7C15, pl.UInt64)
"""Keeps (a, b) apart from (b, a) where the hashes of several columns become one."""
_HIGH = 2**32
"""The upper half of a hash tells the share: where two columns hold the same, their joined hashes are all even."""


@dataclass(frozen=True, slots=True)
class Share:
    """One of several shares of all rows."""

    number: int = 0
    passes: int = 1

    def among(self, rows: pl.LazyFrame, key: Iterable[pl.Expr]) -> pl.LazyFrame:
        """The rows of this share; rows of two tables whose keys are equal and of one type are of the same share of both."""
        return rows if self.passes == 1 else rows.filter(self.holds(key))

    def holds(self, key: Iterable[pl.Expr]) -> pl.Expr:
        """True where a row is of this share."""
        return hash_of(key) // _HIGH % self.passes == self.number


WHOLE = Share()


def shares(passes: int) -> tuple[Share, ...]:
    """All of them."""
    return tuple(Share(number, passes) for number in range(passes))


def hash_of(key: Iterable[pl.Expr]) -> pl.Expr:
    """The same for values that a join or a group takes for equal: two nulls, two NaNs, 0.0 and -0.0.

    The hashes of several columns are joined, which takes half as long as to hash them as one struct.
    """
    return reduce(lambda found, one: found * _ODD + one, (part.hash() for part in key))


def is_too_much(count: int) -> bool:
    """True for more rows than are held at a time."""
    return count > MOST_HELD


def passes_over(rows: pl.LazyFrame, count: int, key: Sequence[pl.Expr]) -> int:
    """In how many passes rows are looked at by their key; `count` is about how many there are.

    Of many rows it is estimated whether they have few keys, which a single pass can hold.
    """
    is_held = not is_too_much(count) or _estimated(rows, [key]) <= FEW_KEYS
    return 1 if is_held else passes_for(count)


def passes_for(count: int) -> int:
    """In how many passes so many are held."""
    return -(-count // MOST_HELD)


def passes_over_values(rows: pl.LazyFrame, count: int, values: Iterable[Sequence[pl.Expr]]) -> int:
    """In how many passes the different values of each of these are held at once; `count` is about how many rows there are."""
    asked = list(values)
    if not asked or not is_too_much(count):
        return 1
    held = _estimated(rows, asked) * 9 // 10  # an estimate is off by some hundredths
    return 1 if held <= FEW_KEYS else passes_for(held)


def _estimated(rows: pl.LazyFrame, values: Iterable[Sequence[pl.Expr]]) -> int:
    different = [hash_of(each).approx_n_unique().alias(f"{place}") for place, each in enumerate(values)]
    return sum(rows.select(different).collect(engine="streaming").row(0))


def added_up(question: Callable[[Share], pl.LazyFrame], passes: int) -> dict[str, Any]:
    """The one row of counts that a question has for an answer, asked of one share after the other and added up."""
    found: dict[str, Any] = {}
    for share in shares(passes):
        found = _sum(found, question(share).collect(engine="streaming").row(0, named=True))
    return found


def _sum(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _sum(first.get(name, {}), value) if isinstance(value, Mapping) else first.get(name, 0) + value
        for name, value in second.items()
    }
