"""Laws: a row rule has one answer, Polars agrees with a plain evaluation, and any text is a rule or an error of ours."""

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.contract.row_sql import RowExpression, RowSqlError, parse_row_sql
from contract_core.contract.row_sql_types import check_types
from contract_core.validation.expressions import compile_expression
from tests.properties.row_rules import FAMILIES, SCHEMA, Node, Row, TooLargeError, conditions, expected, rows


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conditions.filter(lambda node: len(node[0]) < 2_000), st.lists(rows, min_size=1, max_size=5))
def test_polars_agrees_with_plain_evaluation(node: Node, given_rows: list[Row]) -> None:
    frame = pl.DataFrame(given_rows, schema=SCHEMA)
    expression = parse_row_sql(node[0])
    answers = frame.select(compile_expression(expression, SCHEMA)).to_series()
    assert answers.dtype == pl.Boolean
    wanted = [expected(node, row) for row in given_rows]
    pairs = zip(answers.to_list(), wanted, strict=True)
    assert all(want is TooLargeError or answer is want for answer, want in pairs), (answers.to_list(), wanted)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conditions.filter(lambda node: len(node[0]) < 2_000))
def test_canonical_text_reads_as_the_same_rule(node: Node) -> None:
    expression = parse_row_sql(node[0])
    again = parse_row_sql(expression.canonical)
    assert again == expression
    assert again.tree == parse_row_sql(again.canonical).tree
    assert list(check_types(expression, FAMILIES)) == []


WORDS = (
    "a", "b", '"a b"', "1", "1.5", "1e3", "'x'", "(", ")", "AND", "OR", "NOT", "IS", "NULL", "TRUE", "IN", "LIKE", "BETWEEN", "CASE",
    "WHEN", "THEN", "ELSE", "END", "=", "<", "<>", "+", "-", "*", "/", "%", "||", ",", ".", "COALESCE(", "CAST(", "AS", "BIGINT", "DATE",
    "'2026-10-01'", "EXTRACT(", "YEAR", "FROM", "SELECT", "TRIM(", "ESCAPE", "ROUND(", "SUBSTRING(", "INTERVAL", "DISTINCT", "EXISTS(",
    "count(*)", "OVER", "->", "::", "[", "]", "{", "}", ";", "--", "/*", "*/", "?", "@", "$1", ":x", "\n", "ALL", "ANY", "LAMBDA", "WITH",
    "ORDER BY", "FILTER", "COLLATE", "AT TIME ZONE", "VARCHAR(", "TIMESTAMP", "IF(", "STRUCT", "MAP", "UNION", "JSON", "GROUP", "ILIKE",
)  # fmt: skip


@settings(max_examples=2_000, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)))
def test_any_text_gives_a_rule_or_an_error_of_ours(text: str) -> None:
    try:
        expression = parse_row_sql(text)
    except RowSqlError as error:
        told = str(error)
        assert "\x1b" not in told
        return
    assert isinstance(expression, RowExpression)
    assert parse_row_sql(expression.canonical) == expression
    problems = list(check_types(expression, dict.fromkeys(expression.columns, "integer")))
    assert all(isinstance(problem, RowSqlError) for problem in problems)
    if not problems:
        compile_expression(expression, dict.fromkeys(expression.columns, pl.Int64()))
