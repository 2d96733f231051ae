"""Group rules in SQL: what is read, what is refused by which name, and where it stands."""

import pytest

from contract_core.contract.group_sql import parse_group_sql
from contract_core.contract.row_sql import MAX_DEPTH, MAX_NESTING, RowSqlError

BY = ("d", "e")


@pytest.mark.parametrize(
    "sql",
    [
        "count(*) > 0", "COUNT(a) = 1", "count(DISTINCT a) = 21", "sum(a) = 1", "min(a) < max(a)", "avg(a) > 0.5", "bool_and(a)", "BOOL_OR(a > 1)",
        "every(a)", "max(a)", "min(a)", "sum(a) FILTER (WHERE b = 'x') = sum(a) FILTER (WHERE b <> 'x')", "count(*) FILTER (WHERE a IS NULL) = 0",
        "count(DISTINCT a) FILTER (WHERE b) BETWEEN 1 AND 2", "abs(sum(a) - sum(b)) < 0.001", "coalesce(sum(a), 0) = 0", "nullif(count(*), 0) = 1",
        "round(avg(a), 2) = 1", "sum(a * b + 1) / count(*) > 1", "sum(CASE WHEN a THEN b ELSE 0 END) = 1", "CASE WHEN count(*) > 1 THEN max(a) END = 2",
        "count(*) IN (1, 2)", "sum(a) IS NOT NULL AND NOT min(b) IS DISTINCT FROM max(b)", "d > DATE '2026-01-01' OR count(*) = 0", "max(d) = d",
        "year(max(a)) = 2026", "greatest(sum(a), sum(b)) % 2 = 0", "max(a) || 'x' LIKE 'y%'", "-sum(a) = 1", "least(count(*), count(a), 3) = 3",
        'sum("a b") = 1', "count(*) -- why\n = 1", "bool_and(a) = bool_or(a)", "sum(a) > 1 = (max(b) IS TRUE)", "count(1) = sum(1)",
    ],
)  # fmt: skip
def test_allowed(sql: str) -> None:
    expression = parse_group_sql(sql, BY)
    assert parse_group_sql(expression.canonical, BY) == expression


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("a > 1", "'a' may differ within a group"), ("sum(a) > b", "'b' may differ within a group"), ("a", "'a' may differ"), ("d = 1", "no aggregate"),
        ("TRUE", "no aggregate"), ("(SELECT 1) = count(*)", "SELECT"), ("count(*) = (SELECT sum(a) FROM t)", "SELECT"), ("EXISTS(FROM x)", ""),
        ("sum(a) OVER () = 1", "window"), ("sum(a) FILTER (WHERE b) OVER (PARTITION BY c) = 1", "window"), ("row_number() OVER () = 1", "window"),
        ("sum(sum(a)) = 1", "an aggregate stands inside of another"), ("max(count(*)) = 1", "inside of another"), ("bool_and(sum(a) > 1)", "inside of another"),
        ("sum(a) FILTER (WHERE count(*) > 1) = 1", "inside of another"), ("sum(abs(min(a))) = 1", "inside of another"),
        ("count(*) FILTER (WHERE sum(a) FILTER (WHERE b) = 1) = 1", "inside of another"),
        ("median(a) = 1", "aggregate MEDIAN"), ("stddev(a) = 1", "aggregate STDDEV"), ("count_if(a) = 1", "aggregate COUNT_IF"), ("mode(a) = 1", "MODE"),
        ("any_value(a) = 1", "ANY_VALUE"), ("first(a) = 1", "FIRST"), ("string_agg(a, ',') = 'x'", "aggregate"), ("list(a) = 1", "ARRAY_AGG"),
        ("quantile_cont(a, 0.5) = 1", "aggregate"), ("arg_max(a, b) = 1", "ARG_MAX"), ("mean(a) = 1", "function 'mean'"), ("foo(count(*)) = 1", "function 'foo'"),
        ("sum(foo(a)) = 1", "function 'foo'"), ("now() = max(a)", "function 'now'"), ("sum(a) > random()", "RAND"),
        ("sum(DISTINCT a) = 1", "DISTINCT stands in COUNT"), ("avg(DISTINCT a) = 1", "DISTINCT stands in COUNT"), ("max(DISTINCT a) = 1", "DISTINCT stands in COUNT"),
        ("count(DISTINCT a, b) = 1", "DISTINCT stands in COUNT"), ("count(DISTINCT *) = 1", "'*'"), ("count(a, b) = 1", "COUNT takes one value"),
        ("count() = 1", "COUNT takes one value"), ("max(a, 2) = 1", "MAX takes one value"), ("min(a, b) = 1", "MIN takes one value"), ("sum(*) = 1", "'*'"),
        ("count(t.*) = 1", "names a table"), ("count(* EXCLUDE (a)) = 1", "'*'"), ("sum(a ORDER BY b) = 1", "ORDER"), ("sum(a) WITHIN GROUP (ORDER BY a) = 1", "WITHINGROUP"),
        ("sum(a) IGNORE NULLS = 1", "IGNORE NULLS"), ("abs(a) FILTER (WHERE b) = 1", "FILTER follows ABS"), ("median(a) FILTER (WHERE b) = 1", "FILTER follows the aggregate MEDIAN"),
        ("sum(t.a) = 1", "names a table"), ("t.d = count(*)", "names a table"), ("previous.d = count(*)", "names a table"), ("sum(a)::DATE = d", "'::'"),
        ("sum(CAST(a AS INTEGER)) = 1", "type of a cast"), ("sum(a) FILTER (WHERE b LIKE c) = 1", "literal text"), ("count(*) FILTER (WHERE a + 1) = 1", "true or false"),
        ("count(*)", "true or false"), ("sum(a)", "true or false"), ("avg(a)", "true or false"), ("count(DISTINCT a)", "true or false"), ("sum(a) + 1", "true or false"),
        ("count(*) > 1; TRUE", "semicolon"), ("count(*) > ?", "parameter"), ("every(a, b)", "function 'every'"), ('"__aggregate.0" = count(*)', "may differ within"),
        ("", "empty"), ("count(* = 1", ""), ("count(*) =", ""), ("sum(a) = 'x", "not closed"), ("GROUPING(d) = 1", "GROUPING"),
    ],
)  # fmt: skip
def test_refused_by_name(sql: str, named: str) -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_group_sql(sql, BY)
    assert named in caught.value.what


def test_a_column_outside_is_refused_with_what_a_group_has() -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_group_sql("count(*) > 1 AND\n  b = 1", BY)
    assert caught.value.hint == "put it inside an aggregate, such as MAX(…); a group has: d, e"
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_an_unknown_function_is_answered_with_the_aggregates_too() -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_group_sql("summ(a) = 1", BY)
    assert caught.value.hint.startswith("allowed: SUM, ")
    assert {"AVG", "BOOL_AND", "COUNT", "FILTER (WHERE …)", "COALESCE"} < set(caught.value.hint.split(", "))


@pytest.mark.parametrize(
    ("sql", "place"),
    [("count(*) = 1 AND sum(sum(abc)) = 2", (1, 22)), ("sum(a) =\n  median(b)", (2, 3)), ("sum(a) FILTER (WHERE x.abc) = 1", (1, 22))],
)  # fmt: skip
def test_the_place_counts_from_one(sql: str, place: tuple[int, int]) -> None:
    with pytest.raises(RowSqlError) as caught:
        parse_group_sql(sql, BY)
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SUM(a)=1", "sum( a ) = 1"), ("sum((a)) = (1)", "sum(a) = 1"), ("every(a > 1)", "BOOL_AND(a > 1)"), ('sum("a") = 1', "sum(a) = 1"),
        ("count(*) filter (where (a = 1)) > 0", "count(*) FILTER (WHERE a=1) > 0"), ("count(ALL a) = 1", "count(a) = 1"), ("count(*) = 1 -- x", "count(*) = 1"),
        ("sum(a) FILTER (b) = 1", "sum(a) FILTER (WHERE b) = 1"), ("(min(a) = 1 AND max(a) = 2) AND avg(a) = 1", "min(a) = 1 AND max(a) = 2 AND avg(a) = 1"),
    ],
)  # fmt: skip
def test_reformatting_changes_nothing(one: str, other: str) -> None:
    assert parse_group_sql(one, BY) == parse_group_sql(other, BY)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("count(a) = 1", "count(DISTINCT a) = 1"), ("count(*) = 1", "count(a) = 1"), ("sum(a) FILTER (WHERE b) = 1", "sum(a) = 1"), ("sum(a) = 'X'", "sum(a) = 'x'"),
        ("sum(a * (b + 1)) = 1", "sum(a * b + 1) = 1"), ("bool_and(a)", "bool_or(a)"), ("sum(A) = 1", "sum(a) = 1"),
    ],
)  # fmt: skip
def test_what_differs_in_meaning_is_not_the_same(one: str, other: str) -> None:
    assert parse_group_sql(one, BY) != parse_group_sql(other, BY)


def test_columns_are_those_inside_and_outside_in_order_of_first_use() -> None:
    assert parse_group_sql("max(b) FILTER (WHERE c = 1) = d AND sum(a) = 1", BY).columns == ("b", "c", "d", "a")


def test_equal_aggregates_are_one() -> None:
    expression = parse_group_sql("sum(a) > 1 AND SUM( a ) < 9 AND count(*) > 1", BY)
    assert [aggregate.kind for aggregate in expression.aggregates.values()] == ["sum", "count"]


def test_the_condition_around_aggregates_names_them_as_columns() -> None:
    expression = parse_group_sql("sum(a) FILTER (WHERE b) > d", BY)
    assert expression.outer.columns == ("__aggregate.0", "d")
    (aggregate,) = expression.aggregates.values()
    assert (aggregate.kind, aggregate.value.canonical, aggregate.where.canonical) == ("sum", '"a"', '"b"')


@pytest.mark.parametrize("depth", [MAX_NESTING + 1, 1_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    with pytest.raises(RowSqlError, match="nests too deeply"):
        parse_group_sql("sum(" + "(" * depth + "a" + ")" * depth + ") = 1", BY)


def test_many_operators_in_a_row_are_refused() -> None:
    with pytest.raises(RowSqlError, match="nests too deeply"):
        parse_group_sql(" + ".join(["sum(a)"] * (MAX_DEPTH + 1)) + " = 1", BY)
