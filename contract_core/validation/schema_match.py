"""Columns and types, before any row is read: does what is there fit what was promised? LogicalType ↔ Polars, only here."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from contract_core.contract.logical_type import Family, LogicalType

RAW = "__raw."
ABSENT = "__absent."
NOT_OBJECT = "__not_object"
FILE = "__file"
ROW = "__row"
PART = "__part"

_INTEGERS: Mapping[tuple[bool, int], type[pl.DataType]] = {
    (True, 8): pl.Int8,
    (True, 16): pl.Int16,
    (True, 32): pl.Int32,
    (True, 64): pl.Int64,
    (False, 8): pl.UInt8,
    (False, 16): pl.UInt16,
    (False, 32): pl.UInt32,
    (False, 64): pl.UInt64,
}
_FLOATS: Mapping[int, type[pl.DataType]] = {32: pl.Float32, 64: pl.Float64}
_FAMILIES: Mapping[Family, tuple[type[pl.DataType], ...]] = {
    Family.STRING: (pl.String, pl.Categorical, pl.Enum),
    Family.INTEGER: tuple(_INTEGERS.values()),
    Family.NUMBER: (pl.Float32, pl.Float64, pl.Decimal),
    Family.BOOLEAN: (pl.Boolean,),
    Family.DATE: (pl.Date,),
    Family.TIMESTAMP: (pl.Datetime,),
    Family.TIME: (pl.Time,),
    Family.DURATION: (pl.Duration,),
    Family.BINARY: (pl.Binary,),
    Family.OBJECT: (pl.Struct,),
    Family.ARRAY: (pl.List, pl.Array),
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a candidate: their types, and whether its format has types of its own."""

    types: Mapping[str, pl.DataType]
    is_text: bool

    def has(self, name: str) -> bool:
        """True where the candidate has a column of that name."""
        return name in self.types

    def fits(self, name: str, promised: LogicalType) -> bool:
        """True where the column holds what was promised; decoded text always does, apart from values that did not decode."""
        found = self.types[name]
        if self.is_text and promised.family in (Family.OBJECT, Family.ARRAY):
            return found == pl.String
        return is_of(found, promised)


def is_of(found: pl.DataType, promised: LogicalType) -> bool:
    """True where a physical type is one that the promised type takes: any of its family, or exactly the one it names."""
    if not isinstance(found, _FAMILIES[promised.family]):
        return False
    if promised.precision is not None:
        return found == pl.Decimal(promised.precision, promised.scale or 0)
    if promised.family is Family.INTEGER and promised.bits is not None:
        return found == _INTEGERS[promised.signed, promised.bits]
    if promised.family is Family.NUMBER and promised.bits is not None:
        return found == _FLOATS[promised.bits]
    if promised.unit is not None:
        return found == pl.Datetime(promised.unit, promised.timezone)  # type: ignore[arg-type]  # parsed as ms, us or ns
    return True
