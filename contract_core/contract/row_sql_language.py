"""What a row rule in SQL may be made of: an allow-list of constructs, and the Python value of each literal.

Whatever is not listed here is refused by its name. How the tree is read and written is left to `row_sql`, which types
fit together to `row_sql_types`, what a construct means to `contract_core.validation.expressions`.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from difflib import get_close_matches
from typing import TypeAlias, cast

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from contract_core.contract.sql_expression import MAX_DIGITS, RowSqlError

LiteralValue: TypeAlias = str | int | Decimal | float | bool | date | datetime | None


FUNCTIONS: Mapping[str, type[exp.Expr]] = {
    "ABS": exp.Abs, "CAST": exp.Cast, "CEIL": exp.Ceil, "CHAR_LENGTH": exp.Length, "COALESCE": exp.Coalesce,
    "CONCAT": exp.Concat, "DAY": exp.Day, "ENDS_WITH": exp.EndsWith, "EXTRACT": exp.Extract, "FLOOR": exp.Floor,
    "GREATEST": exp.Greatest, "HOUR": exp.Hour, "LEAST": exp.Least, "LENGTH": exp.Length, "LOWER": exp.Lower,
    "LTRIM": exp.Trim, "MINUTE": exp.Minute, "MONTH": exp.Month, "NULLIF": exp.Nullif, "REGEXP_LIKE": exp.RegexpLike,
    "ROUND": exp.Round, "RTRIM": exp.Trim, "STARTS_WITH": exp.StartsWith, "SUBSTRING": exp.Substring,
    "TRIM": exp.Trim, "TRY_CAST": exp.TryCast, "UPPER": exp.Upper, "YEAR": exp.Year,
}  # fmt: skip
OPERATORS = (
    "% * + - /", "'text'", "< <= <> = > >=", "AND", "BETWEEN", "CASE", "DATE '…'", "IN (…)", "IS [NOT] DISTINCT FROM",
    "IS [NOT] NULL", "IS [NOT] TRUE", "LIKE", "NOT", "NULL", "OR", "TIMESTAMP '…'", "TRUE", "||", "numbers",
)  # fmt: skip
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
DATE_PARTS: Mapping[type[exp.Expr], str] = {
    exp.Year: "YEAR", exp.Month: "MONTH", exp.Day: "DAY", exp.Hour: "HOUR", exp.Minute: "MINUTE",
}  # fmt: skip
EXTRACTED = frozenset({*DATE_PARTS.values(), "DOW"})
CAST_TARGETS: Mapping[exp.DType, str] = {
    exp.DType.BIGINT: "integer", exp.DType.DOUBLE: "number", exp.DType.DATE: "date",
    exp.DType.TEXT: "string", exp.DType.VARCHAR: "string",
}  # fmt: skip

_ONE, _TWO = frozenset({"this"}), frozenset({"this", "expression"})
_MANY = frozenset({"this", "expressions", "ignore_nulls", "is_nvl"})  # the last two: dialect marks of sqlglot 30
_ARGUMENTS: Mapping[type[exp.Expr], frozenset[str]] = {
    **dict.fromkeys((*COMPARISONS, *ARITHMETIC, exp.And, exp.Or, exp.Is, exp.Escape, exp.Nullif), _TWO),
    **dict.fromkeys((exp.RegexpLike, exp.StartsWith, exp.EndsWith, exp.Extract), _TWO),
    **dict.fromkeys((exp.Not, exp.Neg, exp.Paren, exp.Null, exp.Boolean, exp.Abs, exp.Floor, exp.Ceil), _ONE),
    **dict.fromkeys((exp.Length, exp.Lower, exp.Upper, *DATE_PARTS, exp.Var), _ONE),
    **dict.fromkeys((exp.Coalesce, exp.Least, exp.Greatest), _MANY),
    exp.Column: frozenset({"this", "table"}),
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.In: frozenset({"this", "expressions"}),
    exp.Between: frozenset({"this", "low", "high"}),
    exp.Like: _TWO | {"negate"},
    exp.Case: frozenset({"this", "ifs", "default"}),
    exp.If: frozenset({"this", "true"}),
    exp.Round: frozenset({"this", "decimals"}),
    exp.Trim: frozenset({"this", "position"}),
    exp.Substring: frozenset({"this", "start", "length"}),
    exp.Concat: frozenset({"expressions", "safe", "coalesce"}),
    exp.DPipe: _TWO | {"safe"},
    exp.Cast: frozenset({"this", "to"}),
    exp.TryCast: frozenset({"this", "to", "safe"}),
    exp.DataType: frozenset({"this", "nested"}),
}
# Signs that sqlglot would read as something else that is allowed, or that are clearer refused where they stand.
_SIGNS: Mapping[TokenType, tuple[str, str]] = {
    TokenType.SEMICOLON: ("a semicolon", "write one expression for each rule"),
    TokenType.SELECT: (
        "SELECT",
        "a rule sees no other table; promises about several rows of the delivery stand under groups",
    ),
    TokenType.PLACEHOLDER: ("a parameter", "write the value itself"),
    TokenType.PARAMETER: ("a parameter", "write the value itself"),
    TokenType.COLON: ("a colon", "write the value itself"),
    TokenType.DCOLON: ("'::'", "write CAST(… AS …)"),
    TokenType.L_BRACKET: ("a list or subscript", "lists stand behind IN, in round brackets"),
    TokenType.L_BRACE: ("a struct", "name the columns one by one"),
    TokenType.ARROW: ("'->'", "lambdas and JSON paths are not allowed"),
    TokenType.DARROW: ("'->>'", "JSON paths are not allowed"),
    TokenType.TILDE: ("'~'", "write REGEXP_LIKE(column, 'pattern')"),
    TokenType.DQMARK: ("'??'", "write COALESCE(…)"),
    TokenType.CARET_AT: ("'^@'", "write STARTS_WITH(column, 'text')"),
    TokenType.UNKNOWN: ("an unknown sign", "names are quoted with double quotes, texts with single ones"),
}
_TEXT_TYPES = frozenset({TokenType.VARCHAR, TokenType.TEXT, TokenType.CHAR, TokenType.NVARCHAR, TokenType.NCHAR})
_NAMES = {
    "anonymous": "the function", "subquery": "a subquery", "exists": "EXISTS", "window": "a window function",
    "star": "'*'", "tuple": "a list of values", "alias": "AS", "interval": "INTERVAL", "intdiv": "'//'",
    "pow": "a power", "rawstring": "a '$$' text", "bytestring": "an E'' text", "national": "an N'' text",
    "ignorenulls": "ANY_VALUE or IGNORE NULLS", "dot": "a name with several dots",
    "filter": "FILTER", "if": "IF(…)", "datatype": "the type",
}  # fmt: skip
_ABOUT_GROUPS = "a row rule sees one row; promises about groups of rows stand under groups"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(
    _DATE.pattern + r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}(:[0-9]{2})?)?)?"
)
_NUMBER = re.compile(r"[0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?")


def refused(what: str, hint: str, node: exp.Expr) -> RowSqlError:
    """The error with the place of `node`, or of the first name below it: sqlglot keeps places for names only."""
    places = [child.meta for child in node.walk(bfs=False) if "start" in child.meta]
    if not places:
        return RowSqlError(what, hint)
    first = min(places, key=lambda meta: cast(int, meta["start"]))
    return RowSqlError(what, hint, first["line"], first["col"] - (first["end"] - first["start"]))


def check_token(token: Token, following: Token | None) -> None:
    """Refuse the signs that no rule contains, before sqlglot gives them a meaning."""
    place = token.line, max(1, token.col - len(token.text) + 1)
    if token.token_type in _SIGNS:
        what, hint = _SIGNS[token.token_type]
        raise RowSqlError(f"{what} is not allowed in a rule", hint, *place)
    if token.token_type in _TEXT_TYPES and following is not None and following.token_type is TokenType.L_PAREN:
        raise RowSqlError(f"a length in {token.text.upper()}(…) is not allowed", "write VARCHAR", *place)


def check_node(node: exp.Expr, aggregates: Iterable[str] = ()) -> None:
    """Refuse a node that is not on the list, or carries an argument that is not; `aggregates` are named beside the list."""
    known = _ARGUMENTS.get(type(node))
    if known is None or (isinstance(node, exp.If) and not isinstance(node.parent, exp.Case)):
        hint = _ABOUT_GROUPS if isinstance(node, exp.AggFunc) and not aggregates else allowed(_word(node), aggregates)
        raise refused(f"{named(node)} is not allowed in a {'group' if aggregates else 'row'} rule", hint, node)
    if extra := sorted(key for key, value in node.args.items() if value and key not in known):
        raise refused(f"{named(node)} is not allowed with '{extra[0]}'", "leave that part out", node)


def allowed(word: str, aggregates: Iterable[str] = ()) -> str:
    """All that a rule may use, sorted, the names closest to `word` first."""
    names = [*FUNCTIONS, *aggregates]
    near = get_close_matches(word.upper(), names, n=3)
    return "allowed: " + ", ".join([*near, *sorted({*names, *OPERATORS} - set(near))])


def _word(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this)
    return node.sql_name() if isinstance(node, exp.Func) else node.key


def named(node: exp.Expr) -> str:
    """The construct as a message calls it."""
    if isinstance(node, exp.Anonymous):
        return f"the function '{node.this}'"
    if isinstance(node, exp.AggFunc):
        return f"the aggregate {_word(node).upper()}"
    return _NAMES.get(node.key, _word(node).upper())


def is_literal(node: exp.Expr) -> bool:
    """Whether the node is a literal, a negative number and DATE '…' included."""
    match node:
        case exp.Literal() | exp.Boolean() | exp.Null():
            return True
        case exp.Neg(this=exp.Literal() as number):
            return not number.is_string
        case exp.Cast(this=exp.Literal() as text) if not isinstance(node, exp.TryCast):
            return text.is_string and (node.to.this is exp.DType.DATE or is_timestamp(node.to))
        case _:
            return False


def is_timestamp(type_: exp.Expr) -> bool:
    """Whether a data type is TIMESTAMP, with or without time zone; only literals may name it."""
    return type_.this in (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.TIMESTAMPTZ)


def literal_value(node: exp.Expr) -> LiteralValue:
    """The Python value of a literal: exact numbers as int or Decimal, 1e3 as float; RowSqlError if there is none."""
    match node:
        case exp.Null():
            return None
        case exp.Boolean():
            return bool(node.this)
        case exp.Neg():
            value = literal_value(node.this)  # not -value: a Decimal would lose the digits after the 28th
            return value.copy_negate() if isinstance(value, Decimal) else -cast(int, value)
        case exp.Literal():
            return str(node.this) if node.is_string else _number(node)
        case _:
            return _moment(node)


def _number(node: exp.Literal) -> int | Decimal | float:
    text = str(node.this)
    if not _NUMBER.fullmatch(text) or sum(map(str.isdigit, text)) > MAX_DIGITS:
        raise refused("a number cannot be read", f"write at most {MAX_DIGITS} digits, such as 12, 0.5 or 1e3", node)
    if "e" in text.lower():
        if float(text) in (float("inf"), 0.0) and re.match("[0.]*[1-9]", text):
            raise refused("a number is out of range", "a number with an exponent is a double", node)
        return float(text)
    return Decimal(text) if "." in text else int(text)


def _moment(node: exp.Expr) -> date | datetime:
    text, zoned = str(node.this.this), node.args["to"].this is exp.DType.TIMESTAMPTZ
    try:
        if node.args["to"].this is exp.DType.DATE:
            return date.fromisoformat(text if _DATE.fullmatch(text) else "")
        moment = datetime.fromisoformat(text if _TIMESTAMP.fullmatch(text) else "")
        if zoned is not (moment.tzinfo is None):
            return moment.astimezone(UTC) if zoned else moment
    except (ValueError, OverflowError):
        pass
    hint = "write DATE '2026-10-01', TIMESTAMP '2026-10-01 09:30:00' or TIMESTAMPTZ '2026-10-01 09:30:00+02:00'"
    raise refused(f"'{text}' is no date or timestamp of the type that is named", hint, node)
