"""The smallest SQL conditions that a Delta table stores and judges as the gate judges its rows: one column against literals.

delta-rs 1.6 stores a constraint as text of its own making, and that text may mean something else. What is written here is
only what was seen to survive; the laws in `tests/properties/test_constraints.py` hold it against the Polars verdicts.
"""

import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import Any

import polars as pl
from sqlglot import exp

_PLAIN = re.compile("[a-z_][a-z0-9_]*")
_LISTED_AS_EQUALITIES = 3
_REGEX_SIGNS = frozenset(r"\.+*?()|[]{}^$#&-~")
_DIGITS = 38
_BITS: Mapping[type[pl.DataType], int] = {pl.Int8: 8, pl.Int16: 16, pl.Int32: 32, pl.Int64: 64}
_TEXT_LENGTHS = (-(2**31), 2**31 - 1)
_RESERVED = frozenset(
    {"all", "any", "current_date", "current_time", "current_timestamp", "distinct", "exists", "false", "interval", "not",
     "null", "returning", "some", "struct", "trim", "true"}
)  # fmt: skip
"""Names that delta-rs 1.6 stores without their quotes and then reads as something else; `null` would let every row pass."""

Comparison = type[exp.EQ] | type[exp.NEQ] | type[exp.LT] | type[exp.LTE] | type[exp.GT] | type[exp.GTE]
OPPOSITE: Mapping[type[exp.Expr], Comparison] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip


class NotCovered(Exception):  # noqa: N818 - no error of ours: it becomes the reason that a rule gives
    """Says in plain words why a rule cannot stand on the target."""


def column(name: str) -> exp.Column:
    """The column, quoted. Raises NotCovered for the names that delta-rs would read as something else."""
    if name in _RESERVED:
        raise NotCovered(f"delta-rs stores the column name '{name}' without quotes and reads it as a word of SQL")
    return exp.column(name, quoted=True)


def call(function: str, *arguments: exp.Expr) -> exp.Expr:
    """A function of the engine that checks constraints, by its own name."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def text(value: str) -> exp.Expr:
    """A text literal. Raises NotCovered where delta-rs 1.6 would take two signs for one quote that is escaped already."""
    if "''" in value or "\\'" in value:
        raise NotCovered("delta-rs stores a text with a quote behind a quote or a backslash as another text")
    return exp.Literal.string(value)


def is_null(name: str) -> exp.Expr:
    """Whether the value is missing."""
    return exp.Is(this=column(name), expression=exp.Null())


def is_nan(name: str) -> exp.Expr:
    """Whether the number is NaN, which passes a lower bound in SQL."""
    return call("isnan", column(name))


def all_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Every one of the conditions; true where there is none."""
    return exp.and_(*conditions) if conditions else exp.true()


def any_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """At least one of the conditions; false where there is none."""
    return exp.or_(*conditions) if conditions else exp.false()


def matches(name: str, pattern: str, *, wanted: bool = True) -> exp.Expr:
    """Whether a regular expression is found in the text; the engine's are Rust's, as those of Polars are."""
    is_simple = pattern.count("'") <= 1 and not ("'" in pattern and r"\\" in pattern)
    if not is_simple or re.search(r"\\[xuU]", pattern):  # it may be stored as a plain text, with the traps of `text`
        raise NotCovered("delta-rs may store a pattern with several quotes or escaped signs as another one")
    found = call("regexp_like", column(name), text(pattern))
    return found if wanted else exp.not_(found)


def compared(name: str, found: pl.DataType, kind: Comparison, value: Any) -> exp.Expr:  # noqa: ANN401 - a literal of any type
    """The column against a literal, for values that are neither null nor NaN. Raises NotCovered where it would not survive."""
    match found:
        case pl.Decimal():
            return _decimal(name, found, kind, value)
        case _ if found.is_integer():
            return exact(column(name), kind, _exact(value), _range_of(found), exp.Literal.number)
        case _ if found.is_float():
            return _float(name, found, kind, float(value))
        case pl.Datetime(time_unit="us"):
            return kind(this=column(name), expression=_moment(value, found))
        case pl.Date():
            return kind(this=column(name), expression=exp.cast(text(value.isoformat()), "DATE"))
        case pl.String():
            return kind(this=column(name), expression=text(value))
        case pl.Boolean():
            return kind(this=column(name), expression=exp.true() if value else exp.false())
        case _:
            raise NotCovered(f"a value of type {found} cannot be compared there")


def length_compared(name: str, kind: Comparison, value: Fraction | int) -> exp.Expr:
    """The number of code points of a text against a number."""
    return exact(call("character_length", column(name)), kind, Fraction(value), _TEXT_LENGTHS, exp.Literal.number)


def one_of(name: str, found: pl.DataType, values: Sequence[Any]) -> exp.Expr:
    """True where the value is one of these, and not true where it is missing or NaN."""
    if isinstance(found, pl.String) and not _PLAIN.fullmatch(name):
        return matches(name, rf"\A(?:{'|'.join(map(_quoted, values))})\z")
    if isinstance(found, pl.String):
        return exp.In(this=column(name), expressions=[text(value) for value in values])
    return any_of([compared(name, found, exp.EQ, value) for value in values])


def none_of(name: str, found: pl.DataType, values: Sequence[Any]) -> exp.Expr:
    """True where the value is none of these, and not true where it is missing."""
    if isinstance(found, pl.String):
        return exp.not_(one_of(name, found, values))
    return all_of([compared(name, found, exp.NEQ, value) for value in values])


def exact(
    side: exp.Expr, kind: type[exp.Expr], value: Fraction, limits: tuple[int, int], number: Callable[[str], exp.Expr]
) -> exp.Expr:
    """A whole number against any number, by a whole bound inside its limits: delta-rs cuts fractions off and refuses the rest."""
    if kind in (exp.EQ, exp.NEQ):
        is_possible = value.denominator == 1 and limits[0] <= value <= limits[1]
        if is_possible:
            return kind(this=side, expression=number(str(int(value))))
        return _for_every_value(side) if kind is exp.NEQ else exp.false()
    if kind in (exp.GTE, exp.GT):
        bound, kind = (ceil(value) if kind is exp.GTE else floor(value) + 1), exp.GTE
        is_open, is_empty = bound <= limits[0], bound > limits[1]
    else:
        bound, kind = (floor(value) if kind is exp.LTE else ceil(value) - 1), exp.LTE
        is_open, is_empty = bound >= limits[1], bound < limits[0]
    if is_open:
        return _for_every_value(side)
    return exp.false() if is_empty else kind(this=side, expression=number(str(bound)))


def refuse_unquoted_lists(predicate: exp.Expr) -> None:
    """Raises NotCovered for what delta-rs 1.6 would store as a list of four values or more behind a name without its quotes."""
    listed: Counter[str] = Counter()
    for node in predicate.find_all(exp.EQ, exp.In, exp.Anonymous):
        first = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        if isinstance(first, exp.Column):
            listed[first.name] += _values_listed(node)
    for name, values in listed.items():
        if values > _LISTED_AS_EQUALITIES and not _PLAIN.fullmatch(name):
            raise NotCovered(f"delta-rs stores a long list of values without the quotes that the name '{name}' needs")


def _values_listed(node: exp.Expr) -> int:
    match node:
        case exp.In():
            return len(node.expressions)
        case exp.Anonymous():  # it makes a list of '^(aa|bb)$', and an equality of a pattern for one text
            pattern = node.expressions[1].name if node.name == "regexp_like" else ""
            return 1 + pattern.count("|") if pattern.startswith("^") else int(bool(pattern))
        case _:
            return 1


def _quoted(value: str) -> str:
    return "".join(f"\\{sign}" if sign in _REGEX_SIGNS else sign for sign in value)


def decimal_literal(digits: str) -> exp.Expr:
    """A whole number as a decimal without digits behind the point: with some, delta-rs 1.6 loses the point (5.55 → 555)."""
    return exp.cast(text(digits), exp.DataType.build(f"DECIMAL({len(digits.lstrip('-'))}, 0)"))


def nearest_single(value: float) -> float:
    """The Float32 number next to a value, as a Float64; the largest finite one where it lies beyond."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return (1 if value > 0 else -1) * (2 - 2**-23) * 2.0**127


def _for_every_value(side: exp.Expr) -> exp.Expr:
    return exp.not_(exp.Is(this=side, expression=exp.Null()))


def _exact(value: object) -> Fraction:
    if isinstance(value, float):
        raise NotCovered("it compares exact numbers with a number in exponent notation, which is a double")
    return Fraction(Decimal(str(value)))


def _range_of(found: pl.DataType) -> tuple[int, int]:
    bits = _BITS.get(type(found))
    if bits is None:
        raise NotCovered(f"Delta has no type {found}")
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _decimal(name: str, found: pl.Decimal, kind: Comparison, value: object) -> exp.Expr:
    """By the count of its smallest steps, a decimal without digits behind the point."""
    side: exp.Expr = column(name)
    if found.scale:
        if found.precision + found.scale + 3 > _DIGITS:
            raise NotCovered(f"a bound on {found} would need more than {_DIGITS} digits there")
        side = call("round", exp.Mul(this=side, expression=decimal_literal(str(10**found.scale))))
    largest = 10**found.precision - 1
    return exact(side, kind, _exact(value) * 10**found.scale, (-largest, largest), decimal_literal)


def _float(name: str, found: pl.DataType, kind: Comparison, value: float) -> exp.Expr:
    """A comparison of Float64: a Float32 literal would be stored by its shortest digits and read as another number."""
    side: exp.Expr = column(name)
    if found == pl.Float32:
        side = exp.cast(side, "DOUBLE")
    if not isfinite(value):
        raise NotCovered("a bound is beyond every double")
    if value == 0 and kind in (exp.EQ, exp.NEQ):
        side, value = call("abs", side), 0.0  # stored in a list of values, 0 would not be -0.0
    return kind(this=side, expression=_number(value))


def _number(value: float) -> exp.Expr:
    literal = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def _moment(value: date, found: pl.Datetime) -> exp.Expr:
    """A moment in microseconds, by the clock of UTC; `TIMESTAMP '…'` would be in nanoseconds and fail far from 1970."""
    if not isinstance(value, datetime):
        raise NotCovered("a timestamp is compared with a day")
    try:
        utc = value if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise NotCovered("a bound lies outside the years 1 to 9999") from None
    written = utc.replace(tzinfo=None).isoformat(timespec="microseconds")
    return text(written if found.time_zone is None else f"{written}Z")
