"""Rules beyond single fields: of rows, of uniqueness, of groups, of history, and the monitors. Found by name, compared by what they say."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from contract_core.contract.conditions import group_condition, history_condition, row_condition
from contract_core.contract.model import Contract
from contract_core.contract.promises import (
    FieldMonitor,
    GroupRule,
    HistoryRule,
    RowRule,
    Severity,
    Unique,
    VolumeMonitor,
)
from contract_core.contract.sql_expression import RowSqlError
from contract_core.diff.change import Change
from contract_core.diff.kinds import ChangeKind as Is

_QUOTED = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")""")
_THREE_VALUED = (RowRule, GroupRule, HistoryRule)
Rule = RowRule | Unique | GroupRule | HistoryRule
Monitor = VolumeMonitor | FieldMonitor
_COMPARED_WITH = ("window", "min_history", "season")
_NO_LIMIT = (*_COMPARED_WITH, "max_deviation", "severity")


def row_rule_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The rules of rows."""
    return _by_name("rules", old.rules, new.rules)


def unique_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """Further uniqueness: losing it multiplies rows in joins."""
    return _by_name("unique", old.unique, new.unique)


def group_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The rules of groups of rows."""
    return _by_name("groups", old.groups, new.groups)


def history_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The rules that compare a row with the one before it."""
    return _by_name("history", old.history, new.history)


def _by_name(section: str, before: Sequence[Rule], after: Sequence[Rule]) -> Iterator[Change]:
    old, new = {rule.name: rule for rule in before}, {rule.name: rule for rule in after}
    renamed = _renamed(old, new)
    for name, rule in old.items():
        path = f"{section}.{name}"
        if name in renamed:
            yield Change(Is.RULE_RENAMED, path, f"is called '{renamed[name]}' now")
        elif name not in new:
            yield Change(weighed(_removed(rule), rule.severity), path, "is no longer asked")
        else:
            yield from _edited(path, rule, new[name])
    for name, rule in new.items():
        if name not in old and name not in renamed.values():
            yield Change(weighed(_added(rule), rule.severity), f"{section}.{name}", "is asked")


def _renamed(old: Mapping[str, Rule], new: Mapping[str, Rule]) -> dict[str, str]:
    """Which rules only have another name: all that they say is the same."""
    gone = {name: rule for name, rule in old.items() if name not in new}
    come = {name: rule for name, rule in new.items() if name not in old}
    found: dict[str, str] = {}
    for name, rule in gone.items():
        same = (other for other in come if other not in found.values() and _said(rule) == _said(come[other]))
        if (other := next(same, None)) is not None:
            found[name] = other
    return found


def _said(rule: Rule) -> dict[str, object]:
    """All that the rule says, in one spelling; its name and description apart."""
    stated = {name: getattr(rule, name) for name in type(rule).model_fields if name not in ("name", "description")}
    for name in ("sql", "where"):
        if stated.get(name) is not None:
            stated[name] = _canonical(stated[name], rule)
    for name in ("fields", "by"):
        if name in stated:
            stated[name] = frozenset(getattr(rule, name))
    return stated


def _canonical(sql: str, rule: Rule) -> str:
    """Equal for two texts that differ in layout alone."""
    try:
        if isinstance(rule, GroupRule):
            return group_condition(sql, rule.by).canonical
        return (history_condition(sql) if isinstance(rule, HistoryRule) else row_condition(sql)).canonical
    except RowSqlError:
        return "".join(text if text[:1] in "'\"" else " ".join(text.split()) for text in _QUOTED.split(sql.strip()))


def _added(rule: Rule) -> Is:
    return Is.UNIQUENESS_ADDED if isinstance(rule, Unique) else Is.RULE_ADDED


def _removed(rule: Rule) -> Is:
    return Is.UNIQUENESS_DROPPED if isinstance(rule, Unique) else Is.RULE_REMOVED


def _edited(path: str, old: Rule, new: Rule) -> Iterator[Change]:
    before, after = _said(old), _said(new)
    if any(before[name] != after[name] for name in ("sql", "vanished", "where", "fields", "by") if name in before):
        kind = Is.UNIQUENESS_CHANGED if isinstance(new, Unique) else Is.RULE_CHANGED
        yield Change(weighed(kind, new.severity), path, "asks something else")
    if isinstance(old, _THREE_VALUED) and isinstance(new, _THREE_VALUED) and old.on_null != new.on_null:
        kind = Is.RULE_TIGHTENED if new.on_null == "breach" else Is.RULE_RELAXED
        yield Change(weighed(kind, new.severity), f"{path}.on_null", f"from {old.on_null} to {new.on_null}")
    if isinstance(old, HistoryRule) and isinstance(new, HistoryRule) and old.max_share != new.max_share:
        yield _threshold(f"{path}.max_share", old.max_share or Decimal(0), new.max_share or Decimal(0), new.severity)
    if getattr(old, "description", None) != getattr(new, "description", None):
        yield Change(Is.WORDS_EDITED, f"{path}.description", "is worded differently")
    yield from severity_change(path, old.severity, new.severity)


def severity_change(path: str, old: Severity, new: Severity) -> Iterator[Change]:
    """That a promise holds publication back, or no longer does."""
    if old is not new:
        kind = Is.SEVERITY_RAISED if new is Severity.ERROR else Is.SEVERITY_LOWERED
        yield Change(kind, f"{path}.severity", f"from {old} to {new}")


_TIGHTER = {
    Is.RULE_ADDED, Is.RULE_CHANGED, Is.RULE_TIGHTENED, Is.UNIQUENESS_ADDED, Is.UNIQUENESS_CHANGED, Is.THRESHOLD_TIGHTENED,
}  # fmt: skip


def weighed(kind: Is, severity: Severity) -> Is:
    """The kind where a breach holds publication back; a warning where it is only told."""
    if severity is Severity.ERROR:
        return kind
    return Is.WARNING_ADDED if kind in _TIGHTER else Is.WARNING_REMOVED


def _threshold(path: str, old: Decimal, new: Decimal, severity: Severity) -> Change:
    kind = Is.THRESHOLD_TIGHTENED if new < old else Is.THRESHOLD_RELAXED
    return Change(weighed(kind, severity), path, f"from {old:%} to {new:%}")


def monitor_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The comparisons with accepted partitions, of the volume and of each field."""
    yield from _monitor("monitors.volume", old.monitors.volume, new.monitors.volume)
    for name in dict.fromkeys((*old.monitors.fields, *new.monitors.fields)):
        yield from _monitor(f"monitors.fields.{name}", old.monitors.fields.get(name), new.monitors.fields.get(name))


def _monitor(path: str, old: Monitor | None, new: Monitor | None) -> Iterator[Change]:
    if old is None or new is None:
        given = old or new
        if given is not None:
            kind = Is.RULE_ADDED if old is None else Is.RULE_REMOVED
            yield Change(weighed(kind, given.severity), path, "is asked" if old is None else "is no longer asked")
        return
    compared = [name for name in type(old).model_fields if name != "severity"]
    if _is_deviation_alone(old) != _is_deviation_alone(new):
        yield Change(weighed(Is.RULE_CHANGED, new.severity), path, "is held by other limits")
        compared = list(_COMPARED_WITH)
    for name in compared:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield _moved(f"{path}.{name}", before, after, new)
    yield from severity_change(path, old.severity, new.severity)


def _moved(path: str, before: Any, after: Any, monitor: Monitor) -> Change:  # noqa: ANN401 - any attribute of a monitor
    name = path.rpartition(".")[2]
    if name in _COMPARED_WITH:
        words = f"from {before or 'none'} to {after or 'none'}"
        return Change(weighed(Is.RULE_CHANGED, monitor.severity), path, words)
    if name == "max_deviation":
        return _deviation(path, before, after, monitor)
    if before is None or after is None:
        kind = Is.RULE_ADDED if before is None else Is.RULE_REMOVED
        return Change(weighed(kind, monitor.severity), path, "is asked" if before is None else "is no longer asked")
    return _threshold(path, before, after, monitor.severity)


def _deviation(path: str, before: Any, after: Any, monitor: Monitor) -> Change:  # noqa: ANN401 - a number or None
    """A deviation that must be exceeded too makes less of what moved told, and so does a larger one."""
    is_tighter = after is None or (before is not None and after < before)
    kind = Is.THRESHOLD_TIGHTENED if is_tighter else Is.THRESHOLD_RELAXED
    words = f"from {'none' if before is None else before} to {'none' if after is None else after}"
    return Change(weighed(kind, monitor.severity), path, words)


def _is_deviation_alone(monitor: Monitor) -> bool:
    """True where the deviation is the only limit, and so asks another question than beside one."""
    return all(getattr(monitor, name) is None for name in type(monitor).model_fields if name not in _NO_LIMIT)
