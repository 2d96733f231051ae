"""LogicalType → the one Polars type that its text is decoded to. Which other types it takes is known in `schema_match`."""

from collections.abc import Mapping

import polars as pl
from polars._typing import TimeUnit

from contract_core.contract.logical_type import Family, LogicalType

INTEGERS: Mapping[tuple[bool, int], type[pl.DataType]] = {
    (True, 8): pl.Int8,
    (True, 16): pl.Int16,
    (True, 32): pl.Int32,
    (True, 64): pl.Int64,
    (False, 8): pl.UInt8,
    (False, 16): pl.UInt16,
    (False, 32): pl.UInt32,
    (False, 64): pl.UInt64,
}
_PLAIN: Mapping[Family, pl.DataType] = {
    Family.STRING: pl.String(),
    Family.OBJECT: pl.String(),
    Family.ARRAY: pl.String(),
    Family.BOOLEAN: pl.Boolean(),
    Family.DATE: pl.Date(),
    Family.TIME: pl.Time(),
    Family.DURATION: pl.Duration("us"),
    Family.BINARY: pl.Binary(),
}
_UNITS: Mapping[str, TimeUnit] = {"ms": "ms", "us": "us", "ns": "ns"}


def decoded_dtype(promised: LogicalType) -> pl.DataType:
    """The Polars type that text of this type is decoded to; for an exact type, the only one that it takes."""
    match promised.family:
        case Family.INTEGER:
            return INTEGERS[promised.signed, promised.bits or 64]()
        case Family.NUMBER if promised.precision is not None:
            return pl.Decimal(promised.precision, promised.scale or 0)
        case Family.NUMBER:
            return pl.Float32() if promised.bits == 32 else pl.Float64()
        case Family.TIMESTAMP:
            return timestamp_dtype(promised)
        case _:
            return _PLAIN[promised.family]


def timestamp_dtype(promised: LogicalType) -> pl.Datetime:
    """The Polars type of a timestamp: microseconds without a zone, unless the type names others."""
    return pl.Datetime(_UNITS[promised.unit or "us"], promised.timezone)


def type_words(found: pl.DataType) -> str:
    """A physical type in words that hold nothing of the delivery: no name inside a record, no category."""
    match found:
        case pl.Struct():
            return f"Struct({len(found.fields)} fields)"
        case pl.List() | pl.Array():
            inner = found.inner if isinstance(found.inner, pl.DataType) else found.inner()
            return f"{type(found).__name__}({type_words(inner)})"
        case pl.Enum() | pl.Categorical():
            return type(found).__name__
        case _:
            return str(found)
