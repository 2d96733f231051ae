"""The older contract with the fields that were renamed under their newer names: so that a rename is one change and not twenty."""

from collections.abc import Mapping
from typing import TypeVar

from contract_core.contract.delivery_terms import Delivery, Format
from contract_core.contract.model import Contract
from contract_core.contract.promises import GroupRule, HistoryRule, Monitors, RowRule, Unique

Rule = TypeVar("Rule", RowRule, HistoryRule)
_BY_FIELD = ("null_values", "true_values", "false_values", "dates")


def followed(old: Contract, renamed: Mapping[str, str]) -> Contract:
    """`old` as it would be written with the newer names; its fields themselves stay as they were."""
    if not renamed:
        return old
    update: dict[str, object] = {
        "key": _names(old.key, renamed),
        "rules": tuple(_rule(rule, renamed) for rule in old.rules),
        "history": tuple(_rule(rule, renamed) for rule in old.history),
        "groups": tuple(_group(rule, renamed) for rule in old.groups),
        "unique": tuple(_unique(rule, renamed) for rule in old.unique),
        "monitors": _monitors(old.monitors, renamed),
        "delivery": _delivery(old.delivery, renamed),
    }
    if old.freshness is not None:
        column = _name(old.freshness.column, renamed)
        update["freshness"] = old.freshness.model_copy(update={"column": column})
    if old.owners is not None:
        consumers = tuple(
            consumer.model_copy(update={"relies_on": _names(consumer.relies_on, renamed)})
            for consumer in old.owners.consumers
        )
        update["owners"] = old.owners.model_copy(update={"consumers": consumers})
    return old.model_copy(update=update)


def _name(name: str, renamed: Mapping[str, str]) -> str:
    return renamed.get(name, name)


def _names(names: tuple[str, ...], renamed: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(_name(name, renamed) for name in names)


def _rule(rule: Rule, renamed: Mapping[str, str]) -> Rule:
    return rule if rule.sql is None else rule.model_copy(update={"sql": _sql(rule.sql, renamed)})


def _group(rule: GroupRule, renamed: Mapping[str, str]) -> GroupRule:
    from contract_core.diff.following_sql import followed_group_condition  # noqa: PLC0415 - few renames meet a rule in SQL

    sql = followed_group_condition(rule, renamed)
    return rule.model_copy(update={"by": _names(rule.by, renamed), "sql": sql})


def _unique(rule: Unique, renamed: Mapping[str, str]) -> Unique:
    where = None if rule.where is None else _sql(rule.where, renamed)
    return rule.model_copy(update={"fields": _names(rule.fields, renamed), "where": where})


def _sql(text: str, renamed: Mapping[str, str]) -> str:
    from contract_core.diff.following_sql import followed_condition  # noqa: PLC0415 - few renames meet a rule in SQL

    return followed_condition(text, renamed)


def _monitors(monitors: Monitors, renamed: Mapping[str, str]) -> Monitors:
    return monitors.model_copy(update={"fields": _keys(monitors.fields, renamed)})


def _keys(by_field: Mapping[str, object], renamed: Mapping[str, str]) -> dict[str, object]:
    return {_name(name, renamed): value for name, value in by_field.items()}


def _delivery(delivery: Delivery, renamed: Mapping[str, str]) -> Delivery:
    update: dict[str, object] = {"format": _format(delivery.format, renamed)}
    if delivery.partition is not None:
        column = _name(delivery.partition.column, renamed)
        update["partition"] = delivery.partition.model_copy(update={"column": column})
    if delivery.parts is not None and delivery.parts.column is not None:
        column = _name(delivery.parts.column, renamed)
        update["parts"] = delivery.parts.model_copy(update={"column": column})
    return delivery.model_copy(update=update)


def _format(stated: Format, renamed: Mapping[str, str]) -> Format:
    update: dict[str, object] = {name: _keys(getattr(stated, name), renamed) for name in _BY_FIELD}
    return stated.model_copy(update=update | {"integral": _names(stated.integral, renamed)})
