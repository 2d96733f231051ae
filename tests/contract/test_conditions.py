"""Conditions in SQL are read once for each text, and are what the parser makes of it."""

import pytest

from contract_core.contract.conditions import group_condition, history_condition, row_condition
from contract_core.contract.group_sql import parse_group_sql
from contract_core.contract.history_sql import parse_history_sql
from contract_core.contract.row_sql import parse_row_sql
from contract_core.contract.sql_expression import RowSqlError


def test_a_condition_is_read_once() -> None:
    assert row_condition("a > 1 AND b IS NULL") is row_condition("a > 1 AND b IS NULL")
    assert group_condition("SUM(a) > 1", ("b",)) is group_condition("SUM(a) > 1", ("b",))
    assert history_condition("a > previous.a") is history_condition("a > previous.a")


def test_a_condition_is_what_the_parser_makes_of_it() -> None:
    assert row_condition("a > 1 OR (b < 2)") == parse_row_sql("a > 1 OR (b < 2)")
    assert group_condition("SUM(a) > 1", ("b",)) == parse_group_sql("SUM(a) > 1", ("b",))
    assert history_condition("a > previous.a") == parse_history_sql("a > previous.a")


def test_a_condition_about_other_groups_is_another_one() -> None:
    assert group_condition("b = 1 OR SUM(a) > 1", ("b",)).columns == ("b", "a")
    with pytest.raises(RowSqlError, match="'b'"):
        group_condition("b = 1 OR SUM(a) > 1", ("c",))


def test_a_condition_that_cannot_be_read_is_refused_each_time() -> None:
    with pytest.raises(RowSqlError) as first:
        row_condition("a >")
    with pytest.raises(RowSqlError) as second:
        row_condition("a >")
    assert (first.value.what, first.value.hint) == (second.value.what, second.value.hint)
