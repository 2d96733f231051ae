"""Row rules written in SQL: from their text to a tree of which every node is allowed.

The text is read as DuckDB SQL, whatever engine judges it later: DuckDB is the dialect whose `/` is true division, whose
LENGTH counts code points, whose texts know no backslash escapes, and where x / 0 is NULL. Those are our semantics too.
"""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from contract_core.contract.row_sql_language import (
    ARITHMETIC,
    COMPARISONS,
    DATE_PARTS,
    check_node,
    check_token,
    refused,
)
from contract_core.contract.row_sql_shapes import shape_problems
from contract_core.contract.sql_expression import RowExpression, RowSqlError

__all__ = [
    "DIALECT", "RowExpression", "RowSqlError", "canonical_text", "check_condition", "column_key", "columns_of",
    "expression_of", "parse_row_sql", "read_condition", "with_one_spelling",
]  # fmt: skip

DIALECT = "duckdb"
MAX_TEXT = 10_000
MAX_DEPTH = 100
MAX_NESTING = 20  # brackets in brackets; sqlglot 30 takes about 26 Python frames for one of 1000

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_OPENING = frozenset({TokenType.L_PAREN, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.END})
_PREFIX = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS})
_NEVER_BOOLEAN = (
    *ARITHMETIC, exp.Abs, exp.Cast, exp.Ceil, exp.Concat, exp.DPipe, exp.Extract, exp.Floor, exp.Length, exp.Literal,
    exp.Lower, exp.Neg, exp.Null, exp.Round, exp.Substring, exp.Trim, exp.Upper,
)  # fmt: skip
_PREDICATES = (*COMPARISONS, exp.Is, exp.In, exp.Between, exp.Like, exp.Escape)
_LEVELS: tuple[tuple[type[exp.Expr], ...], ...] = (
    (exp.Or,), (exp.And,), (exp.Not,), _PREDICATES, (exp.DPipe,), (exp.Add, exp.Sub), (exp.Mul, exp.Div, exp.Mod),
    (exp.Neg,),
)  # fmt: skip


def parse_row_sql(text: str, qualifiers: frozenset[str] = frozenset()) -> RowExpression:
    """The rule that `text` states, or RowSqlError. `qualifiers` are the names that may stand before a dot."""
    tree = read_condition(text)
    for node in tree.walk(bfs=False):
        check_node(node)
        for problem in shape_problems(node, qualifiers):
            raise problem
    tree = with_one_spelling(tree)
    check_condition(tree)
    return expression_of(tree)


def read_condition(text: str) -> exp.Expr:
    """The tree of one condition without needless brackets, or RowSqlError; whether its nodes are allowed is yet to be seen."""
    _check_tokens(_tokens(text))
    return _without_needless_brackets(_tree(text))


def check_condition(tree: exp.Expr) -> None:
    """Raises RowSqlError for what can be neither true nor false, whatever the types of its columns."""
    top = tree.unnest()
    if isinstance(top, _NEVER_BOOLEAN):
        raise refused("a rule must be true or false", "compare it with something: column > 0", top)


def expression_of(tree: exp.Expr) -> RowExpression:
    """The expression that an allowed tree in one spelling is."""
    return RowExpression(canonical_text(tree), columns_of(tree), tree)


def canonical_text(tree: exp.Expr) -> str:
    """The tree in DuckDB SQL, with every name quoted."""
    return tree.sql(DIALECT, identify=True, comments=False, unsupported_level=ErrorLevel.IGNORE)


def column_key(column: exp.Column) -> str:
    """The name under which a rule's column is looked up: `x`, or `previous.x` where it is qualified."""
    return f"{column.table}.{column.name}" if column.table else column.name


def _tokens(text: str) -> list[Token]:
    if len(text) > MAX_TEXT:
        raise RowSqlError(f"the rule has {len(text)} characters", f"write at most {MAX_TEXT}, or several rules")
    strange = {unicodedata.category(sign) for sign in text if sign not in "\t\n\r"}
    if "Cc" in strange or "Cs" in strange:
        raise RowSqlError("the rule is not plain Unicode text", "remove control characters and lone surrogates")
    try:
        tokens = sqlglot.tokenize(text, read=DIALECT)
    except SqlglotError:
        raise RowSqlError("a quote or a comment is not closed", "a quote inside a text is doubled: 'it''s'") from None
    if not tokens:
        raise RowSqlError("the rule is empty", "write a condition such as: amount >= 0")
    return tokens


def _check_tokens(tokens: list[Token]) -> None:
    depth, run = 0, 0
    for token, following in pairwise([*tokens, None]):
        assert token is not None
        check_token(token, following)
        run = run + 1 if token.token_type in _PREFIX else 0
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth + run > MAX_NESTING:
            raise _too_deep(token.line, max(1, token.col - len(token.text) + 1))


def _too_deep(line: int | None = None, column: int | None = None) -> RowSqlError:
    hint = f"at most {MAX_NESTING} brackets in brackets and {MAX_DEPTH} operators in a row; write several rules"
    return RowSqlError("the rule nests too deeply", hint, line, column)


def _tree(text: str) -> exp.Expr:
    try:
        tree = sqlglot.parse_one(text, read=DIALECT, into=exp.Condition, error_level=ErrorLevel.IMMEDIATE)
    except ParseError as error:
        raise _syntax_error(error) from None
    except RecursionError:
        raise _too_deep() from None
    except (SqlglotError, ValueError, TypeError, AttributeError, LookupError):  # sqlglot 30 on some broken texts
        raise RowSqlError("the rule cannot be read as SQL", "write a condition such as: amount >= 0") from None
    _check_depth(tree)
    return tree


def _syntax_error(error: ParseError) -> RowSqlError:
    hint = "write one condition in SQL, such as: status <> 'final' OR case_count IS NOT NULL"
    if not error.errors:
        return RowSqlError(_ANSI.sub("", str(error)), hint)
    first = error.errors[0]
    sign = str(first.get("highlight") or "")
    what = _ANSI.sub("", str(first.get("description"))).split(" for <class")[0]
    line, column = first.get("line"), first.get("col")
    column = max(1, column - len(sign) + 1) if isinstance(column, int) else None
    return RowSqlError(f"{what} at '{sign}'" if sign else what, hint, line, column)


def _check_depth(tree: exp.Expr) -> None:
    """AND in AND and OR in OR are a list, however long; everything else counts."""
    pending: list[tuple[exp.Expr, int]] = [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise _too_deep()
        for child in node.iter_expressions():
            same = isinstance(node, exp.And | exp.Or) and type(child) is type(node)
            pending.append((child, depth if same else depth + 1))


def _level(node: exp.Expr | None) -> int | None:
    return next((level for level, types in enumerate(_LEVELS) if isinstance(node, types)), None)


def _without_needless_brackets(tree: exp.Expr) -> exp.Expr:
    tree = tree.unnest()
    tree.parent = None
    for bracket in list(tree.find_all(exp.Paren)):
        if not _is_needed(bracket):
            bracket.replace(bracket.this)
    return tree


def _is_needed(bracket: exp.Paren) -> bool:
    inner, outer = _level(bracket.this), _level(bracket.parent)
    if inner is None or outer is None:
        return False
    is_side = bracket.arg_key != "this" or isinstance(bracket.parent, _PREDICATES)
    return inner < outer or (inner == outer and is_side)


def with_one_spelling(tree: exp.Expr) -> exp.Expr:
    """YEAR(x) becomes EXTRACT(YEAR FROM x), and EXTRACT names its part in one way."""
    for node in list(tree.find_all(*DATE_PARTS, exp.Extract)):
        part = DATE_PARTS.get(type(node)) or node.name.upper().replace("DAYOFWEEK", "DOW")
        column = node.expression if isinstance(node, exp.Extract) else node.this
        node.replace(exp.Extract(this=exp.Var(this=part), expression=column))
    return tree


def columns_of(tree: exp.Expr) -> tuple[str, ...]:
    """The names of the columns in order of first use, a qualified one as `previous.x`."""
    columns: Iterable[exp.Column] = tree.find_all(exp.Column, bfs=False)
    in_text = sorted(columns, key=lambda column: int(column.this.meta.get("start", 0)))
    return tuple(dict.fromkeys(column_key(column) for column in in_text))
