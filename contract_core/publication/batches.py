"""Frames of rows as the stream of batches that delta-rs reads, with every row accounted for.

Polars 2.1 ends such a stream without a word where a query panics: a writer would commit what came until then.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import polars as pl
from arro3.core import RecordBatch, RecordBatchReader, Table


class RowsMissing(Exception):  # noqa: N818 - no error of ours: who writes says what it means
    """The stream ended with other rows than were decided on."""


def counted_frames(
    types: pl.Schema, before: Iterable[pl.DataFrame], frames: Iterable[pl.DataFrame], expected: int
) -> RecordBatchReader:
    """Frames, batch by batch; those that come before them are not counted.

    Raises RowsMissing at their end, inside the write, where they have not as many rows as expected.
    """
    empty = Table.from_arrow(pl.DataFrame(schema=types))
    uncounted = (batch for frame in before for batch in Table.from_arrow(frame).to_batches())
    return RecordBatchReader.from_batches(empty.schema, chain(uncounted, _batches(frames, expected)))


def _batches(frames: Iterable[pl.DataFrame], expected: int) -> Iterator[RecordBatch]:
    """Deliveries of one batch keep their row order; delta-rs mixes the batches of larger ones."""
    seen = 0
    for frame in frames:
        seen += frame.height
        yield from Table.from_arrow(frame).to_batches()
    if seen != expected:
        raise RowsMissing
