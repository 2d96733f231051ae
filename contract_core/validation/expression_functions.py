"""The functions that a row rule may call, on values that are compiled already: casts, dates, lists and patterns."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl
from sqlglot import exp

from contract_core.validation import exact_numbers
from contract_core.validation.exact_numbers import Number
from contract_core.validation.expression_terms import Term, Value, as_number, moment, seconds

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, counted from 1970-01-01
_DATE_TEXT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_INTEGER_TEXT = r"^[+-]?[0-9]+$"
_NUMBER_TEXT = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_SPECIAL = frozenset(r"\.+*?()|[]{}^$#&-~")

CALCULATE: Mapping[type[exp.Expr], Callable[[Number, Number], Number]] = {
    exp.Add: exact_numbers.add, exp.Sub: exact_numbers.subtract, exp.Mul: exact_numbers.multiply,
    exp.Div: exact_numbers.divide, exp.Mod: exact_numbers.remainder,
}  # fmt: skip


def is_one_of(value: Term, listed: Sequence[Any]) -> pl.Expr:
    """Whether the value is in a list of Python values without None; null where the value is null."""
    if isinstance(value, Number):
        return exact_numbers.is_one_of(value, listed)
    if value.family == "null":
        return pl.lit(None, dtype=pl.Boolean)
    if value.family == "timestamp":
        return exact_numbers.is_one_of(moment(value), [seconds(item) for item in listed])
    dtype = {"string": pl.String, "boolean": pl.Boolean, "date": pl.Date}.get(value.family)
    if dtype is None:  # no literal has this family, so the list holds nothing but NULL
        return pl.when(value.expr.is_not_null()).then(pl.lit(value=False))
    return value.expr.is_in(pl.Series(listed, dtype=dtype).implode())


def moved_date(kind: type[exp.Expr], day: Value, other: Term) -> Term:
    """Date - date is a count of days; a date moved beyond the years 1 to 9999 is unknown."""
    if isinstance(other, Value) and other.family == "date":
        return exact_numbers.subtract(_days(day), _days(other))
    moved = CALCULATE[kind](_days(day), as_number(other))
    is_inside = moved.expr.is_between(_FIRST_DAY, _LAST_DAY)
    expr = pl.when(is_inside).then(moved.expr).cast(pl.Int32).cast(pl.Date)
    return Value(expr, "date", 2 * moved.weight + 4)


def _days(day: Value) -> Number:
    return exact_numbers.whole(day.expr.cast(pl.Int32), 2**31, day.weight + 2)


def extracted(part: str, term: Term) -> Number:
    """A part of a date, timestamp or time, in its own time zone; Sunday is day 0 of a week."""
    if isinstance(term, Value) and term.family == "null":
        return exact_numbers.no_number()
    read = term.expr.dt
    parts = {"YEAR": read.year, "MONTH": read.month, "DAY": read.day, "HOUR": read.hour, "MINUTE": read.minute}
    expr = read.weekday() % 7 if part == "DOW" else parts[part]()
    return exact_numbers.whole(expr, 2**31, term.weight + 2)


def cast_to(family: str, term: Term) -> Term:
    """The value in another family, or null where it has none there."""
    match family, term:
        case "integer", Number():
            return exact_numbers.to_integer(term)
        case "number", Number():
            return Number(exact_numbers.as_float(term), None, weight=term.weight + 2)
        case (("integer" | "number"), Value(family="null")):
            return exact_numbers.no_number()
        case "integer", Value():
            read = term.expr if term.family == "boolean" else _matching(term, _INTEGER_TEXT)
            return Number(read.cast(pl.Int64, strict=False), 0, 2**63, weight=2 * term.weight + 3)
        case "number", Value():
            read = _matching(term, _NUMBER_TEXT).cast(pl.Float64, strict=False)
            return Number(pl.when(read.is_finite()).then(read), None, weight=4 * term.weight + 6)
        case "date", Value(family="string"):
            read = _matching(term, _DATE_TEXT).str.to_date("%Y-%m-%d", strict=False)
            return Value(read, "date", 2 * term.weight + 3)
        case _:
            return Value(term.expr.cast(pl.Date if family == "date" else pl.String), family, term.weight + 1)


def _matching(term: Value, pattern: str) -> pl.Expr:
    return pl.when(term.expr.str.contains(pattern)).then(term.expr)


def changed_text(node: exp.Expr, text: pl.Expr) -> pl.Expr:
    """The text in lower or upper case, without outer spaces (nothing else), or a piece of it by code points."""
    match node:
        case exp.Lower():
            return text.str.to_lowercase()
        case exp.Upper():
            return text.str.to_uppercase()
        case exp.Trim():
            strip = {"LEADING": text.str.strip_chars_start, "TRAILING": text.str.strip_chars_end}
            return strip.get(str(node.args.get("position")), text.str.strip_chars)(" ")
        case _:
            start, length = node.args.get("start"), node.args.get("length")
            return text.str.slice(int(start.name) - 1 if start else 0, int(length.name) if length else None)


def like_regex(pattern: str, escape: str | None) -> str:
    """The LIKE pattern as a regular expression for the whole text; without ESCAPE no sign escapes."""
    parts, signs = [], iter(pattern)
    for sign in signs:
        if sign == escape:
            parts.append(_quoted(next(signs)))
        else:
            parts.append({"%": ".*", "_": "."}.get(sign) or _quoted(sign))
    return rf"(?s)\A{''.join(parts)}\z"


def _quoted(sign: str) -> str:
    return f"\\{sign}" if sign in _SPECIAL else sign
