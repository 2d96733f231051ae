"""Row rules in SQL → the SQL condition that is true for just the rows that keep them, without three-valued logic.

Each part of a rule is asked for one answer, true or false, with unknown counted in or not: so no NOT stands above a null, and
NaN is unknown as `expressions` has it. Whatever is not provably the same in both engines is left to the gate.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
from sqlglot import exp

from contract_core.contract.row_sql import column_key
from contract_core.contract.row_sql_language import COMPARISONS, is_literal, literal_value
from contract_core.validation import sql_atoms
from contract_core.validation.expression_functions import like_regex
from contract_core.validation.sql_atoms import OPPOSITE, NotCovered

_MIRRORED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GT, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.GTE: exp.LTE, exp.EQ: exp.EQ, exp.NEQ: exp.NEQ,
}  # fmt: skip
_NULL_SAFE: Mapping[type[exp.Expr], type[exp.Expr]] = {exp.NullSafeEQ: exp.EQ, exp.NullSafeNEQ: exp.NEQ}
_INTEGER_DIGITS: Mapping[type[pl.DataType], int] = {pl.Int8: 3, pl.Int16: 5, pl.Int32: 10, pl.Int64: 19}
_DIGITS = 38
_FAMILY_TYPES = (
    (str, (pl.String,)), (bool, (pl.Boolean,)), (datetime, (pl.Datetime,)), (date, (pl.Date,)),
)  # fmt: skip
Types = Mapping[str, pl.DataType]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which answer makes the condition true, and whether an unknown one does too."""

    answer: bool
    unknown: bool

    def opposite(self) -> "_Asked":
        return _Asked(not self.answer, self.unknown)


@dataclass(frozen=True, slots=True)
class _Exact:
    """A calculation with whole numbers, as decimals of so many digits: delta-rs wraps integers around without a word."""

    expr: exp.Expr
    digits: int
    names: tuple[str, ...]


def condition(tree: exp.Expr, types: Types, *, keeps_unknown: bool) -> exp.Expr:
    """True for each row that keeps the rule. Raises NotCovered, in plain words, where the target cannot judge it alike."""
    return _holds(tree, types, _Asked(answer=True, unknown=keeps_unknown))


def _holds(node: exp.Expr, types: Types, asked: _Asked) -> exp.Expr:
    if type(node) not in _HANDLERS:
        raise NotCovered(f"it uses {node.sql_name() if isinstance(node, exp.Func) else node.key.upper()}")
    return _HANDLERS[type(node)](node, types, asked)


def _bracket(node: exp.Paren, types: Types, asked: _Asked) -> exp.Expr:
    return _holds(node.this, types, asked)


def _not(node: exp.Not, types: Types, asked: _Asked) -> exp.Expr:
    return _holds(node.this, types, asked.opposite())


def _connected(node: exp.And | exp.Or, types: Types, asked: _Asked) -> exp.Expr:
    parts = [_holds(part, types, asked) for part in node.flatten(unnest=False)]
    return sql_atoms.all_of(parts) if isinstance(node, exp.And) is asked.answer else sql_atoms.any_of(parts)


def _is(node: exp.Is, types: Types, asked: _Asked) -> exp.Expr:
    if isinstance(node.expression, exp.Boolean):
        wanted = bool(node.expression.this)
        return _holds(node.this, types, _Asked(wanted is asked.answer, unknown=not asked.answer))
    name = _name_of(node.this)
    found = _type_of(name, types)
    missing = sql_atoms.is_null(name)
    if found.is_float():
        missing = sql_atoms.any_of([missing, sql_atoms.is_nan(name)])
    return missing if asked.answer else exp.not_(missing)


def _flag(node: exp.Column, types: Types, asked: _Asked) -> exp.Expr:
    name = _name_of(node)
    if not isinstance(_type_of(name, types), pl.Boolean):
        raise NotCovered("it takes a column for a condition that is no boolean there")
    value: exp.Expr = sql_atoms.column(name)
    return _guarded(value if asked.answer else exp.not_(value), (name,), types, asked)


def _comparison(node: exp.Expr, types: Types, asked: _Asked) -> exp.Expr:
    kind = type(node)
    if kind in _NULL_SAFE:
        if not any(is_literal(side) and not isinstance(side, exp.Null) for side in (node.this, node.expression)):
            raise NotCovered("it compares with IS DISTINCT FROM what may both be missing")
        kind, asked = _NULL_SAFE[kind], _Asked(asked.answer, unknown=(kind is exp.NullSafeNEQ) is asked.answer)
    return _sides(kind, node.this, node.expression, types, asked)


def _sides(kind: type[exp.Expr], left: exp.Expr, right: exp.Expr, types: Types, asked: _Asked) -> exp.Expr:
    if is_literal(left):
        kind, left, right = _MIRRORED[kind], right, left
    wanted: Any = kind if asked.answer else OPPOSITE[kind]
    if _is_condition(left) or _is_condition(right):
        return _two_conditions(wanted, left, right, types, unknown=asked.unknown)
    if not is_literal(right):
        return _two_columns(wanted, left, right, types, asked)
    value = literal_value(right)
    if value is None or is_literal(left):
        raise NotCovered("it compares literals with each other")
    match left.unnest():
        case exp.Column() as side:
            name = _name_of(side)
            _refuse_other_family(_type_of(name, types), value)
            return _guarded(sql_atoms.compared(name, types[name], wanted, value), (name,), types, asked)
        case exp.Length(this=exp.Column() as side):
            name = _text_of(side, types)
            test = sql_atoms.length_compared(name, wanted, _fraction(value))
            return _guarded(test, (name,), types, asked)
        case side:
            number = _calculated(side, types)
            limits = (-(10**number.digits), 10**number.digits)
            test = sql_atoms.exact(number.expr, wanted, _fraction(value), limits, sql_atoms.decimal_literal)
            return _guarded(test, number.names, types, asked)


def _is_condition(node: exp.Expr) -> bool:
    inner = node.unnest()
    return type(inner) in _HANDLERS and not isinstance(inner, exp.Column)


def _two_conditions(wanted: Any, left: exp.Expr, right: exp.Expr, types: Types, *, unknown: bool) -> exp.Expr:  # noqa: ANN401 - a class of comparison
    """Two conditions that are to have the same answer, or different ones."""
    if wanted not in (exp.EQ, exp.NEQ) or is_literal(left) or is_literal(right):
        raise NotCovered("it compares conditions by other than = and <>, or with TRUE and FALSE")
    if any(_is_condition(inner.this) for side in (left, right) for inner in side.find_all(exp.EQ, exp.NEQ)):
        raise NotCovered("it compares comparisons of conditions")
    pairs = [(answer, answer if wanted is exp.EQ else not answer) for answer in (True, False)]
    join, within = (sql_atoms.all_of, sql_atoms.any_of) if unknown else (sql_atoms.any_of, sql_atoms.all_of)
    return join(
        [
            within(
                [
                    _holds(left, types, _Asked(first is not unknown, unknown)),
                    _holds(right, types, _Asked(second, unknown)),
                ]
            )
            for first, second in pairs
        ]
    )


def _two_columns(wanted: Any, left: exp.Expr, right: exp.Expr, types: Types, asked: _Asked) -> exp.Expr:  # noqa: ANN401 - a class of comparison
    sides = left.unnest(), right.unnest()
    if not all(isinstance(side, exp.Column) for side in sides):
        first, second = (_calculated(side, types) for side in sides)
        test = wanted(this=first.expr, expression=second.expr)
        return _guarded(test, (*first.names, *second.names), types, asked)
    names = tuple(_name_of(side) for side in sides)
    found = [_type_of(name, types) for name in names]
    are_integers, are_floats = (all(test(dtype) for dtype in found) for test in (_is_integer, _is_float))
    if found[0] != found[1] and not are_integers and not are_floats:
        raise NotCovered(f"it compares {found[0]} with {found[1]}")
    columns = [exp.cast(sql_atoms.column(name), "DOUBLE") if are_floats else sql_atoms.column(name) for name in names]
    return _guarded(wanted(this=columns[0], expression=columns[1]), names, types, asked)


def _is_integer(found: pl.DataType) -> bool:
    return found.is_integer()


def _is_float(found: pl.DataType) -> bool:
    return found.is_float()


def _between(node: exp.Between, types: Types, asked: _Asked) -> exp.Expr:
    above = _sides(exp.GTE, node.this, node.args["low"], types, asked)
    below = _sides(exp.LTE, node.this, node.args["high"], types, asked)
    return sql_atoms.all_of([above, below]) if asked.answer else sql_atoms.any_of([above, below])


def _in(node: exp.In, types: Types, asked: _Asked) -> exp.Expr:
    values = [literal_value(item) for item in node.expressions]
    name = _name_of(node.this)
    if None in values:
        raise NotCovered("it looks for a value in a list with NULL")
    for value in values:
        _refuse_other_family(_type_of(name, types), value)
    listed = sql_atoms.one_of if asked.answer else sql_atoms.none_of
    return _guarded(listed(name, types[name], values), (name,), types, asked)


def _pattern(node: exp.Expr, types: Types, asked: _Asked) -> exp.Expr:
    like, escape = (node.this, node.expression.name) if isinstance(node, exp.Escape) else (node, None)
    name = _text_of(like.this, types)
    written = like.expression.unnest()
    if not isinstance(written, exp.Literal):
        raise NotCovered("it looks for the text of another column")
    searched: str = written.name
    match like:
        case exp.Like():
            searched = like_regex(searched, escape)
        case exp.StartsWith():
            searched = like_regex(f"{_escaped(searched)}%", "!")
        case exp.EndsWith():
            searched = like_regex(f"%{_escaped(searched)}", "!")
    wanted = asked.answer is not bool(like.args.get("negate"))
    return _guarded(sql_atoms.matches(name, searched, wanted=wanted), (name,), types, asked)


def _escaped(written: str) -> str:
    return "".join(f"!{sign}" if sign in "!%_" else sign for sign in written)


def _calculated(node: exp.Expr, types: Types) -> _Exact:
    """Sums, differences and products of whole numbers, exactly. Every other calculation is left to the gate."""
    match node.unnest():
        case exp.Column() as side:
            name = _name_of(side)
            digits = _INTEGER_DIGITS.get(type(_type_of(name, types)), 0)
            if not digits:
                raise NotCovered("it calculates with other than whole numbers")
            return _Exact(exp.cast(sql_atoms.column(name), f"DECIMAL({digits}, 0)"), digits, (name,))
        case literal if is_literal(literal):
            value = literal_value(literal)
            if isinstance(value, bool) or not isinstance(value, int):
                raise NotCovered("it calculates with other than whole numbers")
            return _Exact(sql_atoms.decimal_literal(str(value)), len(str(abs(value))), ())
        case (exp.Add() | exp.Sub() | exp.Mul()) as sum_:
            left, right = _calculated(sum_.this, types), _calculated(sum_.expression, types)
            is_product = isinstance(sum_, exp.Mul)
            digits = left.digits + right.digits if is_product else max(left.digits, right.digits)
            if digits + 1 > _DIGITS:
                raise NotCovered(f"a result may have more than {_DIGITS} digits there")
            expr = type(sum_)(this=exp.paren(left.expr), expression=exp.paren(right.expr))
            return _Exact(expr, digits + 1, (*left.names, *right.names))
        case other:
            raise NotCovered(f"it uses {other.sql_name() if isinstance(other, exp.Func) else other.key.upper()}")


def _guarded(test: exp.Expr, names: tuple[str, ...], types: Types, asked: _Asked) -> exp.Expr:
    """The test, with NaN and, where unknown is let through, missing values taken out of it; a null elsewhere is never true."""
    once = tuple(dict.fromkeys(names))
    nans = [sql_atoms.is_nan(name) for name in once if types[name].is_float()]
    if asked.unknown:
        return sql_atoms.any_of([*(sql_atoms.is_null(name) for name in once), *nans, test])
    return sql_atoms.all_of([*(exp.not_(nan) for nan in nans), test])


def _name_of(node: exp.Expr) -> str:
    inner = node.unnest()
    if not isinstance(inner, exp.Column):
        raise NotCovered(f"it uses {inner.sql_name() if isinstance(inner, exp.Func) else inner.key.upper()}")
    return column_key(inner)


def _type_of(name: str, types: Types) -> pl.DataType:
    if name not in types:
        raise NotCovered(f"the published table has no column '{name}' of the promised kind")
    return types[name]


def _text_of(node: exp.Expr, types: Types) -> str:
    name = _name_of(node)
    if not isinstance(_type_of(name, types), pl.String):
        raise NotCovered("it looks into a text that is none there")
    return name


def _fraction(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise NotCovered("it compares a calculation with something else than an exact number")
    return Fraction(value)


def _refuse_other_family(found: pl.DataType, value: object) -> None:
    fitting = next((types for kind, types in _FAMILY_TYPES if isinstance(value, kind)), None)
    if not (found.is_numeric() if fitting is None else isinstance(found, fitting)):
        raise NotCovered(f"it compares {found} with a literal of another kind")


_HANDLERS: Mapping[type[exp.Expr], Callable[[Any, Types, _Asked], exp.Expr]] = {
    exp.Paren: _bracket, exp.Not: _not, exp.And: _connected, exp.Or: _connected, exp.Is: _is, exp.Column: _flag,
    **dict.fromkeys(COMPARISONS, _comparison), exp.Between: _between, exp.In: _in,
    **dict.fromkeys((exp.Like, exp.Escape, exp.RegexpLike, exp.StartsWith, exp.EndsWith), _pattern),
}  # fmt: skip
