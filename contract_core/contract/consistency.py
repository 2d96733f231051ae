"""How the parts of a contract fit together: names that must exist, types that must agree, promises that need each other."""

from collections.abc import Iterator

from contract_core.contract.complaint import Complaint, unknown_fields
from contract_core.contract.delivery_consistency import delivery_complaints
from contract_core.contract.field_rules import field_complaints
from contract_core.contract.freshness import freshness_complaints
from contract_core.contract.history_consistency import history_complaints
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.contract.monitor_consistency import monitor_complaints
from contract_core.contract.yaml_document import Path

__all__ = ["Complaint", "complaints_of"]

_NESTED = (Family.OBJECT, Family.ARRAY)


def complaints_of(contract: Contract, known: frozenset[str]) -> Iterator[Complaint]:
    """Everything that does not fit; `known` holds the names of all fields, broken ones too."""
    names = known | set(contract.field_names)
    for index, field in enumerate(contract.fields):
        for complaint in field_complaints(field):
            yield Complaint(("fields", index, *complaint.path), complaint.what, complaint.hint)
    yield from _repeated_names(contract)
    yield from _references(contract, names)
    yield from _owners(contract, names)
    yield from _changes(contract)
    yield from _key_and_rows(contract)
    yield from _sql(contract, names)
    yield from history_complaints(contract)
    yield from delivery_complaints(contract, names)
    yield from freshness_complaints(contract, names)
    yield from monitor_complaints(contract)
    yield from _enforcement(contract)
    yield from _active(contract)


def _repeated_names(contract: Contract) -> Iterator[Complaint]:
    seen: dict[str, str] = {}
    spelled: set[str] = set()
    for index, name in enumerate(contract.field_names):
        first = seen.setdefault(name.casefold(), name)
        if name in spelled:
            yield Complaint(
                ("fields", index, "name"), f"the field '{name}' is declared a second time", "remove one of them"
            )
        elif first != name:
            what = f"'{name}' and '{first}' differ by case alone, which a Delta table does not tell apart"
            yield Complaint(("fields", index, "name"), what, "rename one of them")
        spelled.add(name)
    rules: set[str] = set()
    for section in ("rules", "unique", "groups", "history"):
        for index, rule in enumerate(getattr(contract, section)):
            if rule.name in rules:
                yield Complaint(
                    (section, index, "name"),
                    f"a rule '{rule.name}' stands above already",
                    "give each rule its own name",
                )
            rules.add(rule.name)


def _references(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    yield from unknown_fields(("key",), contract.key, names)
    if len(set(contract.key)) != len(contract.key):
        yield Complaint(("key",), "names a field twice", "write each field once")
    for index, rule in enumerate(contract.unique):
        yield from unknown_fields(("unique", index, "fields"), rule.fields, names)
    for index, group in enumerate(contract.groups):
        yield from _key_of_a_group(("groups", index, "by"), group.by, contract, names)
    for name in contract.monitors.fields:
        yield from unknown_fields(("monitors", "fields", name), (name,), names)


def _key_of_a_group(path: Path, by: tuple[str, ...], contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    yield from unknown_fields(path, by, names)
    if len(set(by)) != len(by):
        yield Complaint(path, "names a field twice", "write each field once")
    for name in dict.fromkeys(by):
        if name in contract.field_names and contract.field(name).type.family in _NESTED:
            what = f"'{name}' is an {contract.field(name).type.family.value}, and no two of them are compared"
            yield Complaint(path, what, "name a field with plain values")


def _owners(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    if contract.owners is None:
        return
    for index, consumer in enumerate(contract.owners.consumers):
        yield from unknown_fields(("owners", "consumers", index, "relies_on"), consumer.relies_on, names)
    told: set[str] = set()
    for index, receiver in enumerate(contract.owners.alerts):
        path: Path = ("owners", "alerts", index)
        if receiver.contact is None:
            hint = 'write contact: "team:…", an e-mail address, or the name of a channel'
            yield Complaint(path, f"'{receiver.name}' is to be told and has no contact", hint)
        if receiver.name in told:
            yield Complaint((*path, "name"), f"'{receiver.name}' stands above already", "name each receiver once")
        told.add(receiver.name)


def _changes(contract: Contract) -> Iterator[Complaint]:
    for index, field in enumerate(contract.fields):
        if field.renamed_from in contract.field_names and contract.field(field.renamed_from).sunset is None:
            what = f"'{field.renamed_from}' is a field of this version too, and nothing says until when"
            hint = "give it a sunset, name the field of the version before, or remove renamed_from"
            yield Complaint(("fields", index, "renamed_from"), what, hint)
    if contract.sunset is not None and contract.status == "draft":
        yield Complaint(("sunset",), "a draft binds nobody and needs no end", "remove sunset")
    owners = contract.owners
    yield from _repeated_consumers(contract)
    known = {owners.producer.name, *(consumer.name for consumer in owners.consumers)} if owners else set()
    for index, name in enumerate(contract.changes.approvals):
        if name not in known:
            what, hint = f"'{name}' is no owner of the contract", f"known: {', '.join(sorted(known)) or 'none'}"
            yield Complaint(("changes", "approvals", index), what, hint, depends_on=(("owners",),))


def _repeated_consumers(contract: Contract) -> Iterator[Complaint]:
    """Approvals and what breaks are told by name, so that two of one name would hide each other."""
    seen: set[str] = set()
    for index, consumer in enumerate(contract.owners.consumers if contract.owners is not None else ()):
        if consumer.name in seen:
            what = f"a consumer '{consumer.name}' stands above already"
            yield Complaint(("owners", "consumers", index, "name"), what, "give each consumer its own name")
        seen.add(consumer.name)


def _key_and_rows(contract: Contract) -> Iterator[Complaint]:
    for index, field in enumerate(contract.fields):
        if field.name in contract.key and not field.required:
            yield Complaint(
                ("fields", index, "required"), "a field of the key cannot be optional", "remove required: false"
            )
    if contract.rows.max is not None and contract.rows.max < contract.rows.min:
        what = f"min {contract.rows.min} is above max {contract.rows.max}"
        yield Complaint(("rows", "min"), what, "swap them")


def _sql(contract: Contract, names: frozenset[str]) -> Iterator[Complaint]:
    is_past = any(rule.sql for rule in contract.history)
    if contract.rules or contract.groups or is_past or any(rule.where for rule in contract.unique):
        from contract_core.contract.sql_consistency import (  # noqa: PLC0415 - what reads SQL takes long to load
            sql_complaints,
        )

        yield from sql_complaints(contract, names)


def _enforcement(contract: Contract) -> Iterator[Complaint]:
    if contract.publication.mode != "replace_partition" and not contract.key:
        yield Complaint(
            ("publication", "mode"),
            f"{contract.publication.mode} works by key, and there is none",
            "declare key:",
            depends_on=(("key",),),
        )
    if contract.publication.mode == "append" and contract.delivery.corrections:
        what = (
            "append cannot take corrections, which the delivery may bring: a key that is published already is refused"
        )
        yield Complaint(("publication", "mode"), what, "write mode: upsert, or mode: replace_partition")


def _active(contract: Contract) -> Iterator[Complaint]:
    if contract.status != "active":
        return
    budget = contract.enforcement.quarantine
    if contract.enforcement.on_breach == "quarantine" and budget.max_rows is None and budget.max_rate is None:
        yield Complaint(
            ("enforcement", "on_breach"),
            "an active contract says how many rows may go to quarantine",
            'write quarantine: {max_rows: 100, max_rate: "1%"}, or one of them',
        )
    if contract.owners is None:
        yield Complaint(
            ("status",),
            "an active contract has owners",
            "write owners: {producer: {name: …}, consumers: [{name: …}]}",
            depends_on=(("owners",),),
        )
    elif not contract.owners.consumers:
        yield Complaint(
            ("owners",),
            "an active contract names at least one consumer",
            "write consumers: [{name: …}]",
            depends_on=(("owners", "consumers"),),
        )
    if not contract.key and contract.duplicate_rows is None:
        yield Complaint(
            ("status",),
            "an active contract says how rows are told apart",
            "declare key: [...], or write duplicate_rows: error or warn where rows have none",
            depends_on=(("key",), ("duplicate_rows",)),
        )
    if contract.grain is None:
        yield Complaint(
            ("status",), "an active contract says what one row is", "write grain: One row per …", (("grain",),)
        )
