"""Group rules → one lazy query for all that are about the same groups.

Rows are aggregated as they stream by, and each condition is asked once for each group.
"""

from collections.abc import Mapping

import polars as pl

from contract_core.candidate.columns import RAW
from contract_core.contract.group_sql import GroupExpression
from contract_core.contract.group_sql_types import check_group_types
from contract_core.validation.expression_terms import families_of
from contract_core.validation.expressions import compile_expression
from contract_core.validation.group_aggregates import Aggregated, aggregated
from contract_core.validation.promise_kinds import GroupsHold
from contract_core.validation.schema_match import Columns

_ANSWER, _ELSEWHERE = "__answer.", "__judged_elsewhere."
Types = Mapping[str, pl.DataType]


def judged_groups(rows: pl.LazyFrame, rules: Mapping[str, GroupsHold], columns: Columns) -> pl.LazyFrame:
    """One row with a struct for each rule: how many `groups` there are, and for how many it is `unknown` or `broken`.

    The rules are all about the same groups, so that rows are read once for all of them. A group that holds a text which did not
    decode, where a rule looks, is judged by `type` alone and counts as kept.
    """
    return answers(rows, rules, columns).select(
        pl.struct(groups=pl.len(), unknown=_unknown(name).sum(), broken=_broken(name, rule).sum()).alias(name)
        for name, rule in rules.items()
    )


def _unknown(name: str) -> pl.Expr:
    return pl.col(_ANSWER + name).is_null() & ~pl.col(_ELSEWHERE + name)


def _broken(name: str, rule: GroupsHold) -> pl.Expr:
    return ~pl.col(_ANSWER + name).fill_null(value=rule.keeps_unknown) & ~pl.col(_ELSEWHERE + name)


def answers(rows: pl.LazyFrame, rules: Mapping[str, GroupsHold], columns: Columns) -> pl.LazyFrame:
    """One row for each group, in any order: its key, and the answer to each rule, null where that is unknown.

    Rows with nulls in the same places of the key are of one group. No group is made where there is no row.
    """
    (by,) = {rule.by for rule in rules.values()}
    of_row: dict[str, pl.Expr] = {}
    of_group: dict[str, pl.Expr] = {}
    outcomes: dict[str, pl.Expr] = {}
    answer: dict[str, pl.Expr] = {}
    for name, rule in rules.items():
        parts = _aggregates(rule.condition, columns.types, name)
        for part in parts.values():
            of_row |= part.of_row
            of_group |= part.of_group
            outcomes[part.name] = part.outcome
        undecoded = _undecoded(rule, columns)
        if undecoded is not None:
            of_row[_ELSEWHERE + name] = undecoded
            of_group[_ELSEWHERE + name] = pl.col(_ELSEWHERE + name).max()
        answer[_ANSWER + name] = _compiled(rule.condition, parts, columns.types)
        answer[_ELSEWHERE + name] = pl.lit(value=False) if undecoded is None else pl.col(_ELSEWHERE + name)
    keys = [name for column in by for name in (column, RAW + column) if columns.has(name)]
    groups = rows.select(*keys, **of_row).group_by(keys).agg(**of_group).with_columns(**outcomes)
    return groups.select(*by, **answer)


def _undecoded(rule: GroupsHold, columns: Columns) -> pl.Expr | None:
    """True for a row with a text that did not decode, where the rule looks; None where there can be none."""
    used = dict.fromkeys((*rule.by, *rule.condition.columns))
    found = [pl.col(RAW + name).is_not_null() for name in used if columns.has(RAW + name)]
    return pl.any_horizontal(found) if found else None


def check_compiles(condition: GroupExpression, types: Types) -> None:
    """Raises RowSqlError, before any row is read, where the condition does not fit the columns that are there."""
    _compiled(condition, _aggregates(condition, types), types)


def _aggregates(condition: GroupExpression, types: Types, rule: str = "") -> dict[str, Aggregated]:
    for problem in check_group_types(condition, families_of(condition.columns, types)):
        raise problem
    return {name: aggregated(f"{name}.{rule}", aggregate, types) for name, aggregate in condition.aggregates.items()}


def _compiled(condition: GroupExpression, parts: Mapping[str, Aggregated], types: Types) -> pl.Expr:
    return compile_expression(condition.outer, {**types, **{name: part.term for name, part in parts.items()}})
