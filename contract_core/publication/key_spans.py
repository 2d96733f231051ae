"""The part of a published table that a delivery's keys lie in: as narrow as one column of the key tells it.

A predicate on that column is what Delta replaces, so that files without such a row are neither read nor written.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl
from deltalake import DeltaTable

from contract_core.candidate.columns import column, columns_of
from contract_core.publication.replacement import WHOLE_TABLE, quoted_name, quoted_text

_PLAIN_TEXT = re.compile(r"[A-Za-z0-9 _.:/@+-]{1,100}")
_LOW, _HIGH, _NULLS = "low", "high", "nulls"
Value = int | date | str


@dataclass(frozen=True, slots=True)
class Span:
    """A predicate, the expression that is true for rows inside it (None for all), and the paths of the files that may hold one."""

    predicate: str
    files: frozenset[str]
    size: int
    belongs: pl.Expr | None = None


def span_of(table: DeltaTable, offered: pl.LazyFrame, columns: Sequence[str]) -> Span:
    """The span of that one of the columns that leaves most of the table's files alone; the whole table where none leaves any."""
    files = pl.DataFrame(table.get_add_actions(flatten=True))
    whole = Span(WHOLE_TABLE, frozenset(files["path"]), int(files["size_bytes"].sum()))
    types = offered.select(columns_of(columns)).collect_schema()
    usable = [name for name in columns if types[name].is_integer() or types[name] in (pl.Date, pl.String)]
    if not usable or files.is_empty():
        return whole
    bounds = offered.select(
        bound.alias(f"{place}{which}")
        for place, name in enumerate(usable)
        for which, bound in (
            (_LOW, column(name).min()), (_HIGH, column(name).max()), (_NULLS, column(name).null_count()),
        )
    ).collect(engine="streaming").row(0, named=True)  # fmt: skip
    spans = [_span(name, f"{place}", bounds, files) for place, name in enumerate(usable)]
    return min([whole, *(span for span in spans if span is not None)], key=lambda span: span.size)


def _span(name: str, place: str, bounds: Mapping[str, Value], files: pl.DataFrame) -> Span | None:
    """The span of one column; None where its values have none that can be written down: a null, or a text of unusual signs."""
    low, high = bounds[place + _LOW], bounds[place + _HIGH]
    if bounds[place + _NULLS] or not (_is_plain(low) and _is_plain(high)):
        return None
    inside = files.filter(_may_hold(name, low, high, files))
    predicate = f"{quoted_name(name)} >= {_literal(low)} AND {quoted_name(name)} <= {_literal(high)}"
    belongs = column(name).is_between(pl.lit(low), pl.lit(high)).fill_null(value=False)
    return Span(predicate, frozenset(inside["path"]), int(inside["size_bytes"].sum()), belongs)


def _may_hold(name: str, low: Value, high: Value, files: pl.DataFrame) -> pl.Expr:
    """False for a file whose statistics show that it has no such value; what has no statistics may."""
    folder, least, most = f"partition.{name}", f"min.{name}", f"max.{name}"
    if folder in files.columns:
        least = most = folder
    if not all(_is_like(files.schema.get(told), low) for told in (least, most)):
        return pl.lit(value=True)
    return ((column(least) <= high) & (column(most) >= low)).fill_null(value=True)


def _is_like(found: pl.DataType | None, value: Value) -> bool:
    """True where statistics are of a value's kind; those of a column of nothing but nulls are of none."""
    if found is None or isinstance(value, int):
        return found is not None and found.is_integer()
    return found == (pl.String if isinstance(value, str) else pl.Date)


def _is_plain(value: Value | None) -> bool:
    return value is not None and (not isinstance(value, str) or _PLAIN_TEXT.fullmatch(value) is not None)


def _literal(value: Value) -> str:
    return str(value) if isinstance(value, int) else quoted_text(str(value))
