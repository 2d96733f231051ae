"""Group rules → one lazy query for all that are about the same groups.

Rows are aggregated as they stream by, and each condition is asked once for each group.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from contract_core.candidate.columns import RAW
from contract_core.contract.group_sql import GroupExpression
from contract_core.contract.group_sql_types import check_group_types
from contract_core.validation.expression_terms import families_of
from contract_core.validation.expressions import compile_expression
from contract_core.validation.group_aggregates import Aggregated, Distinct, aggregated
from contract_core.validation.promise_kinds import GroupsHold
from contract_core.validation.schema_match import Columns

_ANSWER, _ELSEWHERE = "__answer.", "__judged_elsewhere."
Types = Mapping[str, pl.DataType]


@dataclass(frozen=True, slots=True)
class Grouping:
    """What all rules about the same groups ask of the rows: columns of each row, of each group, and what is read off those.

    `keys` tell the groups apart, and `distinct` are the aggregates that hold the values of a group which differ.
    """

    by: tuple[str, ...]
    keys: list[str]
    of_row: dict[str, pl.Expr] = field(default_factory=dict)
    of_group: dict[str, pl.Expr] = field(default_factory=dict)
    outcomes: dict[str, pl.Expr] = field(default_factory=dict)
    answer: dict[str, pl.Expr] = field(default_factory=dict)
    distinct: list[Distinct] = field(default_factory=list)

    def prepared(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """The columns of each row."""
        return rows.select(*self.keys, **self.of_row)

    def grouped(self, prepared: pl.LazyFrame) -> pl.LazyFrame:
        """The columns of each group."""
        return prepared.group_by(self.keys).agg(**self.of_group)


def judged_groups(rows: pl.LazyFrame, rules: Mapping[str, GroupsHold], columns: Columns) -> pl.LazyFrame:
    """One row with a struct for each rule: how many `groups` there are, and for how many it is `unknown` or `broken`.

    The rules are all about the same groups, so that rows are read once for all of them. A group that holds a text which did not
    decode, where a rule looks, is judged by `type` alone and counts as kept.
    """
    grouping = grouping_of(rules, columns)
    return judged(grouping.grouped(grouping.prepared(rows)), grouping, rules)


def judged(groups: pl.LazyFrame, grouping: Grouping, rules: Mapping[str, GroupsHold]) -> pl.LazyFrame:
    """The same from the columns of each group."""
    return _answered(groups, grouping).select(
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
    grouping = grouping_of(rules, columns)
    return _answered(grouping.grouped(grouping.prepared(rows)), grouping)


def _answered(groups: pl.LazyFrame, grouping: Grouping) -> pl.LazyFrame:
    return groups.with_columns(**grouping.outcomes).select(*grouping.by, **grouping.answer)


def grouping_of(rules: Mapping[str, GroupsHold], columns: Columns) -> Grouping:
    """What these rules, which are all about the same groups, ask of rows with these columns."""
    (by,) = {rule.by for rule in rules.values()}
    asked = Grouping(by, [name for column in by for name in (column, RAW + column) if columns.has(name)])
    for name, rule in rules.items():
        parts = _aggregates(rule.condition, columns.types, name)
        for part in parts.values():
            asked.of_row.update(part.of_row)
            asked.of_group.update(part.of_group)
            asked.outcomes[part.name] = part.outcome
            asked.distinct.extend([] if part.distinct is None else [part.distinct])
        undecoded = _undecoded(rule, columns)
        if undecoded is not None:
            asked.of_row[_ELSEWHERE + name] = undecoded
            asked.of_group[_ELSEWHERE + name] = pl.col(_ELSEWHERE + name).max()
        asked.answer[_ANSWER + name] = _compiled(rule.condition, parts, columns.types)
        asked.answer[_ELSEWHERE + name] = pl.lit(value=False) if undecoded is None else pl.col(_ELSEWHERE + name)
    return asked


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
