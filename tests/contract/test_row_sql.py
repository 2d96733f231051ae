"""Row rules in SQL: what is read, what is refused by which name, and where it stands."""

import logging
import sys

import pytest

from contract_core.contract.row_sql import MAX_DEPTH, MAX_NESTING, MAX_TEXT, RowSqlError, parse_row_sql

PREVIOUS = frozenset({"previous"})


@pytest.mark.parametrize(
    "sql",
    [
        "a = 1", "a <> 1", "a != 1", "a < 1", "a <= 1", "a > 1", "a >= 1", "a IS NULL", "a IS NOT NULL", "a IS DISTINCT FROM b",
        "a IS NOT DISTINCT FROM b", "a IS TRUE", "a IS NOT FALSE", "a AND b OR NOT c", "a IN (1, 2)", "a NOT IN ('x', NULL)",
        "a IN ((1), -2, DATE '2026-10-01')", "a BETWEEN 1 AND 2", "a NOT BETWEEN 1 AND 2", "a LIKE 'x%'", "a NOT LIKE 'x!%' ESCAPE '!'",
        "a + 1 - 2 * 3 / 4 % 5 = -b", "CASE WHEN a THEN b ELSE c END", "CASE a WHEN 1 THEN TRUE END", "COALESCE(a, b)", "NULLIF(a, b)",
        "ABS(a) = ROUND(b) + ROUND(b, 2) + FLOOR(c) + CEIL(d)", "LEAST(a, 1) = GREATEST(b, 2)", "LENGTH(a) = CHAR_LENGTH(b)",
        "LOWER(a) = UPPER(b)", "TRIM(a) = LTRIM(b) || RTRIM(c)", "SUBSTRING(a, 1, 2) = SUBSTRING(a FROM 3)", "CONCAT(a, 'x') = b",
        "STARTS_WITH(a, 'x')", "ENDS_WITH(a, 'x')", "REGEXP_LIKE(a, '^[A-Z]+$')", "EXTRACT(year FROM a) = YEAR(a)",
        "EXTRACT(dow FROM a) = 0 AND HOUR(a) = MINUTE(a)", "CAST(a AS BIGINT) = TRY_CAST(b AS DOUBLE)", "CAST(a AS DATE) = b",
        "CAST(a AS VARCHAR) = 'x'", "a = TIMESTAMP '2026-10-01 09:30:00'", "a = TIMESTAMPTZ '2026-10-01 09:30:00+02:00'", "TRUE", "is_open",
        "a = 1 -- why", "a /* why */ = 1", '"a b" = 1', '"select" = "from"', "data = 1 AND date = 2 AND year = 3 AND rows = 4", "a = 1e3",
        "abs(SiebenTageInzidenzFaelle - AnzahlFaelle7Tage * 100000 / AnzEinwohner) < 0.001",
        "status <> 'final' OR case_count IS NOT NULL", "InvoiceNo NOT LIKE 'C%' OR Quantity < 0",
    ],
)  # fmt: skip
def test_allowed(sql: str) -> None:
    expression = parse_row_sql(sql)
    assert parse_row_sql(expression.canonical) == expression


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("a = (SELECT 1)", "SELECT"), ("a IN (SELECT b FROM c)", "SELECT"), ("SELECT 1", "SELECT"), ("EXISTS(FROM x)", ""),
        ("WITH x AS (VALUES (1)) FROM x", ""), ("SUM(a) = 1", "aggregate SUM"), ("COUNT(*) > 1", "COUNT"),
        ("SUM(a) OVER () = 1", "window"), ("foo(a) = 1", "function 'foo'"), ("NOW() = a", "function 'NOW'"),
        ("a = CURRENT_DATE", "CURRENT_DATE"), ("RANDOM() = a", "RAND"), ("a = 1; b = 2", "semicolon"), ("a = 1;", "semicolon"),
        ("a = ?", "parameter"), ("a = $1", "parameter"), ("a = :x", "colon"), ("a = @x", "parameter"), ("*", "'*'"),
        ("a.* = 1", ""), ("x -> x + 1", "'->'"), ("a = LAMBDA x : x", ""), ("a ->> 'b' = 'c'", "'->>'"), ("a[1] = 1", "subscript"),
        ("a = [1]", "subscript"), ("a = {'b': 1}", "struct"), ("a ~ 'x'", "'~'"), ("a ILIKE 'x'", "ILIKE"),
        ("a SIMILAR TO 'x'", "SIMILARTO"), ("a GLOB 'x'", "GLOB"), ("a // 2 = 1", "'//'"), ("a ^ 2 = 1", "power"), ("a & 1 = 1", "BITWISE"),
        ("a::DATE = b", "'::'"), ("a ?? b", "'??'"), ("a = INTERVAL 1 DAY", "INTERVAL"), ("(a, b) = (1, 2)", "list of values"),
        ("a = b AS c", "AS"), ("a COLLATE nocase = 'x'", "COLLATE"), ("a AT TIME ZONE 'UTC' = b", "ATTIMEZONE"), ("a = $$x$$", "'$$'"),
        ("a = E'x'", "E''"), ("a = N'x'", "N''"), ("IF(a, b, c)", "IF(…)"), ("a LIKE ANY ('x')", ""), ("a IN (b)", "IN takes"),
        ("a IN b", "IN"), ("a IN ()", "IN takes"), ("a IS b", "IS is followed"), ("a IS JSON", "IS is followed"), ("a LIKE b", "literal text"),
        ("a LIKE 'x' ESCAPE '!!'", "one character"), ("a LIKE '!x' ESCAPE '!'", "stands before neither"),
        ("REGEXP_LIKE(a, '(')", "no regular expression"), ("REGEXP_LIKE(a, 'x(?=y)')", "no regular expression"),
        ("REGEXP_LIKE(a, 'x', 'i')", "'flag'"), ("a BETWEEN SYMMETRIC 1 AND 2", "'symmetric'"), ("TRIM(BOTH 'x' FROM a) = b", "'expression'"),
        ("ROUND(a, -1) = 1", "ROUND takes"), ("ROUND(a, b) = 1", "ROUND takes"), ("SUBSTRING(a, 0) = b", "SUBSTRING takes"),
        ("CEIL(a, 2) = 1", "'decimals'"), ("LENGTH(a, b) = 1", "'binary'"), ("LOWER(DISTINCT a) = b", "DISTINCT"),
        ("CAST(a AS INTEGER) = 1", "type of a cast"), ("CAST(a AS TIMESTAMP) = b", "type of a cast"), ("CAST(a AS VARCHAR(3)) = b", "length"),
        ("EXTRACT(epoch FROM a) = 1", "part of a date"), ("x.a = 1", "'x.a' names a table"), ("x.y.a = 1", "'db'"), ("CASE END", ""),
        ("a = DATE '2026-02-30'", "no date"), ("a = DATE '20261001'", "no date"), ("a = TIMESTAMP '2026-10-01 09:00:00+02:00'", "no date"),
        ("a = TIMESTAMPTZ '2026-10-01 09:00:00'", "no date"), ("a = TIMESTAMPTZ '0001-01-01 00:00:00+23:00'", "no date"),
        ("a = 1e999", "out of range"), ("a = 123456789012345678901234567890123456789", "number cannot be read"), ("a = 0x10", ""),
        ("1", "true or false"), ("'x'", "true or false"), ("a + 1", "true or false"), ("LENGTH(a)", "true or false"), ("NULL", "true or false"),
        ("(((a || b)))", "true or false"), ("", "empty"), ("  -- nothing", "empty"), ("a = 'x", "not closed"), ("a = /* x", "not closed"),
        ("a =", ""), ("a 1", "at '1'"), ("(a = 1", ""), ("a = 1)", ""), ("`a` = 1", "unknown sign"), ("a = 1, b = 2", ""), ("\ud800 = 1", "Unicode"), ("a = '\x1b[0m'", "Unicode"),
    ],
)  # fmt: skip
def test_refused_by_name(sql: str, named: str) -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_row_sql(sql)
    assert named in caught.value.what
    assert "\x1b" not in str(caught.value)


def test_an_unknown_function_gets_the_nearest_names_first_and_then_all() -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_row_sql("a = 1 AND\n  start_with(b, 'x')")
    assert caught.value.hint.startswith("allowed: STARTS_WITH, ")
    others = caught.value.hint.split(", ")
    others = others[others.index("% * + - /") :]
    assert others == sorted(others)
    assert {"ABS", "CASE", "LIKE", "YEAR"} < set(others)
    assert (caught.value.line, caught.value.column) == (2, 3)


@pytest.mark.parametrize("sql", ["SUM(a) = 1", "a > (SELECT max(b))"])
def test_what_is_about_several_rows_is_sent_to_groups(sql: str) -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_row_sql(sql)
    assert caught.value.hint.endswith("stand under groups")


@pytest.mark.parametrize(
    ("sql", "place"),
    [("a = 1 AND x.abc = 2", (1, 11)), ("a\n =\n  ;", (3, 3)), ("a = 1 extra", (1, 7)), ("NOT abc LIKE b", (1, 5))],
)
def test_the_place_counts_from_one(sql: str, place: tuple[int, int]) -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_row_sql(sql)
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a=1 and b is  not null", "a = 1 AND NOT b IS NULL"), ("a != 1", "a <> 1"), ('"a" = 1', "a = 1"),
        ("((a)) = (1)", "a = 1"), ("(a = 1 AND b = 2) AND c = 3", "a = 1 AND b = 2 AND c = 3"), ("a = 1 -- x", "a = 1"),
        ("YEAR(a) = 1", "EXTRACT(year FROM a) = 1"), ("(a * b) + c = 1", "a * b + c = 1"), ("a IN ((1))", "a IN (1)"),
        ("CHAR_LENGTH(a) = 1", "length(a) = 1"),
    ],
)  # fmt: skip
def test_reformatting_changes_nothing(one: str, other: str) -> None:
    assert parse_row_sql(one) == parse_row_sql(other)
    assert hash(parse_row_sql(one)) == hash(parse_row_sql(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a * (b + c) = 1", "a * b + c = 1"), ("a - (b - c) = 1", "a - b - c = 1"), ("NOT (a AND b)", "NOT a AND b"),
        ("(a OR b) AND c", "a OR b AND c"), ("-(a + b) = 1", "-a + b = 1"), ("(a = b) = c", "a = (b = c)"), ("A = 1", "a = 1"),
        ("(NOT a) = b", "NOT a = b"), ("(a = b) IS NULL", "a = (b IS NULL)"), ("a = 'X'", "a = 'x'"),
    ],
)  # fmt: skip
def test_brackets_and_case_that_matter_are_kept(one: str, other: str) -> None:
    assert parse_row_sql(one) != parse_row_sql(other)
    assert parse_row_sql(parse_row_sql(one).canonical) == parse_row_sql(one)


def test_columns_stand_in_order_of_first_use_with_their_case() -> None:
    sql = 'CASE WHEN "b b" > 1 THEN Zeta ELSE a END = "b b" AND zeta = "select"'
    assert parse_row_sql(sql).columns == ("b b", "Zeta", "a", "zeta", "select")


def test_a_qualifier_must_be_given() -> None:
    assert parse_row_sql("a >= 0.8 * previous.a", PREVIOUS).columns == ("a", "previous.a")
    with pytest.raises(RowSqlError, match=r"'other\.a' names a table") as caught:
        parse_row_sql("a = other.a", PREVIOUS)
    assert caught.value.hint == "before the dot may stand: previous"
    with pytest.raises(RowSqlError, match="reads like a qualified one"):
        parse_row_sql('"previous.a" = 1', PREVIOUS)
    assert parse_row_sql('"previous.a" = 1').columns == ("previous.a",)


def test_text_has_a_limit() -> None:
    assert parse_row_sql("a = '" + "x" * (MAX_TEXT - 6) + "'")
    with pytest.raises(RowSqlError, match="10001 characters"):
        parse_row_sql("a = '" + "x" * (MAX_TEXT - 5) + "'")


NESTED = {
    "brackets": ("(", "a", ")"), "functions": ("COALESCE(", "a", ", TRUE)"), "cases": ("CASE WHEN ", "a", " THEN TRUE END"),
    "nots": ("NOT ", "a", ""), "lists": ("a IN (", "1", ")"), "signs": ("- ", "a", ""),
}  # fmt: skip


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("depth", [MAX_NESTING + 1, 100, 1_000])
def test_deep_nesting_is_refused(kind: str, depth: int) -> None:
    before, middle, after = NESTED[kind]
    with pytest.raises(RowSqlError, match=r"nests too deeply|IN takes"):
        parse_row_sql((before * depth + middle + after * depth)[:MAX_TEXT])


@pytest.mark.parametrize("kind", ["brackets", "functions", "cases", "nots"])
def test_nesting_up_to_the_limit_is_read(kind: str) -> None:
    before, middle, after = NESTED[kind]
    assert parse_row_sql(before * MAX_NESTING + middle + after * MAX_NESTING)


def test_long_chains_of_and_are_no_nesting_but_long_sums_are() -> None:
    assert len(parse_row_sql(" AND ".join(f"c{number} = 1" for number in range(600))).columns) == 600
    with pytest.raises(RowSqlError, match="nests too deeply"):
        parse_row_sql(" + ".join(["a"] * (MAX_DEPTH + 1)) + " = 1")


@pytest.mark.parametrize(
    "word",
    ["a IN ", "a BETWEEN ", "CASE ", "CAST(", "DATE ", "INTERVAL ", "PRIOR ", "a IS ", "x.", "a LIKE ", "a = NOT "],
)
def test_repeated_words_never_end_in_a_recursion_error(word: str) -> None:
    with pytest.raises(RowSqlError):
        parse_row_sql((word * 2_000)[:MAX_TEXT])


def test_little_stack_left_is_no_recursion_error() -> None:
    def deeper(frames: int) -> str:
        if frames:
            return deeper(frames - 1)
        with pytest.raises(RowSqlError, match="nests too deeply"):
            parse_row_sql("(" * 15 + "a" + ")" * 15)
        return "refused"

    used, frame = 0, sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]  # None ends the loop
        used += 1
    assert deeper(sys.getrecursionlimit() - used - 200) == "refused"


def test_sqlglot_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for sql in ("a -> '$[' = 1", "SHOW x", "ALTER TABLE x", "a = 1 LIMIT 1", "a IN (1, 2)", "LEAST(a, 1) = 1"):
            try:
                parse_row_sql(sql)
            except RowSqlError:
                continue
    assert caplog.records == []
