"""Conditions in SQL with the fields that were renamed under their newer names; one that cannot be read stays as it is."""

from collections.abc import Mapping

from sqlglot import exp

from contract_core.contract.group_sql import group_text, parse_group_sql
from contract_core.contract.promises import GroupRule
from contract_core.contract.row_sql import DIALECT, parse_row_sql
from contract_core.contract.sql_expression import RowSqlError


def followed_condition(text: str, renamed: Mapping[str, str]) -> str:
    """A condition over one row, with or without its predecessor."""
    try:
        tree = parse_row_sql(text, frozenset({"previous"})).tree.copy()
    except RowSqlError:
        return text
    _rename(tree, renamed)
    return tree.sql(DIALECT, identify=True)


def followed_group_condition(rule: GroupRule, renamed: Mapping[str, str]) -> str:
    """The condition of a group rule."""
    try:
        tree = parse_group_sql(rule.sql, rule.by).tree.copy()
    except RowSqlError:
        return rule.sql
    _rename(tree, renamed)
    return group_text(tree)


def _rename(tree: exp.Expr, renamed: Mapping[str, str]) -> None:
    for column in tree.find_all(exp.Column):
        if column.name in renamed:
            column.set("this", exp.to_identifier(renamed[column.name], quoted=True))
