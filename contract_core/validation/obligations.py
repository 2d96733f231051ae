"""Contract → flat, ordered list of obligations: one testable promise each, with a stable id."""

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import StrEnum
from functools import lru_cache

from contract_core.contract.conditions import group_condition, history_condition, row_condition
from contract_core.contract.field_rules import declared_rules
from contract_core.contract.history_sql import predecessor_key, tells_rows_of_a_partition_apart
from contract_core.contract.model import Contract, Field
from contract_core.contract.monitor_consistency import LIMITS, limits_of
from contract_core.contract.promises import HistoryRule, Severity
from contract_core.validation.promise_kinds import (
    Between,
    DeclaresContract,
    DeclaresPartition,
    DeclaresUnit,
    Finite,
    Fresh,
    GroupsHold,
    HasType,
    HistoryHolds,
    HistoryPromise,
    Holds,
    InPartition,
    InTime,
    KeysReturn,
    LengthBetween,
    Matches,
    Measure,
    NewKey,
    NoDuplicateRows,
    NoExtraFields,
    NoOtherParts,
    NotBlank,
    NotNull,
    OneOf,
    PartsArrived,
    PartsComplete,
    Present,
    Promise,
    Readable,
    RecordsAreObjects,
    RowCountBetween,
    Steady,
    Trimmed,
    UniqueKey,
)


class Layer(StrEnum):
    """Which of the three parts of a contract an obligation belongs to."""

    SCHEMA = "schema"
    ROWS = "rows"
    OPERATIONS = "operations"


@dataclass(frozen=True, slots=True)
class Obligation:
    """One promise with its stable id, rule label and weight."""

    id: str
    rule: str
    promise: Promise
    layer: Layer
    severity: Severity = Severity.ERROR
    field: str | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """A contract that is known by its digest: two that say the same have the same obligations."""

    digest: str
    contract: Contract = dataclass_field(compare=False)


def obligations_of(contract: Contract) -> tuple[Obligation, ...]:
    """Every obligation of a contract, in the order in which a report lists them; worked out once, since many ask."""
    return _obligations(_Told(contract.digest, contract))


@lru_cache(maxsize=256)
def _obligations(told: _Told) -> tuple[Obligation, ...]:
    contract = told.contract
    return (
        *_schema(contract),
        *(obligation for field in contract.fields for obligation in _field(field)),
        *_rows(contract),
        *_operations(contract),
        *_monitors(contract),
    )


def _schema(contract: Contract) -> Iterator[Obligation]:
    yield Obligation("unreadable", "unreadable", Readable(), Layer.SCHEMA)
    if contract.delivery.format.type in ("jsonl", "envelope"):
        yield Obligation("not_object", "not_object", RecordsAreObjects(), Layer.SCHEMA)
    if contract.extra_fields != "ignore":
        promise = NoExtraFields(kept=contract.extra_fields == "keep")
        yield Obligation("extra_field", "extra_field", promise, Layer.SCHEMA)


def _field(field: Field) -> Iterator[Obligation]:
    for rule in declared_rules(field):
        layer = Layer.SCHEMA if rule in ("missing", "type") else Layer.ROWS
        yield Obligation(
            f"{field.name}.{rule}", rule, _field_promise(field, rule), layer, field.severity_of(rule), field.name
        )


def _field_promise(field: Field, rule: str) -> Promise:  # noqa: C901 - a table, one case a rule
    name = field.name
    match rule:
        case "missing":
            return Present(name)
        case "type":
            return HasType(name, field.type)
        case "null":
            return NotNull(name)
        case "not_finite":
            return Finite(name)
        case "enum":
            return OneOf(name, field.enum or ())
        case "pattern":
            return Matches(name, field.pattern or "")
        case "range":
            judges_nan = field.allow_nan or _only_warns(field, "not_finite")
            return Between(name, field.min, field.max, judges_nan=judges_nan)
        case "length":
            return LengthBetween(name, field.min_length, field.max_length)
        case "blank":
            return NotBlank(name, field.not_blank or "unicode")
        case "untrimmed":
            return Trimmed(name)
        case _:
            raise AssertionError(f"a field has no rule '{rule}'")


def _only_warns(field: Field, rule: str) -> bool:
    return field.severity_of(rule) is Severity.WARN


def _rows(contract: Contract) -> Iterator[Obligation]:
    for rule in contract.rules:
        promise = Holds(rule.name, row_condition(rule.sql), rule.on_null == "keep")
        yield Obligation(f"{rule.name}.row_rule", "row_rule", promise, Layer.ROWS, rule.severity)
    if contract.key:
        yield Obligation("key", "key", UniqueKey(contract.key), Layer.ROWS)
        if contract.publication.mode == "append":
            yield Obligation("key.published", "key", NewKey(contract.key), Layer.ROWS)
    for unique in contract.unique:
        where = row_condition(unique.where) if unique.where else None
        yield Obligation(
            f"{unique.name}.unique", "unique", UniqueKey(unique.fields, where), Layer.ROWS, unique.severity
        )
    if contract.duplicate_rows is not None:
        yield Obligation("duplicate_rows", "duplicate_rows", NoDuplicateRows(), Layer.ROWS, contract.duplicate_rows)
    for group in contract.groups:
        condition = group_condition(group.sql, group.by)
        held = GroupsHold(group.name, group.by, condition, group.on_null == "keep")
        yield Obligation(f"{group.name}.group", "group", held, Layer.ROWS, group.severity)
    for past in contract.history:
        compared = _history_promise(past, contract)
        yield Obligation(f"{past.name}.history", "history", compared, Layer.ROWS, past.severity)


def _history_promise(rule: HistoryRule, contract: Contract) -> HistoryPromise:
    by, terms = predecessor_key(contract), contract.delivery.partition
    if rule.sql is None:
        return KeysReturn(rule.name, by, rule.max_share)
    latest = terms.column if terms is not None and tells_rows_of_a_partition_apart(contract) else None
    condition = history_condition(rule.sql)
    return HistoryHolds(rule.name, by, latest, condition, rule.on_null == "keep", rule.max_share)


def _operations(contract: Contract) -> Iterator[Obligation]:
    operations, delivery = Layer.OPERATIONS, contract.delivery
    yield Obligation(
        "row_count",
        "row_count",
        RowCountBetween(contract.rows.min, contract.rows.max),
        operations,
        contract.rows.severity,
    )
    is_declared = delivery.manifest != "none" or delivery.format.type == "envelope"
    if delivery.partition is not None:
        column = delivery.partition.column
        if contract.publication.mode != "upsert":  # whose rows may correct any partition
            yield Obligation("partition", "partition", InPartition(column), operations, field=column)
        if is_declared:
            yield Obligation("partition.declared", "partition", DeclaresPartition(), operations)
    if is_declared:
        yield Obligation("contract", "contract", DeclaresContract(), operations)
        yield Obligation("unit", "unit", DeclaresUnit(), operations)
    if delivery.parts is not None:
        required, named = delivery.parts.required, delivery.parts.column
        source = delivery.parts.required_from
        listed_in = f"'{source.field}' of the published table '{source.contract}'" if source is not None else ""
        yield Obligation("coverage.missing", "coverage", PartsArrived(required, listed_in), operations, field=named)
        yield Obligation("coverage.unexpected", "coverage", NoOtherParts(required), operations, field=named)
    if is_declared:
        required = delivery.parts.required if delivery.parts is not None else ()
        yield Obligation("completeness", "completeness", PartsComplete(required), operations)
    yield from _timeliness(contract)


def _timeliness(contract: Contract) -> Iterator[Obligation]:
    due, fresh = contract.delivery.due, contract.freshness
    if due is not None:
        yield Obligation("deadline", "deadline", InTime(due), Layer.OPERATIONS, due.severity)
    if fresh is not None:
        promise = Fresh(fresh.column, fresh.max_age)
        yield Obligation("freshness", "freshness", promise, Layer.OPERATIONS, fresh.severity, field=fresh.column)


def _monitors(contract: Contract) -> Iterator[Obligation]:
    volume = contract.monitors.volume
    if volume is not None:
        steady = Steady(Measure.ROWS, None, volume.max_change, volume)
        yield Obligation("volume", "volume", steady, Layer.OPERATIONS, volume.severity)
    for name, monitor in contract.monitors.fields.items():
        field = contract.field(name)
        for limit in limits_of(monitor, field):
            measure = Measure(LIMITS[limit])
            values = (field.enum or ()) if measure is Measure.SHARES else ()
            steady = Steady(measure, name, getattr(monitor, limit), monitor, values)
            drift = f"{name}.drift.{measure}"
            yield Obligation(drift, "drift", steady, Layer.OPERATIONS, monitor.severity, field=name)
