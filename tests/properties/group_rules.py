"""Group rules for the laws: generated conditions, each with the same question to DuckDB over a table that says what we say of NaN.

DuckDB's table has whole numbers as HUGEINT, so that nothing is too large there either, and the column `f` without its NaN. What
NaN spoils is written out in the reference (`known`), and so is that a division by zero is unknown, which DuckDB has by setting.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import duckdb
import polars as pl
from hypothesis import strategies as st

SCHEMA: Mapping[str, pl.DataType] = {
    "g": pl.String(), "h": pl.Boolean(), "e": pl.Date(), "i": pl.Int64(), "u": pl.UInt64(), "k": pl.Int8(), "m": pl.Decimal(12, 2),
    "w": pl.Decimal(38, 4), "f": pl.Float64(), "s": pl.String(), "d": pl.Date(), "b": pl.Boolean(),
}  # fmt: skip
_STORED = {
    "g": "VARCHAR", "h": "BOOLEAN", "e": "DATE", "i": "HUGEINT", "u": "HUGEINT", "k": "HUGEINT", "m": "DECIMAL(12,2)", "w": "DECIMAL(38,4)",
    "f": "DOUBLE", "s": "VARCHAR", "d": "DATE", "b": "BOOLEAN", "nan": "BOOLEAN",
}  # fmt: skip
TEXTS = ("", "a", "B", "é", "e\u0301", "ß", "👍", "a b", "\n", "%")
KEYS = (("g",), ("h",), ("e",), ("g", "h"), ("h", "e", "g"))
Pair = tuple[str, str]  # our rule, and the same as DuckDB is asked it


def nullable(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(values, values, values, st.none())


days = st.dates(date(2026, 1, 1), date(2026, 1, 9))
large = st.one_of(st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63), 2**62, -(2**62)]))
floats = st.one_of(st.integers(-8, 8).map(lambda n: n / 4), st.sampled_from([-0.0, 0.0]))
rows = st.fixed_dictionaries({
    "g": nullable(st.sampled_from(TEXTS)), "h": nullable(st.booleans()), "e": nullable(days),
    "i": nullable(large), "u": nullable(st.one_of(st.integers(0, 3), st.just(2**64 - 1))), "k": nullable(st.integers(-5, 5)),
    "m": nullable(st.decimals(-9, 9, places=2)), "w": nullable(st.decimals(-(10**20), 10**20, places=4)),
    "f": nullable(st.one_of(floats, floats, st.just(float("nan")))), "s": nullable(st.sampled_from(TEXTS)), "d": nullable(days),
    "b": nullable(st.booleans()),
})  # fmt: skip


def of(template: str, *parts: Pair) -> Pair:
    return template.format(*(part[0] for part in parts)), template.format(*(part[1] for part in parts))


def built(template: str, *parts: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.tuples(*parts).map(lambda found: of(template, *found))


def either(*texts: str) -> st.SearchStrategy[Pair]:
    return st.sampled_from([(text, text) for text in texts])


whole_rows = either(
    "i",
    "u",
    "k",
    "-i",
    "i + k",
    "k * 3",
    "ABS(i)",
    "i - u",
    "CASE WHEN b THEN k END",
    "COALESCE(i, 7)",
    "k % 3",
    "1",
    "NULLIF(k, 2)",
    "LENGTH(s)",
    "d - e",
)
exact_rows = st.one_of(whole_rows, either("m", "m + k", "m * 2", "COALESCE(m, 0.5)", "ROUND(m, 1)", "w", "w - m", "-w"))
small_rows = either("k", "m", "k + m", "COALESCE(m, 0.25)")
text_rows = either("s", "g || s", "COALESCE(s, 'é')", "TRIM(s)")
day_rows = either("d", "e", "COALESCE(d, e)", "d + 3", "CASE WHEN b THEN d ELSE e END")
flag_rows = either(
    "b",
    "h",
    "k > 0",
    "s = 'a'",
    "d >= e",
    "i IS NULL",
    "m BETWEEN -1 AND 2",
    "NOT b",
    "b AND h",
    "s IN ('a', 'é', NULL)",
)
filters = st.one_of(
    st.just(("", "")),
    flag_rows.map(lambda flag: of(" FILTER (WHERE {})", flag)),
    either(" FILTER (WHERE k > 99)", " FILTER (WHERE f > 0)"),
)


def aggregate(names: str, parts: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return built("{}({}){}", either(*names.split()), parts, filters)


def known(call: str, value: str, where: str) -> Pair:
    """An aggregate of a value with `f` in it: unknown where one of the rows has no value because `f` is NaN."""
    spoiled = f"COALESCE(BOOL_OR(nan AND ({value}) IS NULL){where}, FALSE)"
    return f"{call}({value}){where}", f"CASE WHEN NOT {spoiled} THEN {call}({value}){where} END"


float_aggregates = st.builds(
    lambda call, value, where: known(call, value, where[0]),
    st.sampled_from(["SUM", "MIN", "MAX"]), st.sampled_from(["f", "f + 0.25", "COALESCE(f, 1)", "CASE WHEN f > 0 THEN k END", "f * CAST(k AS DOUBLE)"]), filters,
)  # fmt: skip
counts = st.one_of(
    filters.map(lambda where: of("COUNT(*){}", where)),
    built("COUNT({}){}", st.one_of(exact_rows, text_rows, day_rows, flag_rows, either("f")), filters),
    built("COUNT(DISTINCT {}){}", st.one_of(exact_rows, text_rows, day_rows, flag_rows, either("f", "f - f")), filters),
)
exacts = st.one_of(counts, aggregate("SUM MIN MAX sum", exact_rows))
numbers = st.one_of(
    exacts,
    built("({} {} {})", exacts, either("+", "-"), exacts),
    built("ABS({})", exacts),
    built("COALESCE({}, 0)", exacts),
    built("CASE WHEN {} > 1 THEN {} ELSE {} END", counts, exacts, exacts),
    built("NULLIF({}, {})", exacts, counts),
    built("GREATEST({}, {})", exacts, exacts),
)
divided = st.builds(
    lambda left, right: (f"({left[0]} / {right[0]})", f"({left[1]} / NULLIF({right[1]}, 0))"), counts, counts
)
doubles = st.one_of(float_aggregates, aggregate("AVG", small_rows), divided)
flags = st.one_of(
    aggregate("BOOL_AND BOOL_OR bool_and", flag_rows), aggregate("MIN MAX", either("b", "h")),
    flag_rows.map(lambda flag: (f"EVERY({flag[0]})", f"BOOL_AND({flag[1]})")),
)  # fmt: skip
signs = either("=", "<>", "<", "<=", ">", ">=", "IS NOT DISTINCT FROM")
plain = st.one_of(
    built("{} {} {}", numbers, signs, numbers),
    built("{} {} {}", numbers, signs, either("0", "1", "2", "3", "-1", "0.5")),
    built("{} {} {}", doubles, signs, either("0", "0.5", "1", "-0.25")),
    built(
        "{} {} {}",
        aggregate("MIN MAX", text_rows),
        signs,
        st.one_of(aggregate("MIN MAX", text_rows), either("'a'", "'é'")),
    ),
    built(
        "{} {} {}",
        aggregate("MIN MAX", day_rows),
        signs,
        st.one_of(aggregate("MIN MAX", day_rows), either("DATE '2026-01-04'")),
    ),
    built("{} - {} {} 3", aggregate("MAX", day_rows), aggregate("MIN", day_rows), signs),
    built("{} BETWEEN 1 AND 3", numbers),
    built("{} IN (0, 1, NULL)", counts),
    built("{} IS NULL", st.one_of(exacts, flags, doubles)),
    flags,
)
conditions = st.one_of(
    plain,
    built("({}) AND ({})", plain, plain),
    built("({}) OR ({})", plain, plain),
    built("NOT ({})", plain),
    built("({}) IS NOT TRUE", plain),
)


def keyed(condition: st.SearchStrategy[Pair], by: tuple[str, ...]) -> st.SearchStrategy[Pair]:
    """Also with the key of the group in the condition."""
    key = st.sampled_from(by).map(lambda name: (name, name))
    return st.one_of(condition, condition, built("{} IS NULL OR {}", key, condition))


def asked_of_duckdb(
    condition: str, by: tuple[str, ...], given_rows: list[dict[str, Any]]
) -> dict[tuple[Any, ...], bool | None]:
    """The answer to the reference condition by key."""
    columns = ", ".join(f"{name} {kind}" for name, kind in _STORED.items())
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({columns})")
        stored = [
            [*(None if _is_nan(row[name]) else row[name] for name in SCHEMA), _is_nan(row["f"])] for row in given_rows
        ]
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(_STORED))})", stored)
        keys = ", ".join(by)
        found = connection.execute(f"SELECT {keys}, ({condition}) FROM t GROUP BY {keys}").fetchall()
    return {row[:-1]: row[-1] for row in found}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value  # noqa: PLR0124 - only NaN differs from itself
