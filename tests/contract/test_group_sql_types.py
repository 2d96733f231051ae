"""Types inside of aggregates and between them, from the contract's families alone."""

import pytest

from contract_core.contract.group_sql import parse_group_sql
from contract_core.contract.group_sql_types import check_group_types

FAMILIES = {
    "i": "integer", "n": "number", "s": "string", "b": "boolean", "d": "date", "at": "timestamp", "t": "time", "x": "binary",
    "o": "object", "l": "array", "k": "string",
}  # fmt: skip


def told(sql: str) -> list[tuple[str, str]]:
    return [(problem.what, problem.hint) for problem in check_group_types(parse_group_sql(sql, ("k", "o")), FAMILIES)]


@pytest.mark.parametrize(
    "sql",
    [
        "sum(i) = 1 AND sum(n) > 0.5 AND avg(i) > avg(n)", "min(s) = 'a' AND max(d) > DATE '2026-01-01'", "max(at) > TIMESTAMP '2026-01-01 00:00:00'",
        "max(b) AND bool_or(i > 1)", "count(o) = count(l) AND count(s) = count(*)", "count(DISTINCT s) + count(DISTINCT x) = 2", "max(t) = min(t)",
        "max(x) = min(x)", "max(d) - min(d) < 7", "sum(i) % 2 = 0", "count(*) % 2 = 0", "sum(NULL) IS NULL", "sum(LENGTH(s)) < 10", "k = max(s)",
        "sum(i) FILTER (WHERE s = 'x' AND b) = 1", "CASE WHEN max(b) THEN sum(i) ELSE avg(n) END > 1", "o IS NULL OR count(*) = 1",
    ],
)  # fmt: skip
def test_what_fits(sql: str) -> None:
    assert told(sql) == []


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("sum(s) > 1", ("string stands where a number is needed", "write CAST(… AS DOUBLE)")),
        ("avg(d) > 1", ("date stands where a number is needed", "count such values, or compare them: COUNT(…), MIN(…), MAX(…)")),
        ("sum(b) > 1", ("boolean stands where a number is needed", "count such values, or compare them: COUNT(…), MIN(…), MAX(…)")),
        ("bool_and(i)", ("integer stands where boolean is needed", "compare it: column > 0, column = 'text'")),
        ("max(l) IS NULL", ("array cannot be compared", "only COUNT(…) is known for it")),
        ("count(DISTINCT o) = 1", ("object cannot be compared", "only COUNT(…) is known for it")),
        ("max(s) > 1", ("string and integer do not compare", "write '1' in quotes")),
        ("max(d) = '2026-01-01'", ("date and string do not compare", "write DATE '2026-01-01'")),
        ("max(d) = max(at)", ("date and timestamp do not compare", "write CAST(… AS DATE) for the timestamp, or TIMESTAMP '2026-10-01 00:00:00' for the date")),
        ("count(*) = '1'", ("integer and string do not compare", "write 1 without quotes")),
        ("avg(i) % 2 = 0", ("% takes integers only", "write CAST(column AS BIGINT)")),
        ("sum(i + s) > 1", ("string cannot be calculated with", "write CAST(… AS DOUBLE)")),
        ("sum(i) FILTER (WHERE i > 'a') = 1", ("integer and string do not compare", "write the number without quotes")),
        ("count(*) FILTER (WHERE i) = 1", ("the rule gives integer, not true or false", "compare it with something")),
        ("min(i)", ("the rule gives integer, not true or false", "compare it with something")),
        ("k = 1 AND count(*) > 0", ("string and integer do not compare", "write '1' in quotes")),
        ("max(b) = NULL", ("a comparison with NULL is never true", "write IS NULL or IS NOT NULL")),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_once(sql: str, problem: tuple[str, str]) -> None:
    assert told(sql) == [problem]
