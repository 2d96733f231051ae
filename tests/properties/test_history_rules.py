"""Laws: DuckDB counts the same rows beside their predecessors, and the same keys that are gone; any text is a rule or an error of ours."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import duckdb
import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.contract.history_sql import of_predecessor, of_row, parse_history_sql
from contract_core.contract.row_sql import RowExpression, RowSqlError
from contract_core.validation.history_rules import compared_rows, returned_keys
from contract_core.validation.promise_kinds import HistoryHolds, KeysReturn
from contract_core.validation.schema_match import Columns
from tests.properties.group_rules import either, nullable, of
from tests.properties.test_expressions import WORDS

SCHEMA: Mapping[str, pl.DataType] = {
    "day": pl.Date(), "g": pl.String(), "h": pl.Boolean(), "i": pl.Int64(), "m": pl.Decimal(12, 2), "f": pl.Float64(), "s": pl.String(),
    "d": pl.Date(), "b": pl.Boolean(),
}  # fmt: skip
STORED = {
    "day": "DATE", "g": "VARCHAR", "h": "BOOLEAN", "i": "HUGEINT", "m": "DECIMAL(12,2)", "f": "DOUBLE", "s": "VARCHAR", "d": "DATE",
    "b": "BOOLEAN",
}  # fmt: skip
COLUMNS = Columns(SCHEMA, is_text=False)
KEYS = ((), ("g",), ("h",), ("g", "h"), ("h", "d", "g"), ("m",), ("f",))
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large]
Pair = tuple[str, str]  # our rule, and the same as DuckDB is asked it

days = st.dates(date(2026, 1, 1), date(2026, 1, 3))
floats = st.one_of(st.integers(-3, 3).map(lambda n: n / 2), st.sampled_from([-0.0, float("nan")]))
rows = st.fixed_dictionaries({
    "day": days, "g": nullable(st.sampled_from(["", "a", "A"])), "h": nullable(st.booleans()),
    "i": nullable(st.one_of(st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63)]))), "m": nullable(st.decimals(-2, 2, places=2)),
    "f": nullable(floats), "s": nullable(st.sampled_from(["", "a", "é"])), "d": nullable(days), "b": nullable(st.booleans()),
})  # fmt: skip


def both(name: str) -> st.SearchStrategy[Pair]:
    return st.sampled_from([(name, f"now.{name}"), (f"previous.{name}", f"previous.{name}")])


def built(template: str, *parts: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.tuples(*parts).map(lambda found: of(template, *found))


signs = either("=", "<>", "<", "<=", ">", ">=", "IS NOT DISTINCT FROM")
numbers = st.one_of(
    both("i"),
    both("m"),
    built("({} - {})", both("i"), both("i")),
    built("COALESCE({}, 0)", both("m")),
    built("ABS({})", both("i")),
)
doubles = st.one_of(both("f"), built("({} * 2)", both("f")), built("({} - {})", both("f"), both("f")))
plain = st.one_of(
    built("{} {} {}", numbers, signs, numbers),
    built("{} {} 0.8 * {}", both("m"), signs, both("i")),
    built("{} {} {}", doubles, signs, doubles),
    built("{} {} {}", both("s"), signs, both("s")),
    built("{} - {} {} 1", both("d"), both("d"), signs),
    built("({} || {}) LIKE '%a%'", both("s"), both("s")),
    built("{} IS NULL", st.one_of(both("b"), both("s"), both("m"))),
    both("b"),
)  # fmt: skip
conditions = st.one_of(
    plain,
    built("({}) AND ({})", plain, plain),
    built("({}) OR ({})", plain, plain),
    built("NOT ({})", plain),
    built("CASE WHEN {} THEN {} ELSE {} END", both("b"), plain, plain),
).map(lambda pair: of("({}) OR previous.b IS NULL AND FALSE", pair))  # always of the predecessor too


def frame(given_rows: list[dict[str, Any]]) -> pl.LazyFrame:
    return pl.LazyFrame(given_rows, schema=SCHEMA)


def asked_of_duckdb(query: str, now: list[dict[str, Any]], before: list[dict[str, Any]]) -> tuple[Any, ...]:
    """The one row that DuckDB answers; NaN in a value is null to it, as it is to a condition, and beside it stands `f_key`."""
    with duckdb.connect() as connection:
        for name, given_rows in (("now", now), ("before", before)):
            columns = ", ".join(f"{column} {kind}" for column, kind in STORED.items())
            connection.execute(f"CREATE TABLE {name} ({columns}, f_key DOUBLE)")
            stored = [
                [*(None if _is_nan(row[column]) else row[column] for column in STORED), row["f"]] for row in given_rows
            ]
            if stored:
                connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * (len(STORED) + 1))})", stored)
        found = connection.execute(query).fetchone()
    assert found is not None
    return found


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value  # noqa: PLR0124 - only NaN differs from itself


def keyed(by: tuple[str, ...]) -> list[str]:
    return ["f_key" if name == "f" else name for name in by]


def reference(condition: str, by: tuple[str, ...], *, has_latest: bool, keeps: bool) -> str:
    keys = ", ".join(keyed(by)) or "1"
    same = " AND ".join(f"now.{name} IS NOT DISTINCT FROM previous.{name}" for name in keyed(by)) or "TRUE"
    latest = f"QUALIFY rank() OVER (PARTITION BY {keys} ORDER BY day DESC) = 1" if has_latest else ""
    return f"""
        WITH latest AS (SELECT * FROM before {latest}),
        counted AS (SELECT *, count(*) OVER (PARTITION BY {keys}) AS several FROM latest),
        single AS (SELECT * FROM counted WHERE several = 1),
        judged AS (SELECT ({condition}) AS answer FROM now JOIN single AS previous ON {same})
        SELECT count(*), count(*) FILTER (WHERE NOT COALESCE(answer, {keeps})), count(*) FILTER (WHERE answer IS NULL),
        (SELECT count(*) FROM now WHERE NOT EXISTS (SELECT 1 FROM before AS previous WHERE {same})),
        (SELECT count(*) FROM now WHERE EXISTS (SELECT 1 FROM counted AS previous WHERE several > 1 AND {same})) FROM judged
    """


@settings(max_examples=150, deadline=None, suppress_health_check=CALM)
@given(
    conditions,
    st.sampled_from(KEYS),
    st.lists(rows, max_size=8),
    st.lists(rows, max_size=8),
    st.booleans(),
    st.booleans(),
)
def test_duckdb_counts_the_same_rows(
    condition: Pair,
    by: tuple[str, ...],
    now: list[dict[str, Any]],
    before: list[dict[str, Any]],
    has_latest: bool,
    keeps: bool,
) -> None:
    ours, theirs = condition
    rule = HistoryHolds("h", by, "day" if has_latest else None, parse_history_sql(ours), keeps_unknown=keeps)
    found = compared_rows(frame(now), {"r": rule}, COLUMNS, frame(before)).collect(engine="streaming").row(0)[0]
    told = tuple(found[name] for name in ("judged", "broken", "unknown", "skipped", "ambiguous"))
    assert told == asked_of_duckdb(reference(theirs, by, has_latest=has_latest, keeps=keeps), now, before)
    assert found["judged"] + found["skipped"] + found["ambiguous"] + found["undecoded"] == len(now)


@settings(max_examples=50, deadline=None, suppress_health_check=CALM)
@given(
    st.lists(conditions, min_size=1, max_size=3),
    st.sampled_from(KEYS),
    st.lists(rows, max_size=8),
    st.lists(rows, max_size=8),
)
def test_several_rules_are_answered_as_each_alone(
    written: list[Pair], by: tuple[str, ...], now: list[dict[str, Any]], before: list[dict[str, Any]]
) -> None:
    rules = {
        f"{place}": HistoryHolds("h", by, "day", parse_history_sql(ours), keeps_unknown=False)
        for place, (ours, _) in enumerate(written)
    }
    together = compared_rows(frame(now), rules, COLUMNS, frame(before)).collect(engine="streaming").row(0, named=True)
    assert together == {
        name: compared_rows(frame(now), {name: rule}, COLUMNS, frame(before)).collect().row(0, named=True)[name]
        for name, rule in rules.items()
    }


@settings(max_examples=75, deadline=None, suppress_health_check=CALM)
@given(st.sampled_from(KEYS), st.lists(rows, max_size=8), st.lists(rows, max_size=8))
def test_duckdb_counts_the_same_keys_that_are_gone(
    by: tuple[str, ...], now: list[dict[str, Any]], before: list[dict[str, Any]]
) -> None:
    keys = ", ".join(keyed(by)) or "1"
    query = f"""
        WITH published AS (SELECT DISTINCT {keys} FROM before)
        SELECT (SELECT count(*) FROM published),
        (SELECT count(*) FROM (SELECT * FROM published EXCEPT SELECT {keys} FROM now)), 0
    """
    found = returned_keys(frame(now), KeysReturn("v", by), COLUMNS, frame(before)).collect(engine="streaming").row(0)
    assert found == asked_of_duckdb(query, now, before)


@settings(max_examples=100, deadline=None)
@given(conditions)
def test_canonical_text_reads_as_the_same_rule(condition: Pair) -> None:
    expression = parse_history_sql(condition[0])
    assert parse_history_sql(expression.canonical) == expression
    assert {*of_row(expression), *(f"previous.{name}" for name in of_predecessor(expression))} == set(
        expression.columns
    )


MORE = (
    *WORDS,
    "previous.a",
    'previous."a"',
    "previous",
    '"previous.a"',
    "previous.previous.a",
    "previous.*",
    "before.a",
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(MORE), max_size=20).map(" ".join)))
def test_any_text_gives_a_history_rule_or_an_error_of_ours(text: str) -> None:
    try:
        expression = parse_history_sql(text)
    except RowSqlError as error:
        told = str(error)
        assert "\x1b" not in told
        return
    assert isinstance(expression, RowExpression)
    assert of_predecessor(expression) != ()
    assert parse_history_sql(expression.canonical) == expression
