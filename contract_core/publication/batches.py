"""Lazy rows as the stream of batches that delta-rs reads, with every row accounted for.

Polars 2.1 ends such a stream without a word where a query panics: a writer would commit what came until then.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import polars as pl
from arro3.core import RecordBatch, RecordBatchReader, Table

from contract_core.publication.windows import BATCH_ROWS, in_windows


class RowsMissing(Exception):  # noqa: N818 - no error of ours: who writes says what it means
    """The stream ended with other rows than were decided on."""


def counted(rows: pl.LazyFrame, expected: int) -> RecordBatchReader:
    """The rows, batch by batch. Raises RowsMissing at their end, inside the write, where they are not as many as expected."""
    return _reader(rows, rows.collect_batches(lazy=True, chunk_size=BATCH_ROWS), expected)


def counted_in_windows(rows: pl.LazyFrame, expected: int) -> RecordBatchReader:
    """The same for rows that are a file's, each made from one row of it; in memory that does not grow with the file."""
    return _reader(rows, in_windows(rows), expected)


def counted_frames(
    types: pl.Schema, before: Iterable[pl.DataFrame], frames: Iterable[pl.DataFrame], expected: int
) -> RecordBatchReader:
    """The same for frames; those that come before them are not counted."""
    empty = Table.from_arrow(pl.DataFrame(schema=types))
    uncounted = (batch for frame in before for batch in Table.from_arrow(frame).to_batches())
    return RecordBatchReader.from_batches(empty.schema, chain(uncounted, _batches(frames, expected)))


def _reader(rows: pl.LazyFrame, frames: Iterable[pl.DataFrame], expected: int) -> RecordBatchReader:
    return counted_frames(rows.collect_schema(), (), frames, expected)


def _batches(frames: Iterable[pl.DataFrame], expected: int) -> Iterator[RecordBatch]:
    """Deliveries of one batch keep their row order; delta-rs mixes the batches of larger ones."""
    seen = 0
    for frame in frames:
        seen += frame.height
        yield from Table.from_arrow(frame).to_batches()
    if seen != expected:
        raise RowsMissing
