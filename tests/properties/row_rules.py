"""Row rules for the laws: generated SQL together with a plain evaluation of it over Python values.

Numbers are Fractions (exact) or floats; None is unknown. Nothing here knows sqlglot or our own code.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import strategies as st

SCHEMA: Mapping[str, pl.DataType] = {
    "i": pl.Int64(), "u": pl.UInt64(), "k": pl.Int8(), "m": pl.Decimal(12, 2), "f": pl.Float64(), "s": pl.String(),
    "t": pl.String(), "d": pl.Date(), "b": pl.Boolean(), "c": pl.Boolean(),
}  # fmt: skip
FAMILIES = {
    "i": "integer", "u": "integer", "k": "integer", "m": "number", "f": "number", "s": "string", "t": "string",
    "d": "date", "b": "boolean", "c": "boolean",
}  # fmt: skip
ALPHABET = "aB é\n%_ß👍.\\"


class TooLargeError(Exception):
    """An intermediate number is near the end of Int128: the answer may be unknown there."""


Row = dict[str, Any]
Node = tuple[str, Callable[[Row], Any]]


def strict(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: None if any(value is None for value in values) else function(*values)


def bounded(value: Any) -> Any:
    if isinstance(value, Fraction) and abs(value.numerator) * 10**8 >= 2**126:
        raise TooLargeError
    return None if isinstance(value, float) and math.isnan(value) else value


def same_kind(left: Any, right: Any) -> tuple[Any, Any]:
    is_float = isinstance(left, float) or isinstance(right, float)
    return (float(left), float(right)) if is_float else (left, right)


def calculated(symbol: str, left: Any, right: Any) -> Any:
    if symbol == "/":
        return bounded(float(left) / float(right)) if right != 0 else None
    if symbol == "%":
        return None if right == 0 else Fraction(int(math.copysign(1, left)) * (abs(left) % abs(right)))
    return bounded({"+": operator.add, "-": operator.sub, "*": operator.mul}[symbol](*same_kind(left, right)))


def compared(symbol: str, left: Any, right: Any) -> bool:
    known = {
        "=": operator.eq,
        "<>": operator.ne,
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
    }
    if isinstance(left, str):
        left, right = left.encode(), right.encode()
    return bool(
        known[symbol](*same_kind(left, right)) if isinstance(left, Fraction | float) else known[symbol](left, right)
    )


def rounded(value: Fraction, digits: int) -> Fraction:
    scaled = abs(value) * 10**digits
    whole = math.floor(scaled + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, 10**digits)


def liked(text: str, pattern: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(liked(text[start:], pattern[1:]) for start in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and liked(text[1:], pattern[1:])


def conjunction(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def negation(value: bool | None) -> bool | None:
    return None if value is None else not value


def disjunction(left: bool | None, right: bool | None) -> bool | None:
    return negation(conjunction(negation(left), negation(right)))


def column(name: str) -> Node:
    def read(row: Row) -> Any:
        value = row[name]
        if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
            return value
        return bounded(value) if isinstance(value, float) else Fraction(value)

    return name, read


def constant(text: str, value: Any) -> Node:
    return text, lambda _: value


def apply(template: str, function: Callable[..., Any], *parts: Node) -> Node:
    return template.format(*(part[0] for part in parts)), lambda row: function(*(part[1](row) for part in parts))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def short(strategy: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """The same strategy under a short name: Hypothesis writes the whole of the others into its messages."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Node:
        return draw(strategy)

    return drawn()


def of_two(parts: st.SearchStrategy[Node], symbols: str, function: Callable[..., Any]) -> st.SearchStrategy[Node]:
    def build(left: Node, symbol: str, right: Node) -> Node:
        return apply(f"({{}} {symbol} {{}})", strict(lambda x, y: function(symbol, x, y)), left, right)

    return st.builds(build, parts, st.sampled_from(symbols.split()), parts)


def choice(conditions: st.SearchStrategy[Node], parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    def build(condition: Node, then: Node, other: Node) -> Node:
        return apply("CASE WHEN {} THEN {} ELSE {} END", lambda w, a, b: a if w is True else b, condition, then, other)

    return st.builds(build, conditions, parts, parts)


def fallback(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(lambda a, b: apply("COALESCE({}, {})", lambda x, y: y if x is None else x, a, b), parts, parts)


def least(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    def build(a: Node, b: Node) -> Node:
        return apply("LEAST({}, {})", lambda x, y: min((v for v in (x, y) if v is not None), default=None), a, b)

    return st.builds(build, parts, parts)


def one(template: str, function: Callable[..., Any], parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return parts.map(lambda part: apply(template, strict(function), part))


plain_flags = st.sampled_from([column("b"), column("c")])
whole_literals = st.integers(-20, 20).map(lambda n: constant(f"({n})", Fraction(n)))
exact_literals = st.decimals(-20, 20, places=2).map(lambda n: constant(f"({n})", Fraction(n)))
whole_leaves = st.one_of(st.sampled_from([column("i"), column("u"), column("k")]), whole_literals)
wholes = short(
    st.one_of(
        whole_leaves,
        of_two(whole_leaves, "+ - * %", calculated),
        one("ABS({})", abs, whole_leaves),
        one("(-{})", operator.neg, whole_leaves),
        fallback(whole_leaves),
        choice(plain_flags, whole_leaves),
    )
)
small_leaves = st.one_of(st.sampled_from([column("k"), column("m")]), whole_literals, exact_literals)
smalls = short(
    st.one_of(
        small_leaves,
        of_two(small_leaves, "+ - *", calculated),
        one("ROUND({}, 1)", lambda x: rounded(x, 1), small_leaves),
        one("ROUND({})", lambda x: rounded(x, 0), small_leaves),
        one("CAST({} AS BIGINT)", lambda x: rounded(x, 0), small_leaves),
        one("FLOOR({})", lambda x: Fraction(math.floor(x)), small_leaves),
        one("CEIL({})", lambda x: Fraction(math.ceil(x)), small_leaves),
        least(small_leaves),
        choice(plain_flags, small_leaves),
        st.builds(
            lambda a, b: apply("NULLIF({}, {})", lambda x, y: None if x is not None and x == y else x, a, b),
            small_leaves,
            small_leaves,
        ),
    )
)
floats = short(
    st.one_of(
        st.just(column("f")),
        of_two(smalls, "/", calculated),
        of_two(
            st.one_of(st.just(column("f")), small_leaves.map(lambda n: apply("CAST({} AS DOUBLE)", strict(float), n))),
            "+ - * /",
            calculated,
        ),
    )
)
texts = short(
    st.recursive(
        st.one_of(
            st.sampled_from([column("s"), column("t")]),
            st.text(ALPHABET, max_size=3).map(lambda x: constant(quoted(x), x)),
        ),
        lambda parts: st.one_of(
            one("LOWER({})", str.lower, parts),
            one("UPPER({})", str.upper, parts),
            one("TRIM({})", lambda x: x.strip(" "), parts),
            one("LTRIM({})", lambda x: x.lstrip(" "), parts),
            one("SUBSTRING({}, 2, 2)", lambda x: x[1:3], parts),
            of_two(parts, "||", lambda _, a, b: a + b),
            st.builds(lambda a, b: apply("CONCAT({}, {})", lambda x, y: (x or "") + (y or ""), a, b), parts, parts),
            fallback(parts),
            choice(plain_flags, parts),
        ),
        max_leaves=4,
    )
)
day_literals = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(lambda x: constant(f"DATE '{x}'", x))
days = short(
    st.one_of(
        st.just(column("d")),
        day_literals,
        st.builds(
            lambda day, n: apply("({} + {})", strict(lambda x, y: x + timedelta(days=int(y))), day, n),
            st.just(column("d")),
            whole_literals,
        ),
    )
)
more_smalls = short(
    st.one_of(
        smalls,
        one("LENGTH({})", lambda x: Fraction(len(x)), texts),
        one("EXTRACT(YEAR FROM {})", lambda x: Fraction(x.year), days),
        one("EXTRACT(dow FROM {})", lambda x: Fraction(x.isoweekday() % 7), days),
        of_two(days, "-", lambda _, a, b: Fraction((a - b).days)),
    )
)
alike = (more_smalls, wholes, floats, texts, days)


def between(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    def judged(value: Any, low: Any, high: Any) -> bool | None:
        above, below = (
            strict(lambda x, y, s=s: compared(s, x, y))(value, end) for s, end in ((">=", low), ("<=", high))
        )
        return conjunction(above, below)

    return st.builds(lambda a, b, c: apply("({} BETWEEN {} AND {})", judged, a, b, c), parts, parts, parts)


def listed(value: Node, items: list[Node]) -> Node:
    def judged(found: Any) -> bool | None:
        given = [item[1]({}) for item in items]
        if found is None:
            return None
        if any(item is not None and compared("=", found, item) for item in given):
            return True
        return None if None in given else False

    return f"({value[0]} IN ({', '.join(item[0] for item in items)}))", lambda row: judged(value[1](row))


def lists(parts: st.SearchStrategy[Node], literals: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    items = st.one_of(literals, literals, st.just(constant("NULL", None)))
    return st.builds(listed, parts, st.lists(items, min_size=1, max_size=4))


def distinct(left: Any, right: Any) -> bool:
    return (left is None) is not (right is None) if left is None or right is None else compared("<>", left, right)


patterns = st.text(ALPHABET, max_size=4)
text_literals = st.text(ALPHABET, max_size=3).map(lambda x: constant(quoted(x), x))
predicates = short(
    st.one_of(
        *(of_two(parts, "= <> < <= > >=", compared) for parts in alike),
        of_two(st.one_of(more_smalls, floats), "= <> < <= > >=", compared),
        of_two(st.one_of(more_smalls, wholes), "= <> < <= > >=", compared),
        *(between(parts) for parts in alike),
        *(st.builds(lambda a: apply("({} IS NULL)", lambda x: x is None, a), parts) for parts in alike),
        *(st.builds(lambda a, b: apply("({} IS DISTINCT FROM {})", distinct, a, b), parts, parts) for parts in alike),
        lists(wholes, st.one_of(whole_literals, exact_literals)),
        lists(floats, exact_literals),
        lists(texts, text_literals),
        lists(days, day_literals),
        st.builds(lambda a, p: apply(f"({{}} LIKE {quoted(p)})", strict(lambda x: liked(x, p)), a), texts, patterns),
        st.builds(
            lambda a, p: apply(f"({{}} NOT LIKE {quoted(p)})", strict(lambda x: not liked(x, p)), a), texts, patterns
        ),
        st.builds(lambda a, b: apply("STARTS_WITH({}, {})", strict(str.startswith), a, b), texts, texts),
        st.builds(lambda a, b: apply("ENDS_WITH({}, {})", strict(str.endswith), a, b), texts, texts),
        one("REGEXP_LIKE({}, 'a|^B')", lambda x: re.search("a|^B", x) is not None, texts),
    )
)
conditions = short(
    st.recursive(
        st.one_of(
            predicates,
            predicates,
            plain_flags,
            st.sampled_from(
                [constant("TRUE", True), apply("({} AND NULL)", lambda x: conjunction(x, None), column("b"))]
            ),
        ),
        lambda parts: st.one_of(
            st.builds(lambda a, b: apply("({} AND {})", conjunction, a, b), parts, parts),
            st.builds(lambda a, b: apply("({} OR {})", disjunction, a, b), parts, parts),
            st.builds(lambda a: apply("(NOT {})", negation, a), parts),
            st.builds(lambda a: apply("({} IS NOT TRUE)", lambda x: x is not True, a), parts),
            st.builds(lambda a: apply("({} IS FALSE)", lambda x: x is False, a), parts),
            choice(parts, parts),
            fallback(parts),
        ),
        max_leaves=5,
    )
)

rows = st.fixed_dictionaries(
    {
        "i": st.none() | st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1),
        "u": st.none() | st.integers(0, 3) | st.integers(0, 2**64 - 1),
        "k": st.none() | st.integers(-128, 127),
        "m": st.none() | st.decimals(-9999, 9999, places=2),
        "f": st.none() | st.sampled_from([0.0, -0.0, 0.5, math.nan, math.inf]) | st.floats(),
        "s": st.none() | st.text(ALPHABET, max_size=4),
        "t": st.none() | st.text(ALPHABET, max_size=4),
        "d": st.none() | st.dates(date(1900, 1, 1), date(2100, 1, 1)),
        "b": st.none() | st.booleans(),
        "c": st.none() | st.booleans(),
    }
)


def expected(node: Node, row: Row) -> Any:
    try:
        return node[1](row)
    except TooLargeError:
        return TooLargeError
