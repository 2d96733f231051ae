"""What a broken promise does, how rows enter the table, and how long things are kept."""

from collections.abc import Iterator
from datetime import timedelta

from contract_core.contract.model import Contract
from contract_core.diff.change import Change
from contract_core.diff.kinds import ChangeKind as Is
from contract_core.diff.wording import from_to

_POLICIES = ("warn", "quarantine", "fail")
_CLASSIFIED = "confidential"
"""What would be copied to where fewer rules hold; a restricted field never is."""
_LOG_KEPT = timedelta(days=30)
"""How far back a table can be read where nothing is said: as far as its log goes."""


def enforcement_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The policy, its budget, and what is kept of rows that are set aside."""
    before, after = old.enforcement, new.enforcement
    if before.on_breach != after.on_breach:
        is_stricter = _POLICIES.index(after.on_breach) > _POLICIES.index(before.on_breach)
        kind = Is.ON_BREACH_TIGHTENED if is_stricter else Is.ON_BREACH_RELAXED
        yield Change(kind, "enforcement.on_breach", f"from {before.on_breach} to {after.on_breach}")
    yield from _budget(old, new)
    yield from _kept_aside(old, new)


def _budget(old: Contract, new: Contract) -> Iterator[Change]:
    """A budget means something where rows go to quarantine before and after; else the policy says it all."""
    before, after = old.enforcement, new.enforcement
    is_spent = before.on_breach == after.on_breach == "quarantine"
    for name in ("max_rows", "max_rate"):
        one, other = getattr(before.quarantine, name), getattr(after.quarantine, name)
        if one != other:
            is_lower = other is not None and (one is None or other < one)
            kind = Is.BUDGET_LOWERED if is_lower else Is.BUDGET_RAISED
            yield Change(
                kind if is_spent else Is.KEPT_ASIDE_CHANGED, f"enforcement.quarantine.{name}", from_to(one, other)
            )


def _kept_aside(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = old.enforcement.quarantine, new.enforcement.quarantine
    is_exposed = after.rows == "kept" and any(field.classification == _CLASSIFIED for field in new.fields)
    if before.rows != after.rows:
        kind = Is.KEPT_ASIDE_EXPOSED if is_exposed else Is.KEPT_ASIDE_CHANGED
        yield Change(kind, "enforcement.quarantine.rows", f"from {before.rows} to {after.rows}")
    elif is_exposed and old.enforcement.on_breach != "quarantine" == new.enforcement.on_breach:
        yield Change(
            Is.KEPT_ASIDE_EXPOSED, "enforcement.quarantine.rows", "with classified fields are kept from now on"
        )
    if before.keep != after.keep:
        yield Change(Is.KEPT_ASIDE_CHANGED, "enforcement.quarantine.keep", from_to(before.keep, after.keep))


def publication_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """How rows enter the table, and how far back it can be read."""
    before, after = old.publication, new.publication
    if before.mode != after.mode:
        yield Change(Is.PUBLICATION_MODE_CHANGED, "publication.mode", f"from {before.mode} to {after.mode}")
    if before.keep_versions != after.keep_versions:
        what = from_to(before.keep_versions, after.keep_versions)
        yield Change(_retention(before.keep_versions, after.keep_versions), "publication.keep_versions", what)
    for name in ("keep_candidates", "keep_refused", "keep_newest"):
        one, other = getattr(before, name), getattr(after, name)
        if one != other:
            yield Change(Is.KEPT_ASIDE_CHANGED, f"publication.{name}", from_to(one, other))


def _retention(before: timedelta | None, after: timedelta | None) -> Is:
    old, new = (_LOG_KEPT if duration is None else duration for duration in (before, after))
    if old == new:
        return Is.WORDS_EDITED
    return Is.RETENTION_SHORTENED if new < old else Is.RETENTION_LENGTHENED
