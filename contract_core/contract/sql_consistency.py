"""How the conditions in SQL fit the contract: that they can be read, the fields that they name, the types that they compare."""

from collections.abc import Iterator, Mapping

from contract_core.contract.complaint import Complaint, unknown_fields
from contract_core.contract.conditions import group_condition, history_condition, row_condition
from contract_core.contract.group_sql_types import check_group_types
from contract_core.contract.history_sql import BEFORE, of_predecessor, of_row
from contract_core.contract.model import Contract
from contract_core.contract.promises import GroupRule
from contract_core.contract.row_sql_types import check_types
from contract_core.contract.sql_expression import RowSqlError
from contract_core.contract.yaml_document import Path


def sql_complaints(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    """Everything about the conditions that does not fit; `names` are those of all fields."""
    families = {field.name: field.type.family.value for field in contract.fields}
    texts: list[tuple[Path, str]] = [(("rules", index, "sql"), rule.sql) for index, rule in enumerate(contract.rules)]
    texts += [(("unique", index, "where"), rule.where) for index, rule in enumerate(contract.unique) if rule.where]
    for path, text in texts:
        yield from _condition(path, text, families, names)
    for index, group in enumerate(contract.groups):
        yield from _group_condition(("groups", index, "sql"), group, families, names)
    for index, rule in enumerate(contract.history):
        if rule.sql is not None:
            yield from _history_condition(("history", index, "sql"), rule.sql, families, names)


def _condition(path: Path, text: str, families: Mapping[str, str], names: frozenset[str]) -> Iterator[Complaint]:
    try:
        expression = row_condition(text)
    except RowSqlError as error:
        yield Complaint(path, f"is no row rule: {error.what}", error.hint)
        return
    yield from unknown_fields(path, expression.columns, names)
    if all(name in families for name in expression.columns):
        yield from _clashes(path, check_types(expression, families))


def _group_condition(
    path: Path, rule: GroupRule, families: Mapping[str, str], names: frozenset[str]
) -> Iterator[Complaint]:
    """The same for a condition over aggregates."""
    try:
        expression = group_condition(rule.sql, rule.by)
    except RowSqlError as error:
        yield Complaint(path, f"is no group rule: {error.what}", error.hint)
        return
    yield from unknown_fields(path, expression.columns, names)
    if all(name in families for name in expression.columns):
        yield from _clashes(path, check_group_types(expression, families))


def _history_condition(
    path: Path, text: str, families: Mapping[str, str], names: frozenset[str]
) -> Iterator[Complaint]:
    """The same for a condition over a row and its predecessor."""
    try:
        expression = history_condition(text)
    except RowSqlError as error:
        yield Complaint(path, f"is no history rule: {error.what}", error.hint)
        return
    used = dict.fromkeys((*of_row(expression), *of_predecessor(expression)))
    yield from unknown_fields(path, used, names)
    both = {**families, **{BEFORE + name: family for name, family in families.items()}}
    if all(name in both for name in expression.columns):
        yield from _clashes(path, check_types(expression, both))


def _clashes(path: Path, clashes: Iterator[RowSqlError]) -> Iterator[Complaint]:
    return (Complaint(path, clash.what, clash.hint) for clash in clashes)
