"""How two contracts differ beside their fields: one finder for each attribute, so that none can be forgotten."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.diff.change import Change
from contract_core.diff.delivery_changes import delivery_changes
from contract_core.diff.enforcement_changes import enforcement_changes, publication_changes
from contract_core.diff.kinds import ChangeKind as Is
from contract_core.diff.meaning import meaning_kind, reworded
from contract_core.diff.people_changes import change_terms_changes, owner_changes
from contract_core.diff.rule_changes import (
    group_changes,
    history_changes,
    monitor_changes,
    row_rule_changes,
    unique_changes,
)
from contract_core.diff.wording import from_to

_STATUSES = ("draft", "active", "deprecated", "retired")
_STATUS_KINDS = {"active": Is.STATUS_ACTIVATED, "deprecated": Is.STATUS_DEPRECATED, "retired": Is.STATUS_RETIRED}

Finder = Callable[[Contract, Contract], Iterator[Change]]


def contract_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """Everything by which the two differ beside their fields, in the order of the model's attributes."""
    for attribute, finder in CONTRACT_FINDERS.items():
        if getattr(old, attribute) != getattr(new, attribute):
            yield from finder(old, new)


def _name(old: Contract, new: Contract) -> Iterator[Change]:
    yield Change(Is.CONTRACT_RENAMED, "contract", f"from {old.name} to {new.name}")


def _status(old: Contract, new: Contract) -> Iterator[Change]:
    is_on = _STATUSES.index(new.status) > _STATUSES.index(old.status)
    kind = _STATUS_KINDS[new.status] if is_on else Is.STATUS_TURNED_BACK
    yield Change(kind, "status", f"from {old.status} to {new.status}")


def _sunset(old: Contract, new: Contract) -> Iterator[Change]:
    """The day that comes with a deprecation belongs to it; every other edit of the day is a change of its own."""
    if old.sunset is not None:
        is_later = new.sunset is None or new.sunset > old.sunset
        kind = Is.SUNSET_LATER if is_later else Is.SUNSET_EARLIER
        yield Change(kind, "sunset", f"from {old.sunset} to {new.sunset or 'none'}")
    elif new.status == old.status:
        yield Change(Is.SUNSET_EARLIER, "sunset", f"from none to {new.sunset}")


def _words(attribute: str) -> Finder:
    def finder(old: Contract, new: Contract) -> Iterator[Change]:
        what = (
            "is worded differently" if getattr(old, attribute) and getattr(new, attribute) else "is stated, or left out"
        )
        yield Change(Is.WORDS_EDITED, attribute, what)

    return finder


def _meaning(attribute: str, stated: Is, changed: Is) -> Finder:
    def finder(old: Contract, new: Contract) -> Iterator[Change]:
        before, after = getattr(old, attribute), getattr(new, attribute)
        yield Change(meaning_kind(before, after, (stated, changed)), attribute, reworded(before, after))

    return finder


def _key(old: Contract, new: Contract) -> Iterator[Change]:
    if not old.key or not new.key:
        kind = Is.KEY_ADDED if new.key else Is.KEY_DROPPED
    else:
        kind = Is.KEY_REORDERED if sorted(old.key) == sorted(new.key) else Is.KEY_CHANGED
    yield Change(kind, "key", f"from ({', '.join(old.key)}) to ({', '.join(new.key)})")


def _extra_fields(old: Contract, new: Contract) -> Iterator[Change]:
    what = f"from {old.extra_fields} to {new.extra_fields}"
    if new.extra_fields == "keep":
        yield Change(Is.EXTRA_FIELDS_OPENED, "extra_fields", what)
    elif old.extra_fields == "keep":
        yield Change(Is.EXTRA_FIELDS_DROPPED, "extra_fields", what)
    if new.extra_fields == "reject":
        yield Change(Is.EXTRA_FIELDS_CLOSED, "extra_fields", what)
    elif new.extra_fields == "ignore" and old.extra_fields == "reject":
        yield Change(Is.EXTRA_FIELDS_IGNORED, "extra_fields", what)


def _duplicate_rows(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = old.duplicate_rows, new.duplicate_rows
    if Severity.ERROR not in (before, after):
        kind = Is.WARNING_ADDED if after else Is.WARNING_REMOVED
    else:
        kind = Is.UNIQUENESS_ADDED if after is Severity.ERROR else Is.UNIQUENESS_DROPPED
    yield Change(kind, "duplicate_rows", f"from {before or 'allowed'} to {after or 'allowed'}")


def _rows(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = old.rows, new.rows
    is_warning = Severity.WARN in (before.severity, after.severity)
    if before.severity is not after.severity:
        kind = Is.SEVERITY_RAISED if after.severity is Severity.ERROR else Is.SEVERITY_LOWERED
        yield Change(kind, "rows.severity", f"from {before.severity} to {after.severity}")
    if not is_warning and (before.min == 0) != (after.min == 0):
        yield Change(
            Is.EMPTY_FORBIDDEN if after.min else Is.EMPTY_ALLOWED, "rows.min", f"from {before.min} to {after.min}"
        )
    elif before.min != after.min:
        yield Change(_count(is_warning, after.min > before.min), "rows.min", f"from {before.min} to {after.min}")
    if before.max != after.max:
        is_tighter = after.max is not None and (before.max is None or after.max < before.max)
        what = f"from {'none' if before.max is None else before.max} to {'none' if after.max is None else after.max}"
        yield Change(_count(is_warning, is_tighter), "rows.max", what)


def _count(is_warning: bool, is_tighter: bool) -> Is:  # noqa: FBT001 - a table of two facts
    table = {
        (False, True): Is.ROW_COUNT_TIGHTENED,
        (False, False): Is.ROW_COUNT_RELAXED,
        (True, True): Is.WARNING_ADDED,
        (True, False): Is.WARNING_REMOVED,
    }
    return table[is_warning, is_tighter]


def _freshness(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = old.freshness, new.freshness
    if before is None or after is None:
        kind = Is.FRESHNESS_TIGHTENED if before is None else Is.FRESHNESS_LOOSENED
        yield Change(kind, "freshness", "is promised" if before is None else "is no longer promised")
        return
    if before.column != after.column:
        yield Change(Is.FRESHNESS_COLUMN_CHANGED, "freshness.column", f"from {before.column} to {after.column}")
    if before.max_age != after.max_age:
        kind = Is.FRESHNESS_TIGHTENED if after.max_age < before.max_age else Is.FRESHNESS_LOOSENED
        yield Change(kind, "freshness.max_age", from_to(before.max_age, after.max_age))
    yield from _silence(before.max_silence, after.max_silence)
    if before.severity is not after.severity:
        kind = Is.SEVERITY_RAISED if after.severity is Severity.ERROR else Is.SEVERITY_LOWERED
        yield Change(kind, "freshness.severity", f"from {before.severity} to {after.severity}")


def _silence(before: timedelta | None, after: timedelta | None) -> Iterator[Change]:
    if before == after:
        return
    is_tighter = after is not None and (before is None or after < before)
    kind = Is.FRESHNESS_TIGHTENED if is_tighter else Is.FRESHNESS_LOOSENED
    yield Change(kind, "freshness.max_silence", from_to(before, after))


def _unverified(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = ({item.claim: item.evidence for item in contract.unverified} for contract in (old, new))
    if before.keys() != after.keys():
        gone, come = len(before.keys() - after.keys()), len(after.keys() - before.keys())
        yield Change(Is.ASSUMPTION_CHANGED, "unverified", f"states other claims: {gone} gone, {come} new")
    if any(before[claim] != after[claim] for claim in before.keys() & after.keys()):
        yield Change(Is.WORDS_EDITED, "unverified", "names other evidence")


def _told_elsewhere(_old: Contract, _new: Contract) -> Iterator[Change]:
    """The version is judged by the gate, the fields by who pairs them."""
    return iter(())


CONTRACT_FINDERS: Mapping[str, Finder] = {
    "contract": _name,
    "version": _told_elsewhere,
    "fields": _told_elsewhere,
    "status": _status,
    "sunset": _sunset,
    "description": _words("description"),
    "domain": _words("domain"),
    "purpose": _words("purpose"),
    "grain": _meaning("grain", Is.GRAIN_STATED, Is.GRAIN_CHANGED),
    "population": _meaning("population", Is.POPULATION_STATED, Is.POPULATION_CHANGED),
    "recovery": _words("recovery"),
    "owners": owner_changes,
    "key": _key,
    "extra_fields": _extra_fields,
    "rules": row_rule_changes,
    "unique": unique_changes,
    "duplicate_rows": _duplicate_rows,
    "rows": _rows,
    "groups": group_changes,
    "history": history_changes,
    "delivery": delivery_changes,
    "freshness": _freshness,
    "monitors": monitor_changes,
    "enforcement": enforcement_changes,
    "publication": publication_changes,
    "unverified": _unverified,
    "changes": change_terms_changes,
}
"""One for each attribute of a contract."""
