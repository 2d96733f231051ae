"""The types of a contract as columns of a database: what holds every value that the gate lets through, and where that is only nearly so."""

from collections.abc import Mapping

import polars as pl
from sqlglot import exp

from contract_core.contract.logical_type import Family, LogicalType

_FAMILIES: Mapping[Family, pl.DataType] = {
    Family.STRING: pl.String(),
    Family.INTEGER: pl.Int64(),
    Family.NUMBER: pl.Float64(),
    Family.BOOLEAN: pl.Boolean(),
    Family.DATE: pl.Date(),
    Family.TIMESTAMP: pl.Datetime("us"),
    Family.TIME: pl.Time(),
    Family.DURATION: pl.Int64(),
    Family.BINARY: pl.Binary(),
    Family.OBJECT: pl.String(),
    Family.ARRAY: pl.String(),
}
_SIGNED: Mapping[int, pl.DataType] = {8: pl.Int8(), 16: pl.Int16(), 32: pl.Int32(), 64: pl.Int64()}
_UNSIGNED: Mapping[int, pl.DataType] = {8: pl.Int16(), 16: pl.Int32(), 32: pl.Int64(), 64: pl.Decimal(20, 0)}
_NAMES: Mapping[type[pl.DataType], exp.DType] = {
    pl.String: exp.DType.TEXT,
    pl.Int8: exp.DType.TINYINT,
    pl.Int16: exp.DType.SMALLINT,
    pl.Int32: exp.DType.INT,
    pl.Int64: exp.DType.BIGINT,
    pl.Float32: exp.DType.FLOAT,
    pl.Float64: exp.DType.DOUBLE,
    pl.Boolean: exp.DType.BOOLEAN,
    pl.Date: exp.DType.DATE,
    pl.Binary: exp.DType.BINARY,
}
_AS_JSON = "it is written as the text of its JSON"
_NEARLY: Mapping[Family, str] = {
    Family.INTEGER: "it is written as a whole number of 64 bits, and unsigned ones may be larger",
    Family.NUMBER: "it is written as a double, which has no more than 15 to 17 digits of a decimal",
    Family.TIMESTAMP: "it is written without a time zone in microseconds, and a delivery may bring both otherwise",
    Family.DURATION: "it is written as a number of microseconds",
    Family.OBJECT: _AS_JSON,
    Family.ARRAY: _AS_JSON,
}


def stored_type(promised: LogicalType) -> pl.DataType:
    """The type by which rules about the column are written: the next that is signed and holds every value."""
    if promised.precision is not None:
        return pl.Decimal(promised.precision, promised.scale or 0)
    if promised.family is Family.INTEGER and promised.bits is not None:
        return (_SIGNED if promised.signed else _UNSIGNED)[promised.bits]
    if promised.family is Family.NUMBER and promised.bits == 32:
        return pl.Float32()
    if promised.timezone is not None:
        return pl.Datetime("us", "UTC")
    return _FAMILIES[promised.family]


def column_type(promised: LogicalType, dialect: str) -> exp.DataType:
    """The column's type in SQL. Spark has no time of day, which is a text there."""
    match stored_type(promised):
        case pl.Decimal() as found:
            return exp.DataType.build(f"DECIMAL({found.precision}, {found.scale})")
        case pl.Datetime() as found:
            return exp.DataType(this=exp.DType.TIMESTAMPTZ if found.time_zone else exp.DType.TIMESTAMPNTZ)
        case pl.Time():
            return exp.DataType(this=exp.DType.TEXT if dialect == "delta" else exp.DType.TIME)
        case found:
            return exp.DataType(this=_NAMES[type(found)])


def whole_range(promised: LogicalType, dialect: str) -> tuple[int, int] | None:
    """The range of a whole number whose column holds more; None where the column's own range is that of the type."""
    if promised.family is not Family.INTEGER or promised.bits is None:
        return None
    is_wider = not promised.signed or (promised.bits == 8 and dialect == "postgres") or dialect == "snowflake"
    low, high = (
        (-(2 ** (promised.bits - 1)), 2 ** (promised.bits - 1) - 1) if promised.signed else (0, 2**promised.bits - 1)
    )
    return (low, high) if is_wider else None


def nearly(promised: LogicalType, dialect: str) -> str:
    """Where the column differs from what the type lets through; nothing where it does not."""
    if promised.family is Family.TIME and dialect == "delta":
        return "it is written as text, since Delta has no time of day"
    if promised.family is Family.TIMESTAMP and promised.unit == "ns":
        return "it is written in microseconds"
    if promised.is_exact and promised.family is not Family.DURATION:
        return ""
    return _NEARLY.get(promised.family, "")
