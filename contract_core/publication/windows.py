"""Rows of one file as a stream of small batches: read window by window, so that memory does not grow with the file.

Polars 2.1 reads several row groups ahead where it streams, and delta-rs 1.6 queues the batches that it is given, whatever their
size. A window is one row group of a candidate at most, and a batch is what the queue can hold many of.
"""

from collections.abc import Callable, Iterator

import polars as pl

WINDOW_ROWS, BATCH_ROWS = 250_000, 25_000
"""A window ends where a row group does that the gate wrote, or each group would be read once for every window that it is in."""

WINDOW_BYTES, BATCH_BYTES = 64 * 1024 * 1024, 8 * 1024 * 1024
_FIRST_ROWS = 10_000


def in_windows(rows: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """The rows in their order, as frames of a few megabytes. `rows` must be a file's, each made from one row of it."""
    yield from sifted_in_windows(rows.slice, int(rows.select(pl.len()).collect(engine="streaming").item()))


def sifted_in_windows(window: Callable[[int, int], pl.LazyFrame], count: int) -> Iterator[pl.DataFrame]:
    """The same where not each row of a file makes one: what `window` makes of a stretch of its `count` rows, from where it begins and
    how many rows it has.

    How wide rows are is learnt from those before: the first window is small, and wide rows make later ones small too.
    """
    begin, allowed = 0, _FIRST_ROWS
    while begin < count:
        size = min(allowed, WINDOW_ROWS - begin % WINDOW_ROWS)
        made = window(begin, size).collect(engine="streaming")
        begin, allowed = begin + size, 2 * allowed
        if not made.is_empty():
            width = max(1, int(made.estimated_size()) // made.height)
            yield from made.iter_slices(_fitting(BATCH_BYTES, width, BATCH_ROWS))
            allowed = _fitting(WINDOW_BYTES, width, WINDOW_ROWS)


def _fitting(size: int, width: int, most: int) -> int:
    """How many rows of a width fit into a size."""
    return max(1, min(most, size // width))
