"""SQL predicates of the published table → the same conditions in the dialect of another engine, or the reason why there is none."""

from collections.abc import Callable, Mapping

import polars as pl
import sqlglot
from sqlglot import exp

from contract_core.exports.portable_pattern import NotPortable, portable_pattern

_LIKE = "(?s)"
_MOST_REPEATS = {"postgres": 255, "duckdb": 1000}
_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
Types = Mapping[str, pl.DataType]


def in_dialect(predicate: str, types: Types, dialect: str) -> exp.Expr:
    """The condition for one engine. Raises NotPortable, in plain words, where that engine could judge a row otherwise."""
    tree = sqlglot.parse_one(predicate)

    def changed(node: exp.Expr) -> exp.Expr:
        match node:
            case exp.RegexpLike():
                return exp.RegexpLike(
                    this=node.this, expression=exp.Literal.string(_pattern(node.expression.name, dialect))
                )
            case exp.Anonymous() if node.name == "btrim" and dialect == "duckdb":
                return exp.Anonymous(this="TRIM", expressions=node.expressions)
            case exp.Length() if dialect == "delta":  # a name that delta-rs 1.6 can write down again
                return exp.Anonymous(this="CHARACTER_LENGTH", expressions=[node.this])
            case exp.IsNan() if dialect == "postgres":
                nan = exp.cast(exp.Literal.string("NaN"), exp.DType.DOUBLE)
                return exp.EQ(this=node.this, expression=nan)
            case exp.LT() | exp.LTE() | exp.GT() | exp.GTE() if dialect == "postgres" and _compares_texts(node, types):
                return type(node)(this=_by_code_points(node.this), expression=_by_code_points(node.expression))
            case _:
                return node

    written = tree.transform(changed)
    if dialect == "delta" or _says_it_of_nulls(tree):
        return written
    return exp.Is(this=exp.paren(written), expression=exp.true())


def _says_it_of_nulls(tree: exp.Expr) -> bool:
    """Whether the condition is never unknown: Delta refuses what is, and the other engines let it through."""
    names = {column.name for column in tree.find_all(exp.Column)}
    is_alternative = isinstance(tree, exp.Or)
    parts = tree.flatten() if is_alternative else ()
    return len(names) == 1 and any(isinstance(part, exp.Is) and isinstance(part.expression, exp.Null) for part in parts)


def _compares_texts(node: exp.Expr, types: Types) -> bool:
    sides = (node.this, node.expression)
    return any(isinstance(side, exp.Column) and isinstance(types.get(side.name), pl.String) for side in sides)


def _by_code_points(side: exp.Expr) -> exp.Expr:
    """Texts in the order of their signs, whatever the database's own order is."""
    if not isinstance(side, exp.Column):
        return side
    return exp.Collate(this=side, expression=exp.to_identifier("C", quoted=True))


def _pattern(pattern: str, dialect: str) -> str:
    """A pattern of the gate's engine in that of the dialect, found anywhere in a text as there."""
    is_like = pattern.startswith(_LIKE)
    written = portable_pattern(pattern.removeprefix(_LIKE))
    inner = written.removeprefix("^(?:").removesuffix(")$")
    if is_like:
        inner = inner.replace("[^\\n]", "(?:.|\\n)" if dialect != "delta" else "[\\s\\S]")
    _refuse_many_repeats(pattern, dialect)
    return _WRITERS[dialect](inner)


def _refuse_many_repeats(pattern: str, dialect: str) -> None:
    most = _MOST_REPEATS.get(dialect)
    numbers = [
        int(part) for piece in pattern.split("{")[1:] for part in piece.partition("}")[0].split(",") if part.isdigit()
    ]
    if most is not None and any(number > most for number in numbers):
        raise NotPortable(f"its pattern repeats something more than {most} times")


def _of_java(inner: str) -> str:
    """In Java `$` also stands before a last line end, and an escaped v for many signs."""
    is_whole = inner.startswith("^(?:") and inner.endswith(")$")
    body = inner.removeprefix("^").removesuffix("$") if is_whole or inner.startswith("^") else inner
    if "$" in body.replace("\\$", "") or "\\v" in body.replace("\\\\", ""):
        raise NotPortable("its pattern uses signs that mean more in Java")
    start = "\\A" if inner.startswith("^") else ""
    end = "\\z" if inner.endswith("$") and not inner.endswith("\\$") else ""
    return f"{start}{body}{end}"


_WRITERS: Mapping[str, Callable[[str], str]] = {
    "delta": _of_java,
    "duckdb": lambda inner: inner,
    "postgres": lambda inner: inner,
}
