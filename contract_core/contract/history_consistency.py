"""How history rules fit the contract: what they name and compare, and that a row can have a published predecessor at all."""

from collections.abc import Iterator

from contract_core.contract.complaint import Complaint, unknown_fields
from contract_core.contract.history_sql import BEFORE, of_predecessor, of_row, parse_history_sql, predecessor_key
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.promises import HistoryRule
from contract_core.contract.row_sql import RowExpression, RowSqlError
from contract_core.contract.row_sql_types import check_types
from contract_core.contract.yaml_document import Path

_NESTED = (Family.OBJECT, Family.ARRAY)
_ONE_OF_THEM = "write sql: a condition such as total >= previous.total, or vanished: true"


def history_complaints(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    """Everything about the history rules that does not fit; `names` are those of all fields."""
    if contract.history:
        yield from _without_predecessor(contract)
    for index, rule in enumerate(contract.history):
        path: Path = ("history", index)
        if (rule.sql is None) is not rule.vanished:
            both = "has sql and vanished" if rule.vanished else "has neither sql nor vanished"
            yield Complaint(path, f"the rule {both}", _ONE_OF_THEM, depends_on=((*path, "sql"), (*path, "vanished")))
        if rule.vanished:
            yield from _vanished(path, rule, contract)
        if rule.sql is not None:
            yield from _condition((*path, "sql"), rule.sql, contract, names)


def _without_predecessor(contract: Contract) -> Iterator[Complaint]:
    path: Path = ("history",)
    if not contract.key:
        what = "rows are compared with those of the same key, and there is none"
        yield Complaint(path, what, "declare key:", depends_on=(("key",),))
    for name in predecessor_key(contract):
        if name in contract.field_names and contract.field(name).type.family in _NESTED:
            what = (
                f"'{name}' of the key is an {contract.field(name).type.family.value}, and no two of them are compared"
            )
            yield Complaint(path, what, "take a key of plain values")
    terms, mode = contract.delivery.partition, contract.publication.mode
    if mode == "append" and (terms is None or terms.every is None):
        what = "append takes new keys alone, so that no row has a predecessor"
        hint = "write every: hour, day, week or month in delivery.partition, or another publication.mode"
        yield Complaint(path, what, hint, depends_on=(("delivery", "partition"), ("publication", "mode")))


def _vanished(path: Path, rule: HistoryRule, contract: Contract) -> Iterator[Complaint]:
    if contract.publication.mode == "upsert":
        what = "upsert leaves the rows that a delivery does not bring, so that no key vanishes"
        yield Complaint((*path, "vanished"), what, "remove the rule, or write mode: replace_partition")
    if "on_null" in rule.model_fields_set and rule.sql is None:
        yield Complaint((*path, "on_null"), "a key is there again or it is not; it is never unknown", "remove on_null")


def _condition(path: Path, text: str, contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    try:
        expression = parse_history_sql(text)
    except RowSqlError as error:
        yield Complaint(path, f"is no history rule: {error.what}", error.hint)
        return
    used = dict.fromkeys((*of_row(expression), *of_predecessor(expression)))
    yield from unknown_fields(path, used, names)
    yield from _clashes(path, expression, contract)


def _clashes(path: Path, expression: RowExpression, contract: Contract) -> Iterator[Complaint]:
    families = {field.name: field.type.family.value for field in contract.fields}
    families |= {BEFORE + name: family for name, family in families.items()}
    if all(name in families for name in expression.columns):
        for clash in check_types(expression, families):
            yield Complaint(path, clash.what, clash.hint)
