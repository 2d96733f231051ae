"""Lazy rows as the stream of batches that delta-rs reads, with every row accounted for.

Polars 2.1 ends such a stream without a word where a query panics: a writer would commit what came until then.
"""

from collections.abc import Iterator

import polars as pl
from arro3.core import RecordBatch, RecordBatchReader, Table

_ROWS_PER_BATCH = 100_000
"""What is in memory at a time. Deliveries up to this size keep their row order; delta-rs mixes the batches of larger ones."""


class RowsMissing(Exception):  # noqa: N818 - no error of ours: who writes says what it means
    """The stream ended with other rows than were decided on."""


def counted(rows: pl.LazyFrame, expected: int) -> RecordBatchReader:
    """The rows, batch by batch. Raises RowsMissing at their end, inside the write, where they are not as many as expected."""
    empty = Table.from_arrow(pl.DataFrame(schema=rows.collect_schema()))
    return RecordBatchReader.from_batches(empty.schema, _batches(rows, expected))


def _batches(rows: pl.LazyFrame, expected: int) -> Iterator[RecordBatch]:
    seen = 0
    for frame in rows.collect_batches(lazy=True, chunk_size=_ROWS_PER_BATCH):
        seen += frame.height
        yield from Table.from_arrow(frame).to_batches()
    if seen != expected:
        raise RowsMissing
