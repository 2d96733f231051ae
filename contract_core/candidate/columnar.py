"""A Parquet or Arrow file → its columns with the physical types they were delivered with."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from contract_core.candidate.arrow_footer import ARROW_MAGIC, is_consistent
from contract_core.candidate.text_lines import Unreadable

PARQUET_MAGIC = b"PAR1"
READ_FAILURES: tuple[type[BaseException], ...] = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


@dataclass(frozen=True, slots=True)
class ColumnarTable:
    """What the footer says, and the rows, which nobody has read yet."""

    schema: dict[str, pl.DataType]
    rows: int
    frame: pl.LazyFrame


def read_parquet(path: Path) -> ColumnarTable:
    """The file's columns; raises Unreadable where it is no Parquet file or its footer cannot be read."""
    _refuse_foreign(path, PARQUET_MAGIC, "Parquet")
    with path.open("rb") as stream:
        stream.seek(-len(PARQUET_MAGIC), 2)
        if stream.read() != PARQUET_MAGIC:
            raise Unreadable("the Parquet footer is damaged")
    return _read(pl.scan_parquet(path, glob=False, hive_partitioning=False), "the Parquet footer is damaged")


def read_ipc(path: Path) -> ColumnarTable:
    """The file's columns; raises Unreadable where it is no Arrow file or its footer cannot be read."""
    _refuse_foreign(path, ARROW_MAGIC, "Arrow")
    if not is_consistent(path):
        raise Unreadable("the Arrow footer is damaged")
    return _read(pl.scan_ipc(path, glob=False, hive_partitioning=False), "the Arrow footer is damaged")


def as_stored(dtype: pl.DataType) -> pl.DataType:
    """The type a column has in the candidate: its own, but text for categories, which is exact."""
    return pl.String() if isinstance(dtype, pl.Categorical | pl.Enum) else dtype


def stored(values: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A delivered column in the type that `as_stored` gives it."""
    if not isinstance(dtype, pl.Categorical | pl.Enum):
        return values
    return values.map_batches(_category_texts, return_dtype=pl.String, is_elementwise=True)


def _category_texts(categories: pl.Series) -> pl.Series:
    """The text of each category, written out once: the cast of Polars 2.1 copies it for every row."""
    different = categories.unique().drop_nulls()
    order = different.to_physical().arg_sort()
    codes = different.to_physical().gather(order)
    places = codes.search_sorted(categories.to_physical())
    known = pl.select(pl.when(categories.is_not_null()).then(places)).to_series()
    return different.cast(pl.String).gather(order).gather(known)


def _refuse_foreign(path: Path, magic: bytes, kind: str) -> None:
    size = path.stat().st_size
    if size < 2 * len(magic):
        raise Unreadable(f"not {'an' if kind == 'Arrow' else 'a'} {kind} file: {size} bytes")
    with path.open("rb") as stream:
        if stream.read(len(magic)) != magic:
            raise Unreadable(f"not {'an' if kind == 'Arrow' else 'a'} {kind} file")


def _read(frame: pl.LazyFrame, damage: str) -> ColumnarTable:
    try:
        schema = dict(frame.collect_schema())
        rows = frame.select(pl.len()).collect(engine="streaming").item() if schema else 0
    except READ_FAILURES:
        raise Unreadable(damage) from None
    return ColumnarTable(schema, int(rows), frame)
