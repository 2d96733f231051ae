"""Field rules as Python source of Polars conditions on the column `data.key`; a missing value gives no answer."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, assert_never

import polars as pl

from contract_core.candidate.physical_types import INTEGERS, decoded_dtype
from contract_core.contract.field_rules import whole_value
from contract_core.contract.model import Field
from contract_core.contract.scalars import Scalar
from contract_core.exports.bounds import Span, float_span, moment_span, nearest, whole_span
from contract_core.exports.polars_source import dtype_source
from contract_core.exports.source_text import Bracket, Code, call, float_literal, listed, text_literal
from contract_core.exports.white_space import WHITE_SPACE
from contract_core.validation.promise_kinds import Between, Finite, LengthBetween, Matches, NotBlank, OneOf, Trimmed

VALUE = "pl.col(data.key)"
STEPS = "_steps(data)"
_INT64 = (-(2**63), 2**63 - 1)
ValuePromise = Finite | OneOf | Matches | Between | LengthBetween | NotBlank | Trimmed


def condition(promise: ValuePromise, field: Field) -> Code:
    """True where a value that is there keeps the promise, for a column of the type that the field's text is decoded to."""
    match promise:
        case Finite():
            return f"{VALUE}.is_finite()"
        case OneOf(_, values):
            return _one_of(values, field)
        case Matches(_, pattern):
            return call(f"{VALUE}.str.contains", text_literal(whole_value(pattern)))
        case Between():
            return _between(field, judges_nan=promise.judges_nan)
        case LengthBetween(_, shortest, longest):
            return _within(f"{VALUE}.str.len_chars()", (shortest, longest), str)
        case NotBlank(_, white_space):
            signs = "" if white_space == "unicode" else text_literal(WHITE_SPACE[white_space])
            return f'{VALUE}.str.strip_chars({signs}).ne("")'
        case Trimmed():
            return f"{VALUE}.str.strip_chars().eq({VALUE})"
        case _:
            assert_never(promise)


def _one_of(values: Sequence[Scalar], field: Field) -> Code:
    dtype, column = decoded_dtype(field.type), VALUE
    if isinstance(dtype, pl.String):
        return call(f"{VALUE}.is_in", listed(text_literal(str(value)) for value in values))
    if isinstance(dtype, pl.Decimal):
        steps = [Decimal(str(value)).scaleb(dtype.scale) for value in values]
        written = [str(int(step)) for step in steps if step == step.to_integral_value()]
        dtype, column = pl.Int128(), STEPS
    elif dtype.is_integer():
        low, high = _range_of(dtype)
        written = [str(value) for value in values if isinstance(value, int) and low <= value <= high]
    elif dtype.is_float():
        written = [float_literal(nearest(float(str(value)), field.type.bits or 64)) for value in values]
    else:
        written = [_plain(value) for value in values]
    series = Bracket("pl.Series(", (listed(written), f"dtype={dtype_source(dtype)}"), ").implode()")
    return call(f"{column}.is_in", series)


def _plain(value: Scalar) -> str:
    return f"datetime.date({value.year}, {value.month}, {value.day})" if isinstance(value, date) else repr(value)


def _between(field: Field, *, judges_nan: bool) -> Code:
    dtype = decoded_dtype(field.type)
    match dtype:
        case pl.Date():
            return _within(VALUE, (field.min, field.max), _plain)
        case pl.Datetime():
            return _in_range(STEPS, moment_span(field, dtype.time_unit), _INT64, str)
        case pl.Decimal():
            span, largest = whole_span(field, dtype.scale), 10**dtype.precision - 1
            return _in_range(STEPS, span, (-largest, largest), _typed("Int128"))
        case _ if dtype.is_integer():
            written = _typed("UInt64") if isinstance(dtype, pl.UInt64) else str
            return _in_range(VALUE, whole_span(field), _range_of(dtype), written)
        case _:
            return _float_between(field, judges_nan=judges_nan)


def _float_between(field: Field, *, judges_nan: bool) -> Code:
    written: Callable[[Any], str] = _typed("Float32") if field.type.bits == 32 else repr
    inside = _within(VALUE, float_span(field), written)
    if judges_nan:
        return call("pl.all_horizontal", inside, f"{VALUE}.is_not_nan()")
    return call("pl.any_horizontal", inside, f"{VALUE}.is_nan()")


def _in_range(column: str, span: Span, limits: tuple[int, int], written: Callable[[Any], str]) -> Code:
    """A bound that no value of the type can break is left out; one that every value breaks lets none through."""
    low, high = span
    if (low is not None and low > limits[1]) or (high is not None and high < limits[0]):
        return f"{VALUE}.is_null()"
    first = None if low is None or low <= limits[0] else low
    last = None if high is None or high >= limits[1] else high
    return _within(column, (first, last), written)


def _within(column: str, span: tuple[Any, Any], written: Callable[[Any], str]) -> Code:
    low, high = span
    if low is not None and high is not None:
        return call(f"{column}.is_between", written(low), written(high))
    if low is not None:
        return call(f"{column}.ge", written(low))
    return f"{VALUE}.is_not_null()" if high is None else call(f"{column}.le", written(high))


def _typed(dtype: str) -> Callable[[Any], str]:
    return lambda number: f"pl.lit({number!r}, dtype=pl.{dtype}())"


def _range_of(dtype: pl.DataType) -> tuple[int, int]:
    signed, bits = next(kind for kind, found in INTEGERS.items() if isinstance(dtype, found))
    half = 2 ** (bits - 1)
    return (-half, half - 1) if signed else (0, 2 * half - 1)
