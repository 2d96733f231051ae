"""Row rules in SQL → Polars expressions: true, false, or null where the answer is unknown.

What an unknown answer means is left to the caller. NaN counts as NULL in here, so that it never passes a bound in
silence; numbers are exact as `exact_numbers` has it; `/` is true division in Float64, x / 0 is NULL; texts compare by
their UTF-8 bytes; a cast that fails gives NULL; a timestamp without time zone is compared as UTC; CONCAT, LEAST and
GREATEST leave out NULLs; LIKE looks at the whole text, REGEXP_LIKE finds its pattern anywhere in it.
"""

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import polars as pl
from sqlglot import exp

from contract_core.contract.row_sql import RowExpression, RowSqlError, column_key
from contract_core.contract.row_sql_language import ARITHMETIC, CAST_TARGETS, COMPARISONS, is_literal, literal_value
from contract_core.contract.row_sql_types import check_types
from contract_core.validation import exact_numbers
from contract_core.validation.exact_numbers import Number
from contract_core.validation.expression_functions import (
    CALCULATE,
    cast_to,
    changed_text,
    extracted,
    is_one_of,
    like_regex,
    moved_date,
)
from contract_core.validation.expression_terms import (
    Schema,
    Term,
    Value,
    as_number,
    column_term,
    combined,
    common,
    comparable,
    families_of,
    literal_term,
    typed,
)

MAX_WEIGHT = 10_000


def compile_expression(expression: RowExpression, schema: Schema) -> pl.Expr:
    """True, false or null for each row of a frame with this schema; `previous.x` is the name of a qualified column.

    Raises RowSqlError, before any row is read, where a column is missing or its type does not fit.
    """
    for problem in check_types(expression, families_of(expression.columns, schema)):
        raise problem
    return typed(compile_value(expression, schema), "boolean") & _true_in_each_row(expression, schema)


def compile_value(expression: RowExpression, schema: Schema) -> Term:
    """The value that an expression gives for each row, of whatever family; its types have been checked."""
    value = _term(expression.tree, schema)
    if value.weight > MAX_WEIGHT:
        raise RowSqlError(
            "the rule is too large to be judged", "write several rules, or nest fewer NULLIF and products"
        )
    return value


def _true_in_each_row(expression: RowExpression, schema: Schema) -> pl.Expr:
    """One answer for each row; Polars 2.1 gives one in all for literals, and for COALESCE(x, 1) where x is all null."""
    if not expression.columns:
        return pl.int_range(pl.len()) >= 0
    return _named(expression.columns[0], schema).expr.is_null().is_not_null()


def _term(node: exp.Expr, schema: Schema) -> Term:
    return literal_term(node) if is_literal(node) else _HANDLERS[type(node)](node, schema)


def _boolean(node: exp.Expr, schema: Schema) -> Value:
    term = _term(node, schema)
    return Value(typed(term, "boolean"), "boolean", term.weight)


def _text(node: exp.Expr, schema: Schema) -> Value:
    term = _term(node, schema)
    return Value(typed(term, "string"), "string", term.weight)


def _number(node: exp.Expr, schema: Schema) -> Number:
    return as_number(_term(node, schema))


def _weight(*terms: Term) -> int:
    return sum(term.weight for term in terms) + 1


# Logic


def _column(node: exp.Column, schema: Schema) -> Term:
    return _named(column_key(node), schema)


def _named(name: str, schema: Schema) -> Term:
    known = schema[name]
    return known if isinstance(known, Number | Value) else column_term(name, known)


def _bracket(node: exp.Paren, schema: Schema) -> Term:
    return _term(node.this, schema)


def _connected(node: exp.And | exp.Or, schema: Schema) -> Value:
    """A balanced tree, since Polars recurses into a long chain."""
    parts = [_boolean(part, schema) for part in node.flatten(unnest=False)]
    join = operator.and_ if isinstance(node, exp.And) else operator.or_
    exprs = [part.expr for part in parts]
    while len(exprs) > 1:
        exprs = [reduce(join, exprs[start : start + 2]) for start in range(0, len(exprs), 2)]
    return Value(exprs[0], "boolean", _weight(*parts) + len(parts))


def _not(node: exp.Not, schema: Schema) -> Value:
    inner = _boolean(node.this, schema)
    return Value(~inner.expr, "boolean", _weight(inner))


def _is(node: exp.Is, schema: Schema) -> Value:
    if isinstance(node.expression, exp.Null):
        tested = _term(node.this, schema)
        return Value(tested.expr.is_null(), "boolean", _weight(tested))
    inner = _boolean(node.this, schema)
    wanted = inner.expr if node.expression.this else ~inner.expr
    return Value(wanted.fill_null(value=False), "boolean", _weight(inner) + 2)


# Comparisons

_COMPARE: Mapping[type[exp.Expr], Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    exp.EQ: pl.Expr.__eq__, exp.NEQ: pl.Expr.__ne__, exp.LT: pl.Expr.__lt__, exp.LTE: pl.Expr.__le__,
    exp.GT: pl.Expr.__gt__, exp.GTE: pl.Expr.__ge__, exp.NullSafeEQ: pl.Expr.eq_missing,
    exp.NullSafeNEQ: pl.Expr.ne_missing,
}  # fmt: skip


def _compared(kind: type[exp.Expr], left: Term, right: Term) -> Value:
    first, second = comparable([left, right])
    return Value(_COMPARE[kind](first.expr, second.expr), "boolean", _weight(first, second))


def _comparison(node: exp.Expr, schema: Schema) -> Value:
    return _compared(type(node), _term(node.this, schema), _term(node.expression, schema))


def _between(node: exp.Between, schema: Schema) -> Value:
    value, low, high = (_term(part, schema) for part in (node.this, node.args["low"], node.args["high"]))
    above, below = _compared(exp.GTE, value, low), _compared(exp.LTE, value, high)
    return Value(above.expr & below.expr, "boolean", _weight(above, below))


def _in(node: exp.In, schema: Schema) -> Value:
    value, listed = _term(node.this, schema), [literal_value(item) for item in node.expressions]
    found = is_one_of(value, [item for item in listed if item is not None])
    if None in listed:
        found = pl.when(found).then(pl.lit(value=True))
    return Value(found, "boolean", _weight(value) + len(listed))


# Choices


def _case(node: exp.Case, schema: Schema) -> Term:
    branches, default = node.args["ifs"], node.args.get("default")
    operand = None if node.this is None else _term(node.this, schema)
    if operand is None:
        conditions = [_boolean(branch.this, schema) for branch in branches]
    else:
        conditions = [_compared(exp.EQ, operand, _term(branch.this, schema)) for branch in branches]
    outcomes = [_term(branch.args["true"], schema) for branch in branches]
    *given, otherwise = common([*outcomes, literal_term(exp.Null()) if default is None else _term(default, schema)])
    chosen = pl.when(conditions[0].expr).then(given[0].expr)
    chain: Any = chosen
    for condition, outcome in zip(conditions[1:], given[1:], strict=True):
        chain = chain.when(condition.expr).then(outcome.expr)
    return combined(chain.otherwise(otherwise.expr), [*given, otherwise], _weight(*conditions, *given, otherwise))


def _coalesce(node: exp.Coalesce, schema: Schema) -> Term:
    return _of_all(node, schema, pl.coalesce)


def _least(node: exp.Least, schema: Schema) -> Term:
    return _of_all(node, schema, pl.min_horizontal)


def _greatest(node: exp.Greatest, schema: Schema) -> Term:
    return _of_all(node, schema, pl.max_horizontal)


def _of_all(node: exp.Expr, schema: Schema, choose: Callable[[list[pl.Expr]], pl.Expr]) -> Term:
    parts = common([_term(part, schema) for part in (node.this, *node.expressions)])
    return combined(choose([part.expr for part in parts]), parts, _weight(*parts))


def _nullif(node: exp.Nullif, schema: Schema) -> Term:
    first, second = common([_term(node.this, schema), _term(node.expression, schema)])
    same = _compared(exp.EQ, first, second)
    return combined(pl.when(same.expr).then(None).otherwise(first.expr), [first], _weight(same, first))


# Numbers and dates


def _arithmetic(node: exp.Expr, schema: Schema) -> Term:
    left, right = _term(node.this, schema), _term(node.expression, schema)
    if isinstance(left, Value) and left.family == "date":
        return moved_date(type(node), left, right)
    return CALCULATE[type(node)](as_number(left), as_number(right))


_OF_ONE_NUMBER: Mapping[type[exp.Expr], Callable[[Number], Number]] = {
    exp.Neg: exact_numbers.negative, exp.Abs: exact_numbers.absolute, exp.Floor: exact_numbers.floor,
    exp.Ceil: exact_numbers.ceil,
}  # fmt: skip


def _of_one_number(node: exp.Expr, schema: Schema) -> Number:
    return _OF_ONE_NUMBER[type(node)](_number(node.this, schema))


def _round(node: exp.Round, schema: Schema) -> Number:
    digits = node.args.get("decimals")
    return exact_numbers.rounded(_number(node.this, schema), 0 if digits is None else int(digits.name))


def _extract(node: exp.Extract, schema: Schema) -> Number:
    return extracted(node.name, _term(node.expression, schema))


def _cast(node: exp.Cast, schema: Schema) -> Term:
    return cast_to(CAST_TARGETS[node.to.this], _term(node.this, schema))


# Texts


def _length(node: exp.Length, schema: Schema) -> Number:
    text = _text(node.this, schema)
    return exact_numbers.whole(text.expr.str.len_chars(), 2**32, _weight(text))


def _of_one_text(node: exp.Expr, schema: Schema) -> Value:
    text = _text(node.this, schema)
    return Value(changed_text(node, text.expr), "string", _weight(text))


def _concat(node: exp.Concat, schema: Schema) -> Value:
    texts = [_text(part, schema) for part in node.expressions]
    return Value(pl.concat_str([text.expr.fill_null("") for text in texts]), "string", _weight(*texts) + len(texts))


def _joined(node: exp.DPipe, schema: Schema) -> Value:
    left, right = _text(node.this, schema), _text(node.expression, schema)
    return Value(left.expr + right.expr, "string", _weight(left, right))


def _affix(node: exp.StartsWith | exp.EndsWith, schema: Schema) -> Value:
    text, affix = _text(node.this, schema), _text(node.expression, schema)
    test = text.expr.str.starts_with if isinstance(node, exp.StartsWith) else text.expr.str.ends_with
    return Value(test(affix.expr), "boolean", _weight(text, affix))


def _regexp(node: exp.RegexpLike, schema: Schema) -> Value:
    text = _text(node.this, schema)
    return Value(text.expr.str.contains(node.expression.name), "boolean", _weight(text))


def _like(node: exp.Like | exp.Escape, schema: Schema) -> Value:
    like, escape = (node.this, node.expression.name) if isinstance(node, exp.Escape) else (node, None)
    text = _text(like.this, schema)
    found = text.expr.str.contains(like_regex(like.expression.name, escape))
    return Value(~found if like.args.get("negate") else found, "boolean", _weight(text) + 1)


_HANDLERS: Mapping[type[exp.Expr], Callable[[Any, Schema], Term]] = {
    exp.Column: _column, exp.Paren: _bracket, exp.And: _connected, exp.Or: _connected, exp.Not: _not, exp.Is: _is,
    **dict.fromkeys(COMPARISONS, _comparison), exp.Between: _between, exp.In: _in,
    exp.Case: _case, exp.Coalesce: _coalesce, exp.Least: _least, exp.Greatest: _greatest, exp.Nullif: _nullif,
    **dict.fromkeys(ARITHMETIC, _arithmetic), **dict.fromkeys(_OF_ONE_NUMBER, _of_one_number), exp.Round: _round,
    exp.Extract: _extract, exp.Cast: _cast, exp.TryCast: _cast,
    exp.Length: _length, exp.Concat: _concat, exp.DPipe: _joined, exp.StartsWith: _affix, exp.EndsWith: _affix,
    exp.RegexpLike: _regexp, exp.Like: _like, exp.Escape: _like,
    **dict.fromkeys((exp.Lower, exp.Upper, exp.Trim, exp.Substring), _of_one_text),
}  # fmt: skip
