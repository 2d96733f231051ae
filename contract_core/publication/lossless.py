"""Physical types that Delta cannot hold, made into ones it can without changing a value, or refused."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl
from polars.datatypes import DataTypeClass

from contract_core.candidate.physical_types import type_words

_MICROSECONDS_PER_MILLISECOND = 1000
_NANOSECONDS_PER_MICROSECOND = 1000
_INT64 = (-(2**63), 2**63 - 1)

_WIDER: Mapping[type[pl.DataType], pl.DataType] = {
    pl.UInt8: pl.Int16(),
    pl.UInt16: pl.Int32(),
    pl.UInt32: pl.Int64(),
    pl.UInt64: pl.Decimal(20, 0),
    pl.Float16: pl.Float32(),
    pl.Categorical: pl.String(),
    pl.Enum: pl.String(),
}
_AS_THEY_ARE = (
    pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Float32, pl.Float64, pl.Decimal, pl.String, pl.Boolean, pl.Date, pl.Binary,
)  # fmt: skip


class Unpublishable(Exception):  # noqa: N818 - no error of ours: it becomes a Problem where the column's name is known
    """Says why a column cannot be published; its text holds types, never values."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a column is published: its expression, its type, and the number of rows that the type cannot hold exactly."""

    rows: pl.Expr
    type: pl.DataType
    inexact: pl.Expr | None = None


def published_form(column: pl.Expr, found: pl.DataType, *, is_family: bool) -> Form:
    """The form of one column. A field that promises a whole family gets the family's widest type, so that deliveries agree."""
    if is_family and found.is_integer():
        return _as_int64(column, found)
    if is_family and found.is_float():
        return Form(column.cast(pl.Float64), pl.Float64())
    match found:
        case pl.Datetime():
            return _as_microseconds(column, found)
        case pl.Duration():
            return _as_number_of_microseconds(column, found)
        case pl.Time():
            return Form(column.dt.to_string("%H:%M:%S%.f"), pl.String())
        case _:
            stored = _stored(found)
            return Form(column if stored == found else column.cast(stored), stored)


def _stored(found: pl.DataType) -> pl.DataType:
    """The type that a plain cast leads to without changing a value, inside lists and records too."""
    match found:
        case pl.List() | pl.Array():
            return pl.List(_stored(instance_of(found.inner)))
        case pl.Struct():
            return pl.Struct({field.name: _stored(instance_of(field.dtype)) for field in found.fields})
        case pl.Datetime(time_unit="us", time_zone=None | "UTC"):
            return found
        case _ if isinstance(found, _AS_THEY_ARE):
            return found
    if type(found) not in _WIDER:
        raise Unpublishable(f"is or holds {type_words(found)}, which a Delta table cannot hold exactly")
    return _WIDER[type(found)]


def instance_of(found: pl.DataType | DataTypeClass) -> pl.DataType:
    """The type itself, where Polars gives its class for the type inside another one."""
    return found if isinstance(found, pl.DataType) else found()


def _as_int64(column: pl.Expr, found: pl.DataType) -> Form:
    if found == pl.UInt64:
        narrow = column.cast(pl.Int64, strict=False)
        return Form(narrow, pl.Int64(), (column.is_not_null() & narrow.is_null()).sum())
    return Form(column.cast(pl.Int64), pl.Int64())


def _as_microseconds(column: pl.Expr, found: pl.Datetime) -> Form:
    target = pl.Datetime("us", None if found.time_zone is None else "UTC")
    moment = column if found.time_zone is None else column.dt.convert_time_zone("UTC")
    ticks = column.to_physical()
    return Form(moment.dt.cast_time_unit("us"), target, _inexact(ticks, found.time_unit))


def _as_number_of_microseconds(column: pl.Expr, found: pl.Duration) -> Form:
    ticks = column.to_physical()
    per_tick: Mapping[str, pl.Expr] = {
        "ms": ticks * _MICROSECONDS_PER_MILLISECOND,
        "us": ticks,
        "ns": ticks // _NANOSECONDS_PER_MICROSECOND,
    }
    return Form(per_tick[found.time_unit], pl.Int64(), _inexact(ticks, found.time_unit))


def _inexact(ticks: pl.Expr, unit: str) -> pl.Expr | None:
    if unit == "ns":
        return (ticks % _NANOSECONDS_PER_MICROSECOND != 0).sum()
    if unit == "ms":
        largest = _INT64[1] // _MICROSECONDS_PER_MILLISECOND
        return (~ticks.is_between(-largest, largest)).sum()
    return None
