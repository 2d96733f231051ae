"""SQL predicates of the published table → the same conditions in the dialect of another engine, or the reason why there is none."""

from collections.abc import Callable, Mapping

import polars as pl
import sqlglot
from sqlglot import exp

from contract_core.exports.portable_pattern import NotPortable, portable_pattern

_LIKE = "(?s)"
_MOST_REPEATS = {"postgres": 255, "duckdb": 1000}
_MOST_DIGITS = 38
_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
Types = Mapping[str, pl.DataType]


def in_dialect(predicate: str, types: Types, dialect: str) -> exp.Expr:
    """The condition for one engine. Raises NotPortable, in plain words, where that engine could judge a row otherwise."""
    tree = sqlglot.parse_one(predicate)
    own = _OWN.get(dialect, _as_it_is)

    def changed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.RegexpLike):
            written = exp.Literal.string(_pattern(node.expression.name, dialect))
            return exp.RegexpLike(this=node.this, expression=written)
        return own(node, types)

    written = tree.transform(changed)
    if dialect == "delta" or _says_it_of_nulls(tree):
        return written
    return exp.Is(this=exp.paren(written), expression=exp.true())


def _for_delta(node: exp.Expr, _: Types) -> exp.Expr:
    """By a name that delta-rs 1.6 can write down again."""
    return exp.Anonymous(this="CHARACTER_LENGTH", expressions=[node.this]) if isinstance(node, exp.Length) else node


def _for_duckdb(node: exp.Expr, types: Types) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.name == "btrim":
        return exp.Anonymous(this="TRIM", expressions=node.expressions)
    if isinstance(node, exp.Mul):
        return exp.Mul(this=_with_room(node, types), expression=node.expression)
    return node


def _for_postgres(node: exp.Expr, types: Types) -> exp.Expr:
    if isinstance(node, exp.IsNan):
        return exp.EQ(this=node.this, expression=exp.cast(exp.Literal.string("NaN"), exp.DType.DOUBLE))
    if isinstance(node, _ORDERED) and _compares_texts(node, types):
        return type(node)(this=_by_code_points(node.this), expression=_by_code_points(node.expression))
    return node


def _as_it_is(node: exp.Expr, _: Types) -> exp.Expr:
    return node


_OWN: Mapping[str, Callable[[exp.Expr, Types], exp.Expr]] = {
    "delta": _for_delta,
    "duckdb": _for_duckdb,
    "postgres": _for_postgres,
}


def _with_room(product: exp.Mul, types: Types) -> exp.Expr:
    """The decimal column of a product in as many digits as the product has: DuckDB fails where 18 digits, or 38, are too few."""
    side: exp.Expr = product.this
    factor = product.expression
    dtype = types.get(side.name) if isinstance(side, exp.Column) else None
    if not isinstance(dtype, pl.Decimal):
        return side
    literal = factor.find(exp.Literal)
    digits = dtype.precision + (len(literal.name) if literal is not None else 0)
    if digits > _MOST_DIGITS:
        raise NotPortable(f"it counts in more than {_MOST_DIGITS} digits")
    return exp.cast(side, exp.DataType.build(f"DECIMAL({_MOST_DIGITS}, {dtype.scale})"))


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
