"""Group rules over more rows than are held at a time: a share of the groups after the other, and in each a share of the values
that COUNT(DISTINCT) tells apart, however few the groups are.
"""

from collections.abc import Mapping
from functools import reduce
from typing import Any

import polars as pl

from contract_core.validation.group_aggregates import Distinct
from contract_core.validation.group_rules import Grouping, grouping_of, judged
from contract_core.validation.promise_kinds import GroupsHold
from contract_core.validation.schema_match import Columns
from contract_core.validation.shares import Share, added_up, passes_over, passes_over_values, shares


def judged_in_passes(
    rows: pl.LazyFrame, rules: Mapping[str, GroupsHold], columns: Columns, count: int
) -> dict[str, Any]:
    """What `judged_groups` finds; `count` is about how many rows there are."""
    grouping = grouping_of(rules, columns)
    keys = [pl.col(name) for name in grouping.keys]

    def question(share: Share) -> pl.LazyFrame:
        prepared = grouping.prepared(share.among(rows, keys))
        return judged(_groups(prepared, grouping, count), grouping, rules)

    return added_up(question, passes_over(rows, count, keys))


def _groups(prepared: pl.LazyFrame, grouping: Grouping, count: int) -> pl.LazyFrame:
    """The columns of each group of a share."""
    passes = passes_over_values(prepared, count, (_value(each, grouping) for each in grouping.distinct))
    if passes == 1:
        return grouping.grouped(prepared)
    parts = (_counted(prepared, grouping, share).collect(engine="streaming") for share in shares(passes))
    return reduce(lambda first, second: _together(first, second, grouping), parts).lazy()


def _value(distinct: Distinct, grouping: Grouping) -> list[pl.Expr]:
    """A value within its group."""
    return [pl.col(name) for name in (*grouping.keys, distinct.values)]


def _counted(prepared: pl.LazyFrame, grouping: Grouping, share: Share) -> pl.LazyFrame:
    """The columns of each group, where of the values that differ only those of one share are counted."""
    masked = {
        each.values: pl.when(share.holds(_value(each, grouping))).then(pl.col(each.values))
        for each in grouping.distinct
    }
    groups = grouping.grouped(prepared.with_columns(**masked))
    return groups.with_columns(column for each in grouping.distinct for column in _without_null(each))


def _without_null(distinct: Distinct) -> tuple[pl.Expr, pl.Expr]:
    """How many values differ, null not among them, in the columns of a group in which null was one."""
    several, nulls = pl.col(distinct.several), pl.col(distinct.nulls)
    return several - (nulls > 0).cast(pl.get_index_type()), nulls * 0


def _together(first: pl.DataFrame, second: pl.DataFrame, grouping: Grouping) -> pl.DataFrame:
    """Two shares of the values: what differs adds up, and all else is in both."""
    counted = {each.several for each in grouping.distinct}
    columns = [
        pl.col(name).sum() if name in counted else pl.col(name).first()
        for name in first.columns
        if name not in grouping.keys
    ]
    return pl.concat([first, second]).group_by(grouping.keys).agg(columns)
