"""How many published rows break a rule, counted by the engine that would enforce it. Counts leave this module, never rows."""

from collections.abc import Mapping, Sequence

import polars as pl
from deltalake import DeltaTable, QueryBuilder
from sqlglot import exp

from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationError
from contract_core.validation.target_rule import TargetRule

_TYPES: Mapping[type[pl.DataType], str] = {
    pl.Int8: "TINYINT", pl.Int16: "SMALLINT", pl.Int32: "INT", pl.Int64: "BIGINT", pl.Float32: "REAL", pl.Float64: "DOUBLE",
    pl.Boolean: "BOOLEAN", pl.Date: "DATE", pl.Datetime: "TIMESTAMP",
}  # fmt: skip


def broken_by_replaced(
    table: DeltaTable,
    contract: Contract,
    rules: Sequence[TargetRule],
    types: Mapping[str, pl.DataType],
    replaced: str | None,
) -> tuple[TargetRule, ...]:
    """The rules that only rows break which the predicate `replaced` takes out of the table.

    Raises PublicationError with a problem for each rule that rows break which stay.
    """
    where = f"contract '{contract.name}' {contract.version}"
    hint = (
        "nothing was changed; publish a correction of the partitions they stand in first, under the version before this one, "
        "or release the rule with severity: warn"
    )
    staying = None if replaced is None else f"({replaced}) IS NOT TRUE"
    problems = [
        Problem(where, f"{rows} published rows break '{rule.obligation.id}', which the table is to enforce", hint)
        for rule, rows in violations(table, rules, types, staying)
    ]
    if problems:
        raise PublicationError(*problems)
    return () if replaced is None else tuple(rule for rule, _ in violations(table, rules, types))


def violations(
    table: DeltaTable, rules: Sequence[TargetRule], types: Mapping[str, pl.DataType], among: str | None = None
) -> tuple[tuple[TargetRule, int], ...]:
    """The rules that published rows break, each with their number, among the rows for which a predicate is true.

    A column of `types` that the table lacks is null in each row.
    """
    if not rules or not table.file_uris():
        return ()
    query = exp.select(*(_breaking(rule) for rule in rules)).from_(_rows(table, types).subquery("published"))
    if among is not None:
        query = query.where(exp.var(among))
    found = QueryBuilder().register("published", table).execute(query.sql(normalize_functions=False)).read_all()
    counts = pl.DataFrame(found).row(0)
    return tuple((rule, int(count)) for rule, count in zip(rules, counts, strict=True) if count)


def _breaking(rule: TargetRule) -> exp.Expr:
    """The number of rows for which the predicate is not true; null is not true either, as in a constraint."""
    is_kept = exp.If(this=exp.var(rule.predicate), true=exp.Literal.number(0))
    one_each = exp.Case(ifs=[is_kept], default=exp.Literal.number(1))
    return exp.alias_(exp.Sum(this=one_each), rule.name, quoted=True)


def _rows(table: DeltaTable, types: Mapping[str, pl.DataType]) -> exp.Select:
    known = pl.Schema(table.schema()).names()
    columns = [exp.column(name, quoted=True) for name in known]
    missing = [
        exp.alias_(exp.cast(exp.null(), _sql_type(types[name])), name, quoted=True)
        for name in types
        if name not in known
    ]
    return exp.select(*columns, *missing).from_("published")


def _sql_type(found: pl.DataType) -> str:
    if isinstance(found, pl.Decimal):
        return f"DECIMAL({found.precision}, {found.scale})"
    return _TYPES.get(type(found), "VARCHAR")
