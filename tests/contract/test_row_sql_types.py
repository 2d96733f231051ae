"""Types in row rules: what fits together, what does not, and what to write instead."""

import pytest

from contract_core.contract.row_sql import parse_row_sql
from contract_core.contract.row_sql_types import check_types

FAMILIES = {
    "text": "string", "other_text": "string", "count": "integer", "amount": "number", "flag": "boolean", "day": "date", "at": "timestamp",
    "hour_of_day": "time", "lasted": "duration", "blob": "binary", "doc": "object", "items": "array",
}  # fmt: skip


def problems(sql: str) -> list[tuple[str, str]]:
    return [(problem.what, problem.hint) for problem in check_types(parse_row_sql(sql), FAMILIES)]


@pytest.mark.parametrize(
    "sql",
    [
        "count = amount", "count > 5.5", "amount IN (1, 2.5)", "count BETWEEN 0 AND amount", "text = other_text AND text < 'x'", "flag",
        "flag = TRUE", "NOT flag OR count = 1", "day = DATE '2026-10-01'", "at > TIMESTAMP '2026-10-01 00:00:00'", "CAST(at AS DATE) = day",
        "at < TIMESTAMPTZ '2026-10-01 00:00:00Z'", "hour_of_day = hour_of_day", "lasted < lasted", "blob = blob", "doc IS NOT NULL",
        "items IS NULL", "COALESCE(flag, FALSE)", "COALESCE(count, 0.5) > 0", "CASE WHEN flag THEN count ELSE 0.5 END > 0",
        "CASE text WHEN 'a' THEN TRUE ELSE NULL END", "NULLIF(text, '') IS NULL", "LENGTH(text) % 2 = 0", "count % 2 = 0",
        "ROUND(amount, 2) = amount", "text || 'x' LIKE 'a%'", "CONCAT(text, NULL) = 'x'", "YEAR(day) = 2026 AND HOUR(at) = 1",
        "EXTRACT(minute FROM hour_of_day) = 0", "CAST(text AS BIGINT) = count", "CAST(flag AS BIGINT) = 1", "CAST(count AS VARCHAR) = text",
        "day - day < 30", "day + 30 > day", "text IN ('a', NULL)", "count IS DISTINCT FROM NULL", "LEAST(day, DATE '2026-10-01') = day",
        "CASE WHEN flag THEN day END = day", "-count < ABS(amount)", "STARTS_WITH(text, other_text)", "NULL OR flag", "(flag AND NULL) = flag",
    ],
)  # fmt: skip
def test_what_fits(sql: str) -> None:
    assert problems(sql) == []


@pytest.mark.parametrize(
    ("sql", "what", "hint"),
    [
        ("text > 5", "string and integer do not compare", "write '5' in quotes"),
        ("count = '5'", "integer and string do not compare", "write 5 without quotes"),
        ("count = 'x'", "integer and string do not compare", "write the number without quotes"),
        ("text = count", "string and integer do not compare", "write CAST(… AS BIGINT) for the text"),
        ("text IN ('a', 1)", "string and integer do not compare", "write '1' in quotes"),
        ("flag = 1", "boolean and integer do not compare", "write TRUE or FALSE"),
        ("day = '2026-10-01'", "date and string do not compare", "write DATE '2026-10-01'"),
        ("'2026-10-01' < day", "string and date do not compare", "write DATE '2026-10-01'"),
        ("day BETWEEN '2026-10-01' AND DATE '2026-10-02'", "date and string do not compare", "write DATE '2026-10-01'"),
        ("at > '2026-10-01 00:00:00'", "timestamp and string do not compare", "write TIMESTAMP '2026-10-01 00:00:00'"),
        (
            "day = at",
            "date and timestamp do not compare",
            "write CAST(… AS DATE) for the timestamp, or TIMESTAMP '2026-10-01 00:00:00' for the date",
        ),
        ("lasted = hour_of_day", "duration and time do not compare", "cast one of them"),
        ("doc = doc", "object cannot be compared", "only IS NULL and IS NOT NULL are known for it"),
        ("COALESCE(items, items) IS NULL", "array cannot be compared", "only IS NULL and IS NOT NULL are known for it"),
        ("count = NULL", "a comparison with NULL is never true", "write IS NULL or IS NOT NULL"),
        ("text + 1 = 2", "string cannot be calculated with", "write CAST(… AS DOUBLE)"),
        (
            "day * 2 = day",
            "date cannot be calculated with",
            "dates: date - date, date + whole days; others: compare them",
        ),
        ("amount % 2 = 0", "% takes integers only", "write CAST(column AS BIGINT)"),
        ("ABS(text) = 1", "string stands where a number is needed", "write CAST(… AS DOUBLE)"),
        ("LENGTH(count) = 1", "integer stands where string is needed", "write CAST(… AS VARCHAR)"),
        ("count LIKE '1%'", "integer stands where string is needed", "write CAST(… AS VARCHAR)"),
        ("CONCAT(text, count) = 'x'", "integer stands where string is needed", "write CAST(… AS VARCHAR)"),
        ("count AND flag", "integer stands where boolean is needed", "compare it: column > 0, column = 'text'"),
        ("text IS TRUE", "string stands where boolean is needed", "compare it: column > 0, column = 'text'"),
        (
            "CASE WHEN count THEN flag END",
            "integer stands where boolean is needed",
            "compare it: column > 0, column = 'text'",
        ),
        ("COALESCE(text, 0) = 'x'", "string and integer do not compare", "write '0' in quotes"),
        ("CASE WHEN flag THEN 'a' ELSE day END = day", "string and date do not compare", "write DATE 'a'"),
        ("HOUR(day) = 1", "date has no hour", "it is taken from time or timestamp"),
        ("YEAR(text) = 1", "string has no year", "it is taken from date or timestamp"),
        ("CAST(amount AS VARCHAR) = 'x'", "number is not cast to string", "possible: boolean, date, integer, string"),
        ("CAST(doc AS VARCHAR) = 'x'", "object is not cast to string", "possible: boolean, date, integer, string"),
        ("text", "the rule gives string, not true or false", "compare it with something"),
        ("COALESCE(count, 1)", "the rule gives integer, not true or false", "compare it with something"),
    ],
)
def test_what_does_not_fit(sql: str, what: str, hint: str) -> None:
    assert problems(sql)[0] == (what, hint)


def test_an_unknown_column_is_told_once_with_the_nearest_name() -> None:
    found = problems("amuont + 1 > 2")
    assert [what for what, _ in found] == ["there is no column 'amuont'"]
    assert found[0][1].startswith("did you mean 'amount'? columns: amount, at, blob")


def test_all_problems_come_at_once_with_their_places() -> None:
    found = list(check_types(parse_row_sql("text > 5 AND\n  flag = 1"), FAMILIES))
    assert [(problem.line, problem.column) for problem in found] == [(1, 8), (2, 10)]
