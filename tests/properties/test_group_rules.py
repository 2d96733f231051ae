"""Laws: DuckDB has the same answer for each group, and any text is a group rule or an error of ours."""

from typing import Any

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.contract.group_sql import GroupExpression, parse_group_sql
from contract_core.contract.group_sql_types import check_group_types
from contract_core.contract.row_sql import RowSqlError
from contract_core.validation.expression_terms import families_of
from contract_core.validation.group_rules import answers, judged_groups
from contract_core.validation.promise_kinds import GroupsHold
from contract_core.validation.schema_match import Columns
from tests.properties.group_rules import KEYS, SCHEMA, asked_of_duckdb, conditions, keyed, rows
from tests.properties.test_expressions import WORDS

COLUMNS = Columns(SCHEMA, is_text=False)
CASES = st.sampled_from(KEYS).flatmap(lambda by: st.tuples(st.just(by), keyed(conditions, by)))
SEVERAL = st.sampled_from(KEYS).flatmap(
    lambda by: st.tuples(st.just(by), st.lists(keyed(conditions, by), min_size=1, max_size=3))
)
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large]


def told_alone(frame: pl.LazyFrame, rule: GroupsHold) -> list[bool | None]:
    return answers(frame, {"r": rule}, COLUMNS).collect().get_column("__answer.r").to_list()


def in_counts(told: list[bool | None], keeps: bool) -> dict[str, int]:
    broken = told.count(False) + (0 if keeps else told.count(None))
    return {"groups": len(told), "unknown": told.count(None), "broken": broken}


@settings(max_examples=300, deadline=None, suppress_health_check=CALM)
@given(CASES, st.lists(rows, min_size=1, max_size=12))
def test_duckdb_has_the_same_answer_for_each_group(case: Any, given_rows: list[dict[str, Any]]) -> None:
    by, (ours, reference) = case
    promise = GroupsHold("g", by, parse_group_sql(ours, by), keeps_unknown=False)
    found = answers(pl.LazyFrame(given_rows, schema=SCHEMA), {"r": promise}, COLUMNS).collect(engine="streaming")
    assert {row[: len(by)]: row[len(by)] for row in found.rows()} == asked_of_duckdb(reference, by, given_rows)


@settings(max_examples=100, deadline=None, suppress_health_check=CALM)
@given(SEVERAL, st.lists(rows, max_size=12), st.booleans())
def test_each_of_several_rules_counts_the_groups_that_do_not_hold(
    case: Any, given_rows: list[dict[str, Any]], keeps: bool
) -> None:
    by, written = case
    rules = {
        f"{place}": GroupsHold("g", by, parse_group_sql(ours, by), keeps_unknown=keeps)
        for place, (ours, _) in enumerate(written)
    }
    frame = pl.LazyFrame(given_rows, schema=SCHEMA)
    alone = {name: told_alone(frame, rule) for name, rule in rules.items()}
    counted = judged_groups(frame, rules, COLUMNS).collect(engine="streaming").row(0, named=True)
    assert counted == {name: in_counts(told, keeps) for name, told in alone.items()}


@settings(max_examples=150, deadline=None, suppress_health_check=CALM)
@given(CASES)
def test_canonical_text_reads_as_the_same_rule(case: Any) -> None:
    by, (ours, _) = case
    expression = parse_group_sql(ours, by)
    again = parse_group_sql(expression.canonical, by)
    assert again == expression
    assert again.aggregates.keys() == expression.aggregates.keys()
    assert list(check_group_types(expression, families_of(expression.columns, SCHEMA))) == []


MORE = (
    *WORDS,
    "sum(",
    "count(",
    "DISTINCT",
    "max(",
    "bool_and(",
    "every(",
    "avg(",
    "FILTER (WHERE",
    "sum(a)",
    "count(*)",
    "WITHIN GROUP (",
    "IGNORE NULLS",
)


@settings(max_examples=1_500, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(MORE), max_size=25).map(" ".join)))
def test_any_text_gives_a_group_rule_or_an_error_of_ours(text: str) -> None:
    try:
        expression = parse_group_sql(text, ("a",))
    except RowSqlError as error:
        told = str(error)
        assert "\x1b" not in told
        return
    assert isinstance(expression, GroupExpression)
    assert parse_group_sql(expression.canonical, ("a",)) == expression
    assert all(
        isinstance(problem, RowSqlError)
        for problem in check_group_types(expression, dict.fromkeys(expression.columns, "integer"))
    )
