"""An upsert as one overwrite of a span of keys: the published rows there that stay, and after them the delivered ones.

Delta-rs 1.6 holds a table's rows in memory to merge others into it. Here only keys are held, a share of them at a time, and one bit
for each published row. Rows outside of the span are no concern of the commit, and files without a row inside it are left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl
from arro3.core import RecordBatchReader
from deltalake import DeltaTable

from contract_core.candidate.columns import columns_of
from contract_core.contract.model import Contract
from contract_core.publication.batches import RowsMissing, counted_frames
from contract_core.publication.classified import tellable
from contract_core.publication.key_spans import span_of
from contract_core.publication.offer import Offer
from contract_core.publication.tables import rows_by_file
from contract_core.publication.windows import in_windows
from contract_core.validation.shares import passes_over, shares

_FILE, _PLACE = "__published_file", "__published_place"


@dataclass(frozen=True, slots=True)
class Overwrite:
    """What replaces the rows for which a predicate is true."""

    predicate: str
    rows: RecordBatchReader


def overwrite_of(table: DeltaTable, offer: Offer, contract: Contract, rows: int) -> Overwrite:
    """The overwrite that puts each of so many rows in place of the published one with its key, or beside the others.

    The span is told by a column of the key that is not classified, since the table's log quotes it; without one it is the whole
    table. Raises as reading does; the rows raise RowsMissing where a file gives others than it was counted to have.
    """
    span = span_of(table, offer.rows, tellable(contract, contract.key))
    files = [frame for path, frame in rows_by_file(table).items() if path in span.files]
    stays = _staying(files, offer.rows.select(columns_of(contract.key)), rows)
    names = offer.types.names()
    kept = (
        frame if span.belongs is None else frame.filter(span.belongs)
        for file, bits in zip(files, stays, strict=True)
        for frame in _rows(file.select(columns_of(names)), bits)
    )
    return Overwrite(span.predicate, counted_frames(offer.types, kept, offer.frames(), rows))


def _staying(files: Sequence[pl.LazyFrame], offered: pl.LazyFrame, rows: int) -> list[pl.Series]:
    """For each file a bit for each row, by its place: false where its key was delivered. `offered` are the keys of `rows` rows."""
    stays = [
        pl.repeat(value=True, n=int(file.select(pl.len()).collect(engine="streaming").item()), eager=True)
        for file in files
    ]
    key = offered.collect_schema().names()
    published = [
        file.select(columns_of(key)).with_row_index(_PLACE).with_columns(pl.lit(number, pl.UInt32()).alias(_FILE))
        for number, file in enumerate(files)
    ]
    by = columns_of(key)
    for share in shares(passes_over(offered, rows, by)) if published else ():
        mine, theirs = share.among(offered, by), share.among(pl.concat(published), by)
        met = theirs.join(mine, on=key, how="semi", nulls_equal=True).select(_FILE, _PLACE).collect(engine="streaming")
        for (number,), places in met.partition_by(_FILE, as_dict=True).items():
            stays[number] = stays[number].scatter(places[_PLACE], False)
    return stays


def _rows(file: pl.LazyFrame, stays: pl.Series) -> Iterator[pl.DataFrame]:
    """The rows of a file that stay. Raises RowsMissing where there are others than bits."""
    place = 0
    for frame in in_windows(file):
        bits = stays.slice(place, frame.height)
        if bits.len() != frame.height:
            raise RowsMissing
        place += frame.height
        yield frame.filter(bits)
    if place != stays.len():
        raise RowsMissing
