"""Numbers in row rules: integers and decimals calculated exactly, everything else as Float64.

An exact number is a whole number with a count of digits behind the point, in Int64 where its bound allows and in Int128
where not. What Int128 cannot hold is unknown (null): nothing wraps and nothing is rounded in silence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import polars as pl

from contract_core.contract.sql_expression import MAX_DIGITS, RowSqlError

Operator: TypeAlias = Callable[[pl.Expr, pl.Expr], pl.Expr]

INT64_MAX = 2**63 - 1
INT128_SAFE = 2**126  # the estimate in Float64 is off by less than the other half


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric expression: `scale` digits behind the point and magnitudes up to `bound`; Float64 without a scale."""

    expr: pl.Expr
    scale: int | None
    bound: int = 0
    is_wide: bool = False
    weight: int = 1
    literal: Decimal | None = None


def column_number(expr: pl.Expr, dtype: pl.DataType) -> Number:
    """A column of any numeric type; NaN is unknown."""
    if isinstance(dtype, pl.Decimal):
        return Number(expr.to_physical(), dtype.scale, 10**dtype.precision, is_wide=True)
    if isinstance(dtype, pl.UInt64 | pl.Int128 | pl.UInt128):
        bound = 2**64 if isinstance(dtype, pl.UInt64) else 2**127
        return Number(expr.cast(pl.Int128, strict=False), 0, bound, is_wide=True)
    if dtype.is_integer():
        return Number(expr.cast(pl.Int64), 0, 2**63)
    return Number(expr.cast(pl.Float64).fill_nan(None), None)


def whole(expr: pl.Expr, bound: int, weight: int) -> Number:
    """A whole number that another expression gives, of a magnitude that fits Int64."""
    return Number(expr.cast(pl.Int64), 0, bound, weight=weight)


def literal_number(value: Decimal | float) -> Number:
    """A number as it is written; an int or Decimal stays exact, a float is Float64."""
    if isinstance(value, float):
        return Number(pl.lit(value, dtype=pl.Float64), None)
    exact = Decimal(value)
    digits, scale = int("".join(map(str, exact.as_tuple().digits))), -int(exact.as_tuple().exponent)
    while scale > 0 and digits % 10 == 0:
        digits, scale = digits // 10, scale - 1
    digits = -digits if exact < 0 else digits
    is_wide = abs(digits) > INT64_MAX
    expr = pl.lit(digits, dtype=pl.Int128 if is_wide else pl.Int64)
    return Number(expr, scale, abs(digits), is_wide, literal=exact)


def no_number() -> Number:
    """NULL where a number is meant."""
    return Number(pl.lit(None, dtype=pl.Int64), 0)


def as_float(number: Number) -> pl.Expr:
    """The nearest Float64."""
    if number.literal is not None:
        return pl.lit(float(number.literal), dtype=pl.Float64)
    if not number.scale:
        return number.expr if number.scale is None else number.expr.cast(pl.Float64)
    return number.expr.cast(pl.Float64) / float(10**number.scale)


def aligned(numbers: Sequence[Number]) -> list[Number]:
    """The same numbers, all Float64 or all with the same scale and width, so that they compare by value."""
    if any(number.scale is None for number in numbers):
        return [Number(as_float(number), None, weight=number.weight) for number in numbers]
    scale = max(number.scale or 0 for number in numbers)
    scaled = [_rescaled(number, scale) for number in numbers]
    return [_widened(number) for number in scaled] if any(number.is_wide for number in scaled) else scaled


def add(left: Number, right: Number) -> Number:
    left, right = aligned([left, right])
    return _calculated(left, right, pl.Expr.__add__, left.bound + right.bound, left.scale)


def subtract(left: Number, right: Number) -> Number:
    left, right = aligned([left, right])
    return _calculated(left, right, pl.Expr.__sub__, left.bound + right.bound, left.scale)


def multiply(left: Number, right: Number) -> Number:
    if left.scale is None or right.scale is None:
        left, right = aligned([left, right])
        return _calculated(left, right, pl.Expr.__mul__, 0, None)
    scale = left.scale + right.scale
    if scale > MAX_DIGITS:
        what = f"a product has {scale} digits behind the point, more than {MAX_DIGITS}"
        raise RowSqlError(what, "write CAST(… AS DOUBLE) for one factor")
    return _calculated(left, right, pl.Expr.__mul__, left.bound * right.bound, scale)


def divide(left: Number, right: Number) -> Number:
    """True division in Float64; by zero it is unknown."""
    above, below = as_float(left), as_float(right)
    weight = _sum(left, right) + right.weight
    return Number((above / pl.when(below != 0.0).then(below)).fill_nan(None), None, weight=weight)


def remainder(left: Number, right: Number) -> Number:
    """What truncating division leaves, with the sign of the dividend as in SQL; by zero it is unknown."""
    left, right = (_widened(number) for number in aligned([left, right]))
    expr = left.expr.abs() % right.expr.abs() * left.expr.sign()
    return Number(expr, left.scale, min(left.bound, right.bound), is_wide=True, weight=_sum(left, right) + left.weight)


def negative(number: Number) -> Number:
    if number.literal is not None:
        return literal_number(number.literal.copy_negate())
    if number.scale is None:
        return Number(-number.expr, None, weight=number.weight + 1)
    return subtract(Number(pl.lit(0, dtype=pl.Int64), 0), number)


def absolute(number: Number) -> Number:
    wide = _widened(number) if number.scale is not None and number.bound > INT64_MAX else number
    return Number(wide.expr.abs(), wide.scale, wide.bound, wide.is_wide, wide.weight + 1)


def rounded(number: Number, digits: int) -> Number:
    """Half away from zero. A Float64 is scaled, rounded and scaled back, as DuckDB does it."""
    if number.scale is None:
        return Number(number.expr.round(digits, mode="half_away_from_zero"), None, weight=number.weight + 1)
    if number.scale <= digits:
        return number
    factor = 10 ** (number.scale - digits)
    wide = _widened(number)
    half_up = add(absolute(wide), Number(_int(factor // 2), number.scale, factor // 2, is_wide=True))
    expr = half_up.expr // _int(factor) * wide.expr.sign()
    return Number(expr, digits, half_up.bound // factor, is_wide=True, weight=half_up.weight + wide.weight + 3)


def floor(number: Number) -> Number:
    if not number.scale:
        return number if number.scale == 0 else Number(number.expr.floor(), None, weight=number.weight + 1)
    factor = 10**number.scale
    expr = _widened(number).expr // _int(factor)
    return Number(expr, 0, number.bound // factor + 1, is_wide=True, weight=number.weight + 2)


def ceil(number: Number) -> Number:
    if not number.scale:
        return number if number.scale == 0 else Number(number.expr.ceil(), None, weight=number.weight + 1)
    return negative(floor(negative(number)))


def to_integer(number: Number) -> Number:
    """CAST(… AS BIGINT): rounded half away from zero, unknown beyond 64 bits."""
    near = rounded(number, 0)
    return Number(near.expr.cast(pl.Int64, strict=False), 0, 2**63, weight=near.weight + 1)


def is_one_of(number: Number, values: Sequence[Decimal | float]) -> pl.Expr:
    """Whether the number equals one of the values; null where it is null."""
    if number.scale is None or any(isinstance(value, float) for value in values):
        floats = pl.Series([float(value) for value in values], dtype=pl.Float64)
        return (as_float(number) + 0.0).is_in(floats.implode())  # + 0.0: -0.0 is 0
    low, high = (-(2**127), 2**127 - 1) if number.is_wide else (-(2**63), INT64_MAX)
    scaled = [Fraction(value) * 10**number.scale for value in values]
    digits = [int(value) for value in scaled if value.denominator == 1 and low <= value <= high]
    return number.expr.is_in(pl.Series(digits, dtype=pl.Int128 if number.is_wide else pl.Int64).implode())


def _calculated(left: Number, right: Number, operator: Operator, bound: int, scale: int | None) -> Number:
    weight = _sum(left, right)
    if scale is None:
        return Number(operator(left.expr, right.expr).fill_nan(None), None, weight=weight + 1)
    if bound <= INT64_MAX and not left.is_wide and not right.is_wide:
        return Number(operator(left.expr, right.expr), scale, bound, weight=weight)
    expr = operator(_widened(left).expr, _widened(right).expr)
    if bound < 2**127:
        return Number(expr, scale, bound, is_wide=True, weight=weight)
    estimate = operator(left.expr.cast(pl.Float64), right.expr.cast(pl.Float64))
    guarded = pl.when(estimate.abs() < float(INT128_SAFE)).then(expr)
    return Number(guarded, scale, INT128_SAFE, is_wide=True, weight=2 * weight + 4)


def _rescaled(number: Number, scale: int) -> Number:
    factor = 10 ** (scale - (number.scale or 0))
    if factor == 1:
        return number
    return _calculated(number, literal_number(factor), pl.Expr.__mul__, number.bound * factor, scale)


def _widened(number: Number) -> Number:
    if number.is_wide:
        return number
    return replace(number, expr=number.expr.cast(pl.Int128), is_wide=True, weight=number.weight + 1)


def _int(value: int) -> pl.Expr:
    return pl.lit(value, dtype=pl.Int128)


def _sum(left: Number, right: Number) -> int:
    return left.weight + right.weight + 2
