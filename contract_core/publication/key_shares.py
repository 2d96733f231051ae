"""Keys that are looked up in shares, by their hashes: no more than one share of them is held in memory at a time."""

from collections.abc import Iterator, Sequence

import polars as pl

MOST_KEYS = 2_000_000
"""How many keys of a delivery are held at a time: about 200 MB where they are short texts. More are looked up in several passes."""


def shares_of(rows: int) -> Iterator[tuple[int, int]]:
    """The number of each share and how many there are, for so many rows."""
    shares = max(1, -(-rows // MOST_KEYS))
    return ((number, shares) for number in range(shares))


def share(rows: pl.LazyFrame, by: Sequence[str], number: int, shares: int) -> pl.LazyFrame:
    """The rows whose key belongs to a share; equal keys are in the same one, two nulls, two NaNs, 0.0 and -0.0 too."""
    return rows if shares == 1 else rows.filter(pl.struct(pl.col(name) for name in by).hash() % shares == number)
