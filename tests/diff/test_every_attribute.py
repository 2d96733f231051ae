"""No attribute of a contract changes in silence: for each there is a pair of contracts that differ in it alone, and a change."""

import json
from copy import deepcopy
from typing import Any

import pytest
from pydantic import BaseModel

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.diff.changes import find_changes

LEFT_OUT = object()
DOCUMENT: dict[str, Any] = {
    "contract": "orders", "version": "1.0.0", "status": "deprecated", "sunset": "2030-01-01", "description": "Orders.", "domain": "sales",
    "purpose": "Revenue.", "grain": "One row per order.", "population": "All orders.", "key": ["id"], "extra_fields": "ignore",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "day", "type": "date"}, {"name": "seen", "type": "date"}, {"name": "shop", "type": "string"},
        {"name": "amount", "type": "number", "required": False, "severity": {"range": "warn"}, "min": 0, "max": 9, "semantics": "Tax included."},
        {"name": "text", "type": "string", "required": False, "nullable": True, "enum": ["a", "b"], "pattern": "[a-z]", "min_length": 1,
         "max_length": 9, "trimmed": True, "classification": "internal", "sunset": "2030-01-01", "description": "A letter.", "unit": "letter"},
    ],
    "rules": [{"name": "paid", "sql": "amount > 0", "description": "Paid."}],
    "unique": [{"name": "one", "fields": ["day"], "where": "amount > 0"}],
    "rows": {"min": 1, "max": 9},
    "groups": [{"name": "total", "by": ["day"], "sql": "sum(amount) > 0"}],
    "history": [{"name": "grows", "sql": "amount >= previous.amount", "max_share": "5%"}],
    "delivery": {
        "path": "orders/{partition}/*.csv", "format": {"dates": {"day": "%d.%m.%Y"}, "integral": ["amount"]},
        "partition": {"column": "day", "every": "day", "start": "2026-10-01"}, "parts": {"from": "column", "column": "id", "required": ["a", "b"]},
        "due": {"by": "09:00"},
    },
    "freshness": {"column": "day", "max_age": "2d"},
    "monitors": {"volume": {"max_change": "50%"}, "fields": {"amount": {"null_rate": "5%", "mean_change": "20%"}}},
    "unverified": [{"claim": "Amounts are in euro.", "evidence": "A yearly audit."}],
    "owners": {"producer": {"name": "shop", "contact": "team:shop"}, "consumers": [{"name": "report", "contact": "team:report", "relies_on": ["id"]}]},
    "changes": {"window": "30d", "authority": "data_office", "migration": "Read the old major.", "announce": "mail:all"},
}  # fmt: skip

PAIRS: dict[str, tuple[tuple[str | int, ...], Any, Any]] = {
    "Contract.contract": (("contract",), "orders", "sales"),
    "Contract.status": (("status",), "active", "deprecated"),
    "Contract.sunset": (("sunset",), "2030-01-01", "2031-01-01"),
    "Contract.description": (("description",), "Orders.", "All orders."),
    "Contract.domain": (("domain",), "sales", "web"),
    "Contract.purpose": (("purpose",), "Revenue.", "Margin."),
    "Contract.grain": (("grain",), "One row per order.", "One row per line."),
    "Contract.population": (("population",), "All orders.", "Paid orders."),
    "Contract.recovery": (("recovery",), "Call the shop.", "Write to the shop."),
    "Contract.owners": (("owners",), LEFT_OUT, {"producer": {"name": "shop"}, "consumers": [{"name": "report"}]}),
    "Contract.key": (("key",), ["id"], ["id", "day"]),
    "Contract.extra_fields": (("extra_fields",), "ignore", "reject"),
    "Contract.rules": (("rules",), LEFT_OUT, [{"name": "paid", "sql": "amount > 0"}]),
    "Contract.unique": (("unique",), LEFT_OUT, [{"name": "one", "fields": ["day"]}]),
    "Contract.duplicate_rows": (("duplicate_rows",), "warn", "error"),
    "Contract.rows": (("rows",), LEFT_OUT, {"min": 5}),
    "Contract.groups": (("groups",), LEFT_OUT, [{"name": "total", "by": ["day"], "sql": "count(*) > 1"}]),
    "Contract.history": (("history",), LEFT_OUT, [{"name": "grows", "sql": "amount >= previous.amount"}]),
    "Contract.delivery": (("delivery",), LEFT_OUT, {"corrections": True}),
    "Contract.freshness": (("freshness",), LEFT_OUT, {"column": "day", "max_age": "1d"}),
    "Contract.monitors": (("monitors",), LEFT_OUT, {"volume": {"max_change": "50%"}}),
    "Contract.enforcement": (("enforcement",), LEFT_OUT, {"on_breach": "warn"}),
    "Contract.publication": (("publication",), LEFT_OUT, {"mode": "upsert"}),
    "Contract.unverified": (("unverified",), LEFT_OUT, [{"claim": "Amounts are in euro."}]),
    "Contract.changes": (("changes",), LEFT_OUT, {"transitive": True}),
    "Field.type": (("fields", 4, "type"), "number", "float32"),
    "Field.required": (("fields", 4, "required"), True, False),
    "Field.nullable": (("fields", 4, "nullable"), True, False),
    "Field.enum": (("fields", 5, "enum"), ["a"], ["b"]),
    "Field.pattern": (("fields", 5, "pattern"), "[a-z]", "[A-Z]"),
    "Field.min": (("fields", 4, "min"), 0, 1),
    "Field.max": (("fields", 4, "max"), 9, 10),
    "Field.min_length": (("fields", 5, "min_length"), 1, 2),
    "Field.max_length": (("fields", 5, "max_length"), 9, 8),
    "Field.not_blank": (("fields", 5, "not_blank"), "ascii", "unicode"),
    "Field.trimmed": (("fields", 5, "trimmed"), True, False),
    "Field.allow_nan": (("fields", 4, "allow_nan"), True, False),
    "Field.unit": (("fields", 5, "unit"), "letter", "word"),
    "Field.classification": (("fields", 5, "classification"), "internal", "public"),
    "Field.semantics": (("fields", 4, "semantics"), "Tax included.", "Tax not included."),
    "Field.description": (("fields", 5, "description"), "A letter.", "One letter."),
    "Field.sunset": (("fields", 5, "sunset"), "2030-01-01", LEFT_OUT),
    "Field.severity": (("fields", 4, "severity"), {"range": "warn"}, LEFT_OUT),
    "Field.name": (("fields", 5, "name"), "text", "letter"),
    "RowRule.name": (("rules", 0, "name"), "paid", "is_paid"),
    "RowRule.sql": (("rules", 0, "sql"), "amount > 0", "amount > 1"),
    "RowRule.severity": (("rules", 0, "severity"), "warn", "error"),
    "RowRule.on_null": (("rules", 0, "on_null"), "keep", "breach"),
    "RowRule.description": (("rules", 0, "description"), "Paid.", "It is paid."),
    "Unique.name": (("unique", 0, "name"), "one", "single"),
    "Unique.fields": (("unique", 0, "fields"), ["day"], ["day", "amount"]),
    "Unique.where": (("unique", 0, "where"), "amount > 0", LEFT_OUT),
    "Unique.severity": (("unique", 0, "severity"), "warn", "error"),
    "RowCount.min": (("rows", "min"), 1, 0),
    "RowCount.max": (("rows", "max"), 9, LEFT_OUT),
    "RowCount.severity": (("rows", "severity"), "warn", "error"),
    "GroupRule.name": (("groups", 0, "name"), "total", "sum"),
    "GroupRule.by": (("groups", 0, "by"), ["day"], ["id"]),
    "GroupRule.sql": (("groups", 0, "sql"), "max(text) <> 'a  b'", "max(text) <> 'a b'"),
    "GroupRule.severity": (("groups", 0, "severity"), "warn", "error"),
    "GroupRule.on_null": (("groups", 0, "on_null"), "keep", "breach"),
    "GroupRule.description": (("groups", 0, "description"), "Adds up.", "It adds up."),
    "HistoryRule.name": (("history", 0, "name"), "grows", "rises"),
    "HistoryRule.sql": (("history", 0, "sql"), "amount >= previous.amount", "amount > previous.amount"),
    "HistoryRule.severity": (("history", 0, "severity"), "warn", "error"),
    "HistoryRule.max_share": (("history", 0, "max_share"), "5%", "6%"),
    "HistoryRule.vanished": (("history",), [{"name": "all_there", "vanished": True}], [{"name": "all_there", "sql": "amount > previous.amount"}]),
    "HistoryRule.on_null": (("history", 0, "on_null"), "keep", "breach"),
    "HistoryRule.description": (("history", 0, "description"), "It grows.", "It never falls."),
    "Freshness.column": (("freshness", "column"), "day", "seen"),
    "Freshness.max_age": (("freshness", "max_age"), "2d", "3d"),
    "Freshness.max_silence": (("freshness", "max_silence"), "3d", LEFT_OUT),
    "Freshness.severity": (("freshness", "severity"), "warn", "error"),
    "Monitors.volume": (("monitors", "volume"), LEFT_OUT, {"max_change": "50%"}),
    "Monitors.fields": (("monitors", "fields"), LEFT_OUT, {"amount": {"null_rate": "5%"}}),
    "VolumeMonitor.window": (("monitors", "volume", "window"), 14, 28),
    "VolumeMonitor.min_history": (("monitors", "volume", "min_history"), 5, 7),
    "VolumeMonitor.season": (("monitors", "volume", "season"), LEFT_OUT, "weekday"),
    "VolumeMonitor.max_deviation": (("monitors", "volume", "max_deviation"), 6, 3.5),
    "VolumeMonitor.max_change": (("monitors", "volume", "max_change"), "50%", "60%"),
    "VolumeMonitor.severity": (("monitors", "volume", "severity"), "warn", "error"),
    "FieldMonitor.window": (("monitors", "fields", "amount", "window"), 14, 28),
    "FieldMonitor.min_history": (("monitors", "fields", "amount", "min_history"), 5, 7),
    "FieldMonitor.season": (("monitors", "fields", "amount", "season"), LEFT_OUT, "weekday"),
    "FieldMonitor.max_deviation": (("monitors", "fields", "amount", "max_deviation"), LEFT_OUT, 6),
    "FieldMonitor.distinct_change": (("monitors", "fields", "amount", "distinct_change"), "20%", "30%"),
    "FieldMonitor.quantiles_change": (("monitors", "fields", "amount", "quantiles_change"), "20%", "30%"),
    "FieldMonitor.shares": (("monitors", "fields", "text"), {"shares": "20%"}, {"shares": "30%"}),
    "FieldMonitor.null_rate": (("monitors", "fields", "amount", "null_rate"), "5%", LEFT_OUT),
    "FieldMonitor.mean_change": (("monitors", "fields", "amount", "mean_change"), "20%", "30%"),
    "FieldMonitor.severity": (("monitors", "fields", "amount", "severity"), "warn", "error"),
    "Enforcement.on_breach": (("enforcement",), {"on_breach": "fail"}, {"on_breach": "quarantine"}),
    "Enforcement.quarantine": (("enforcement",), {"quarantine": {"max_rows": 1}}, {"quarantine": {"max_rows": 2}}),
    "QuarantineTerms.max_rows": (("enforcement",), {"quarantine": {"max_rows": 1}}, {}),
    "QuarantineTerms.max_rate": (("enforcement",), {"quarantine": {"max_rate": "1%"}}, {"quarantine": {"max_rate": "2%"}}),
    "QuarantineTerms.rows": (("enforcement",), {"quarantine": {"rows": "kept"}}, {"quarantine": {"rows": "withheld"}}),
    "QuarantineTerms.keep": (("enforcement",), {"quarantine": {"keep": "10d"}}, {"quarantine": {"keep": "20d"}}),
    "Publication.mode": (("publication",), {"mode": "upsert"}, {"mode": "replace_partition"}),
    "Publication.keep_candidates": (("publication",), {"keep_candidates": "1d"}, {"keep_candidates": "2d"}),
    "Publication.keep_refused": (("publication",), {"keep_refused": "1d"}, {"keep_refused": "2d"}),
    "Publication.keep_newest": (("publication",), {"keep_newest": 1}, {"keep_newest": 2}),
    "Publication.keep_versions": (("publication",), {"keep_versions": "30d"}, {}),
    "Assumption.claim": (("unverified", 0, "claim"), "Amounts are in euro.", "Amounts are in dollars."),
    "Assumption.evidence": (("unverified", 0, "evidence"), "A yearly audit.", "A monthly audit."),
    "Owners.producer": (("owners", "producer", "name"), "shop", "warehouse"),
    "Owners.consumers": (("owners", "consumers"), [{"name": "report"}], [{"name": "report"}, {"name": "stock"}]),
    "Owners.alerts": (("owners", "alerts"), [], [{"name": "duty", "contact": "team:duty"}]),
    "Owners.corrections": (("owners", "corrections"), {"name": "shop"}, {"name": "data_office"}),
    "Owner.name": (("owners", "producer", "name"), "shop", "warehouse"),
    "Owner.contact": (("owners", "producer", "contact"), "team:shop", "team:web"),
    "Consumer.name": (("owners", "consumers", 0, "name"), "report", "finance"),
    "Consumer.contact": (("owners", "consumers", 0, "contact"), "team:report", LEFT_OUT),
    "Consumer.relies_on": (("owners", "consumers", 0, "relies_on"), ["id"], ["id", "day"]),
    "Consumer.tolerates": (("owners", "consumers", 0, "tolerates"), {}, {"nulls": True}),
    "Tolerances.new_fields": (("owners", "consumers", 0, "tolerates"), {}, {"new_fields": True}),
    "Tolerances.new_enum_values": (("owners", "consumers", 0, "tolerates"), {}, {"new_enum_values": True}),
    "Tolerances.nulls": (("owners", "consumers", 0, "tolerates"), {}, {"nulls": True}),
    "Tolerances.wider_types": (("owners", "consumers", 0, "tolerates"), {}, {"wider_types": True}),
    "Tolerances.empty_deliveries": (("owners", "consumers", 0, "tolerates"), {}, {"empty_deliveries": True}),
    "Delivery.path": (("delivery", "path"), "orders/{partition}/*.csv", "orders/{partition}/*"),
    "Delivery.format": (("delivery", "format"), {"delimiter": ";"}, {}),
    "Delivery.partition": (("delivery",), {"partition": {"column": "id"}}, {}),
    "Delivery.parts": (("delivery",), {"parts": {"from": "file", "required": ["a"]}}, {}),
    "Delivery.manifest": (("delivery", "manifest"), "none", "optional"),
    "Delivery.corrections": (("delivery", "corrections"), True, False),
    "Delivery.due": (("delivery", "due"), {"by": "09:00"}, LEFT_OUT),
    "Format.type": (("delivery", "format"), {"type": "csv"}, {"type": "parquet"}),
    "Format.encoding": (("delivery", "format"), {"encoding": "utf-8"}, {"encoding": "latin-1"}),
    "Format.delimiter": (("delivery", "format"), {"delimiter": ";"}, {"delimiter": "|"}),
    "Format.quote": (("delivery", "format"), {"quote": "'"}, {}),
    "Format.decimal": (("delivery", "format"), {"delimiter": ";", "decimal": ","}, {"delimiter": ";"}),
    "Format.null_values": (("delivery", "format"), {"null_values": ["NA", ""]}, {"null_values": ["NA"]}),
    "Format.true_values": (("delivery", "format"), {"true_values": ["yes"]}, {"true_values": ["ja"]}),
    "Format.false_values": (("delivery", "format"), {"false_values": ["no"]}, {"false_values": ["nee"]}),
    "Format.dates": (("delivery", "format"), {"dates": {"day": ["%d.%m.%Y", "%Y-%m-%d"]}}, {"dates": {"day": ["%Y-%m-%d", "%d.%m.%Y"]}}),
    "Format.integral": (("delivery", "format"), {"integral": ["amount"]}, {}),
    "PartitionTerms.column": (("delivery",), {"partition": {"column": "id"}}, {"partition": {"column": "shop"}}),
    "PartitionTerms.every": (("delivery", "partition", "every"), "day", "week"),
    "PartitionTerms.timezone": (("delivery", "partition", "timezone"), "UTC", "Europe/Amsterdam"),
    "PartitionTerms.start": (("delivery", "partition", "start"), "2026-10-01", "2026-10-02"),
    "PartitionTerms.split": (("delivery",), {"partition": {"column": "id"}}, {"partition": {"column": "id", "split": True}}),
    "PartTerms.from": (("delivery", "parts"), {"from": "column", "column": "id", "required": ["a"]}, {"from": "file", "required": ["a"]}),
    "PartTerms.column": (("delivery", "parts", "column"), "id", "text"),
    "PartTerms.required": (("delivery", "parts", "required"), ["a"], ["b"]),
    "PartTerms.required_file": (("delivery", "parts"), {"from": "file", "required_file": "a.csv"}, {"from": "file", "required_file": "b.csv"}),
    "PartTerms.required_from": (("delivery", "parts"), {"from": "file", "required": ["a"]}, {"from": "file", "required_from": {"contract": "shops", "field": "code"}}),
    "PartTerms.completion": (("delivery", "parts", "completion"), LEFT_OUT, {"mechanism": "The till is closed.", "evidence": "Its log."}),
    "RequiredFrom.contract": (("delivery", "parts"), *({"from": "file", "required_from": {"contract": name, "field": "code"}} for name in ("shops", "tills"))),
    "RequiredFrom.field": (("delivery", "parts"), *({"from": "file", "required_from": {"contract": "shops", "field": name}} for name in ("code", "name"))),
    "RequiredFrom.valid_from": (("delivery", "parts"), *({"from": "file", "required_from": {"contract": "shops", "field": "code"} | days} for days in ({}, {"valid_from": "opened"}))),
    "RequiredFrom.valid_until": (("delivery", "parts"), *({"from": "file", "required_from": {"contract": "shops", "field": "code"} | days} for days in ({}, {"valid_until": "closed"}))),
    "Completion.mechanism": (("delivery", "parts", "completion"), {"mechanism": "The till is closed.", "evidence": "Its log."}, {"mechanism": "The day is over.", "evidence": "Its log."}),
    "Completion.evidence": (("delivery", "parts", "completion"), {"mechanism": "The till is closed.", "evidence": "Its log."}, {"mechanism": "The till is closed.", "evidence": "Its book."}),
    "PartTerms.periods": (("delivery", "parts", "periods"), {}, {"a": {"valid_until": "2026-12-31"}}),
    "Period.valid_from": (("delivery", "parts", "periods"), {"a": {"valid_from": "2026-10-01"}}, {"a": {"valid_from": "2026-10-02"}}),
    "Period.valid_until": (("delivery", "parts", "periods"), {"a": {"valid_until": "2026-10-01"}}, {"a": {"valid_until": "2026-10-02"}}),
    "Due.by": (("delivery", "due", "by"), "09:00", "10:00"),
    "Due.timezone": (("delivery", "due", "timezone"), "UTC", "Europe/Amsterdam"),
    "Due.days_after": (("delivery", "due", "days_after"), 1, 2),
    "Due.calendar": (("delivery", "due", "calendar"), "all", "weekdays"),
    "Due.severity": (("delivery", "due", "severity"), "warn", "error"),
    "Due.holidays": (("delivery", "due", "holidays"), ["2026-12-25"], ["2026-12-25", "2026-12-26"]),
    "Due.not_for": (("delivery", "due", "not_for"), ["saturday"], ["saturday", "2026-12-25"]),
    "ChangeTerms.profile": (("changes", "profile"), "default", "full"),
    "ChangeTerms.transitive": (("changes", "transitive"), True, False),
    "ChangeTerms.approvals": (("changes", "approvals"), ["report"], ["report", "shop"]),
    "ChangeTerms.window": (("changes", "window"), "30d", "60d"),
    "ChangeTerms.authority": (("changes", "authority"), "data_office", "other_office"),
    "ChangeTerms.migration": (("changes", "migration"), "Read the old major.", "Read the other table."),
    "ChangeTerms.announce": (("changes", "announce"), "mail:all", "mail:some"),
}  # fmt: skip

SILENT = {
    "Contract.version": "it is what the changes are held against",
    "Contract.fields": "each field is paired and told by itself",
    "Field.renamed_from": "it tells who is who; without a field of that name it says nothing",
}
"""Attributes that say nothing by themselves, and why."""


def models(model: type[BaseModel], seen: dict[str, type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """A model and all models inside it, by name."""
    seen[model.__name__] = model
    for info in model.model_fields.values():
        for inner in inside(info.annotation):
            if inner.__name__ not in seen:
                models(inner, seen)
    return seen


def inside(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in getattr(annotation, "__args__", ()) for model in inside(argument)]


ATTRIBUTES = [
    f"{name}.{info.alias or attribute}"
    for name, model in models(Contract, {}).items()
    for attribute, info in model.model_fields.items()
]


def contract_with(path: tuple[str | int, ...], value: Any) -> Contract:
    """The whole contract with one value at a place of it."""
    document = deepcopy(DOCUMENT)
    holder: Any = document
    for step in path[:-1]:
        holder = holder[step]
    if value is LEFT_OUT:
        holder.pop(path[-1], None)
    else:
        holder[path[-1]] = value
    return parse_contract(json.dumps(document), "orders.yaml")


def test_the_walk_finds_every_attribute() -> None:
    assert (len(ATTRIBUTES), set(ATTRIBUTES) - PAIRS.keys() - SILENT.keys()) == (len(set(ATTRIBUTES)), set())
    assert len(ATTRIBUTES) > 120


def test_no_attribute_is_listed_that_there_is_not() -> None:
    assert (PAIRS.keys() | SILENT.keys()) - set(ATTRIBUTES) == set()


@pytest.mark.parametrize("attribute", PAIRS)
def test_an_attribute_that_differs_is_a_change(attribute: str) -> None:
    """[S4-004]"""
    path, before, after = PAIRS[attribute]
    old, new = contract_with(path, before), contract_with(path, after)
    assert old != new
    assert find_changes(old, new) != ()
    assert find_changes(new, old) != ()
