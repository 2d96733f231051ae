"""Columns and types, before any row is read: does what is there fit what was promised? LogicalType ↔ Polars, only here."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from contract_core.candidate.physical_types import INTEGERS, decoded_dtype
from contract_core.contract.logical_type import Family, LogicalType

_FAMILIES: Mapping[Family, tuple[type[pl.DataType], ...]] = {
    Family.STRING: (pl.String, pl.Categorical, pl.Enum),
    Family.INTEGER: tuple(INTEGERS.values()),
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
        if promised.family in (Family.OBJECT, Family.ARRAY):
            if self.is_text:
                return found == pl.String
            if isinstance(found, pl.Null):  # nothing but nulls; nested types cannot be told from them
                return True
        return is_of(found, promised)


def is_of(found: pl.DataType, promised: LogicalType) -> bool:
    """True where a physical type is one that the promised type takes: any of its family, or exactly the one it names."""
    if not isinstance(found, _FAMILIES[promised.family]):
        return False
    return found == decoded_dtype(promised) if promised.is_exact else True
