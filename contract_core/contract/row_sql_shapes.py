"""The shape of each construct in a row rule: lists hold literals, counts are whole numbers, patterns compile."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema
from sqlglot import exp

from contract_core.contract.row_sql_language import (
    CAST_TARGETS,
    EXTRACTED,
    is_literal,
    literal_value,
    refused,
)
from contract_core.contract.sql_expression import RowSqlError


def shape_problems(node: exp.Expr, qualifiers: frozenset[str]) -> Iterator[RowSqlError]:
    """Whatever is wrong with one node that is on the list."""
    if is_literal(node):
        literal_value(node)
    elif isinstance(node, exp.Column):
        yield from _name_problems(node, qualifiers)
    else:
        yield from _SHAPES.get(type(node), _no_problems)(node)


def _no_problems(_: exp.Expr) -> Iterator[RowSqlError]:
    return iter(())


def _case(node: exp.Case) -> Iterator[RowSqlError]:
    if not node.args["ifs"]:
        yield refused("CASE has no WHEN", "write CASE WHEN … THEN … END", node)


def _is(node: exp.Is) -> Iterator[RowSqlError]:
    if not isinstance(node.expression, exp.Null | exp.Boolean):
        yield refused("IS is followed by neither NULL, TRUE nor FALSE", "to compare values write =", node)


def _in(node: exp.In) -> Iterator[RowSqlError]:
    if not node.expressions or not all(is_literal(item) for item in node.expressions):
        yield refused("IN takes a list of literals", "write IN ('a', 'b'); compare columns with =", node)


def _cast(node: exp.Cast) -> Iterator[RowSqlError]:
    if node.to.this not in CAST_TARGETS:
        yield refused("the type of a cast is not allowed", "allowed: BIGINT, DATE, DOUBLE, VARCHAR", node)


def _extract(node: exp.Extract) -> Iterator[RowSqlError]:
    if node.name.upper().replace("DAYOFWEEK", "DOW") not in EXTRACTED:
        yield refused("this part of a date is not allowed", f"allowed: {', '.join(sorted(EXTRACTED))}", node)


def _round(node: exp.Round) -> Iterator[RowSqlError]:
    if not _is_count(node.args.get("decimals"), 0, 15):
        yield refused("ROUND takes a number of digits from 0 to 15", "write ROUND(column, 2)", node)


def _substring(node: exp.Substring) -> Iterator[RowSqlError]:
    if not (_is_count(node.args.get("start"), 1, 2**31) and _is_count(node.args.get("length"), 0, 2**31)):
        yield refused("SUBSTRING takes whole numbers, from 1", "write SUBSTRING(column, 1, 2)", node)


def _is_count(node: exp.Expr | None, low: int, high: int) -> bool:
    """A whole number in that range, or nothing where nothing is said."""
    return node is None or (isinstance(node, exp.Literal) and node.is_int and low <= int(str(node.this)) <= high)


def _name_problems(node: exp.Column, qualifiers: frozenset[str]) -> Iterator[RowSqlError]:
    """A column has a name, and before it at most a qualifier that is known."""
    if node.table and node.table not in qualifiers:
        names = f"before the dot may stand: {', '.join(sorted(qualifiers))}" if qualifiers else "write the column alone"
        yield refused(f"'{node.table}.{node.name}' names a table", names, node)
    if not isinstance(node.this, exp.Identifier) or not node.name:
        yield refused("a column has no name", 'write the name, in double quotes where it is no word: "a b"', node)
    if not node.table and node.name.split(".")[0] in qualifiers:
        yield refused(f"the column '{node.name}' reads like a qualified one", "rename the column", node)


def _pattern_problems(node: exp.Like | exp.Escape | exp.RegexpLike) -> Iterator[RowSqlError]:
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        yield refused(f"{node.key.upper()} takes a literal text", "write the pattern in single quotes", node)
    elif isinstance(node, exp.RegexpLike) and not _is_regex(pattern.name):
        yield refused("the pattern of REGEXP_LIKE is no regular expression", "write Rust regex syntax", node)
    elif isinstance(node, exp.Escape):
        yield from _escape_problems(node, pattern.name)


def _escape_problems(node: exp.Escape, sign: str) -> Iterator[RowSqlError]:
    if not isinstance(node.this, exp.Like) or len(sign) != 1:
        yield refused("ESCAPE takes one character and follows LIKE", "write LIKE '…' ESCAPE '!'", node)
    elif sign in re.sub(f"{re.escape(sign)}[%_{re.escape(sign)}]", "", node.this.expression.name):
        yield refused("the ESCAPE character stands before neither %, _ nor itself", "write it twice", node)


def _is_regex(pattern: str) -> bool:
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))  # the same Rust library that judges the rows
    except SchemaError:
        return False
    return True


_SHAPES: Mapping[type[exp.Expr], Callable[[Any], Iterator[RowSqlError]]] = {
    exp.Case: _case, exp.Is: _is, exp.In: _in, exp.Cast: _cast, exp.TryCast: _cast, exp.Extract: _extract,
    exp.Round: _round, exp.Substring: _substring,
    **dict.fromkeys((exp.Like, exp.Escape, exp.RegexpLike), _pattern_problems),
}  # fmt: skip
