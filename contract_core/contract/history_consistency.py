"""How history rules fit the contract: that a row can have a published predecessor at all, and a key can vanish."""

from collections.abc import Iterator

from contract_core.contract.complaint import Complaint
from contract_core.contract.history_sql import predecessor_key
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.promises import HistoryRule
from contract_core.contract.yaml_document import Path

_NESTED = (Family.OBJECT, Family.ARRAY)
_ONE_OF_THEM = "write sql: a condition such as total >= previous.total, or vanished: true"


def history_complaints(contract: Contract) -> Iterator[Complaint]:
    """Everything about the history rules that does not fit, apart from their conditions."""
    if contract.history:
        yield from _without_predecessor(contract)
    for index, rule in enumerate(contract.history):
        path: Path = ("history", index)
        if (rule.sql is None) is not rule.vanished:
            both = "has sql and vanished" if rule.vanished else "has neither sql nor vanished"
            yield Complaint(path, f"the rule {both}", _ONE_OF_THEM, depends_on=((*path, "sql"), (*path, "vanished")))
        if rule.vanished:
            yield from _vanished(path, rule, contract)


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
