"""A physical column → the type of the language that takes it and no other, as far as there is one."""

import polars as pl

from contract_core.candidate.physical_types import INTEGERS, type_words
from contract_core.contract.logical_type import MAX_DECIMAL_PRECISION
from contract_core.contract.scalars import is_zone

_INTEGERS = {dtype: f"{'' if signed else 'u'}int{bits}" for (signed, bits), dtype in INTEGERS.items()}
_PLAIN: dict[type[pl.DataType], str] = {
    pl.String: "string",
    pl.Categorical: "string",
    pl.Enum: "string",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Time: "time",
    pl.Duration: "duration",
    pl.Binary: "binary",
    pl.Struct: "object",
    pl.List: "array",
    pl.Array: "array",
    pl.Float32: "float32",
    pl.Float64: "float64",
}


def language_type(dtype: pl.DataType) -> tuple[str | None, str]:
    """The type's name and what it does not say; None where no type takes such a column, with the reason."""
    if type(dtype) in _INTEGERS:
        return _INTEGERS[type(dtype)], ""
    if type(dtype) in _PLAIN:
        return _PLAIN[type(dtype)], _not_said(dtype)
    match dtype:
        case pl.Null():
            return "string", "holds nothing but nulls, so that nothing is known of its type"
        case pl.Datetime(time_unit=unit, time_zone=None):
            return f"timestamp[{unit}]", ""
        case pl.Datetime(time_unit=unit, time_zone=zone) if zone is not None and is_zone(zone):
            return f"timestamp[{unit},{zone}]", ""
        case pl.Datetime():
            return "timestamp", "has a zone that is none of the IANA database, so that its zone is not promised"
        case pl.Decimal(precision=precision, scale=scale) if (
            precision or MAX_DECIMAL_PRECISION
        ) <= MAX_DECIMAL_PRECISION:
            return f"decimal({precision or MAX_DECIMAL_PRECISION},{scale})", ""
        case _:
            return None, f"is of type {type_words(dtype)}, which no type of the language takes"


def _not_said(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Struct | pl.List | pl.Array):
        return f"what stands inside {type_words(dtype)} is not promised"
    if isinstance(dtype, pl.Enum | pl.Categorical):
        return "its categories are not promised"
    return ""
