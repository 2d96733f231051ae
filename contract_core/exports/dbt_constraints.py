"""Obligations → constraints of a dbt model in DuckDB's SQL: those of the table that DDL would make, as dbt writes them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot.dialects.duckdb import DuckDB

from contract_core.contract.model import Contract
from contract_core.contract.model import Field as ContractField
from contract_core.exports.portable_pattern import NotPortable
from contract_core.exports.sql_ddl_keys import unique_columns, weaker, why_not
from contract_core.exports.sql_ddl_predicates import Types, in_dialect
from contract_core.exports.sql_ddl_types import column_type, nearly, stored_type, whole_range
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import NotNull, UniqueKey
from contract_core.validation.sql import target_rules
from contract_core.validation.target_rule import TargetRule, not_null_fields

DIALECT = "duckdb"
JINJA = "dbt reads a part of it as Jinja"
_JINJA = re.compile(r"\{[{%#]")


@dataclass(frozen=True, slots=True)
class Constraint:
    """One obligation as an entry under `constraints` of its column, or of the model; or none, and why not."""

    obligation: Obligation
    column: str | None
    entry: Mapping[str, Any] = field(default_factory=dict)
    why_not: str = ""


def constraints_of(contract: Contract) -> Iterator[Constraint]:
    """One for each obligation about rows that holds publication back, in the report's order."""
    types = {item.name: stored_type(item.type) for item in contract.fields}
    uniques = {item.obligation: item.columns for item in unique_columns(contract)}
    never_null = frozenset(not_null_fields(contract))
    for rule in target_rules(contract, types):
        obligation = rule.obligation
        if isinstance(obligation.promise, NotNull) and obligation.field in never_null:
            yield Constraint(obligation, obligation.field, {"type": "not_null"}, why_unnamed(obligation.field or ""))
        elif obligation.rule in ("key", "unique", "duplicate_rows"):
            yield _unique(obligation, uniques.get(obligation.id), contract)
        else:
            yield _check(rule, types)


def data_type(stated: ContractField) -> str:
    """The column's type in DuckDB."""
    return column_type(stated.type, DIALECT).sql(DIALECT).lower()


def partly_kept(contract: Contract) -> Iterator[tuple[str, str]]:
    """Where columns and constraints let more through than the gate does."""
    yield from weaker(contract, DIALECT)
    for stated in contract.fields:
        if reason := nearly(stated.type, DIALECT):
            yield f"{stated.name}.type", reason
        elif stated.name.lower() in DuckDB.Generator.RESERVED_KEYWORDS:
            yield f"{stated.name}.missing", "its name is a word of SQL, which dbt-duckdb 1.9 writes without quotes"
        elif whole_range(stated.type, DIALECT):
            yield f"{stated.name}.type", "its column is signed and holds more"


def why_unnamed(name: str) -> str:
    """Why a column of that name cannot stand in the file; empty where it can."""
    if is_jinja(name):
        return JINJA
    return "" if name.isidentifier() else "dbt-duckdb 1.9 writes its name without quotes"  # and it could be any SQL


def is_jinja(text: str) -> bool:
    """True where dbt would read a part of the text as a template."""
    return _JINJA.search(text) is not None


def _unique(obligation: Obligation, columns: tuple[str, ...] | None, contract: Contract) -> Constraint:
    if columns is None or not isinstance(obligation.promise, UniqueKey):
        return Constraint(obligation, None, why_not=why_not(contract, obligation.id, DIALECT))
    if reason := next(filter(None, map(why_unnamed, columns)), ""):
        return Constraint(obligation, None, why_not=reason)
    return Constraint(obligation, None, {"type": "unique", "columns": [f'"{name}"' for name in columns]})


def _check(rule: TargetRule, types: Types) -> Constraint:
    column = rule.obligation.field
    if rule.predicate is None:
        return Constraint(
            rule.obligation, column, why_not=f"the published table has no constraint for it: {rule.why_not}"
        )
    try:
        expression = in_dialect(rule.predicate, types, DIALECT).sql(DIALECT)
    except NotPortable as reason:
        return Constraint(rule.obligation, column, why_not=str(reason))
    if left_out := (why_unnamed(column) if column else "") or (JINJA if is_jinja(expression) else ""):
        return Constraint(rule.obligation, column, why_not=left_out)
    return Constraint(rule.obligation, column, {"type": "check", "name": rule.name, "expression": expression})
