"""What a version changed, in groups by class: as its release recorded it, or found anew between two versions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from contract_core.contract.model import Contract
from contract_core.diff.release import compare
from contract_core.releases.release import Release
from contract_core.rendering.changes import verdict_document

_REFUSED = "refused"
_GROUPS = {
    _REFUSED: "Refused unless approved",
    "breaking": "Breaking",
    "compatible": "Compatible",
    "patch": "Patch",
    "other": "Other",
}


@dataclass(frozen=True, slots=True)
class ToldChange:
    """One change as a page tells it; `consumers` are those whom it breaks."""

    path: str
    what: str
    kind: str
    verdict: str
    reason: str
    breaks: tuple[str, ...]
    consumers: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """All changes of one class."""

    verdict: str
    title: str
    changes: tuple[ToldChange, ...]


def recorded_changes(release: Release) -> tuple[ToldChange, ...]:
    """What the release said that it changes, when it was released."""
    return tuple(_told(change) for change in release.changes)


def changes_between(
    old: Contract, new: Contract, today: date, recorded: Iterable[ToldChange] = ()
) -> tuple[ToldChange, ...]:
    """Every difference of two versions, judged by the terms of the older one as on a day.

    What only people can judge, such as another meaning, has the heaviest class that `recorded` gives to the same change.
    """
    found = tuple(_told(verdict_document(verdict)) for verdict in compare(old, new, today).verdicts)
    known = tuple(recorded)
    return tuple(_as_decided(change, known) if change.verdict == _REFUSED else change for change in found)


def _as_decided(change: ToldChange, recorded: tuple[ToldChange, ...]) -> ToldChange:
    same = [each for each in recorded if (each.kind, each.path) == (change.kind, change.path)]
    if not same:
        return change
    decided = min(same, key=lambda each: list(_GROUPS).index(each.verdict))
    return replace(decided, what=change.what)


def grouped(changes: Iterable[ToldChange]) -> tuple[ChangeGroup, ...]:
    """The changes by class, the heaviest first; a class without a change is left out."""
    told = tuple(changes)
    found = (
        ChangeGroup(verdict, title, tuple(change for change in told if change.verdict == verdict))
        for verdict, title in _GROUPS.items()
    )
    return tuple(group for group in found if group.changes)


def counts_words(changes: Iterable[ToldChange]) -> str:
    """How many changes of each class there are, in one line."""
    return ", ".join(f"{len(group.changes):,} {group.verdict}" for group in grouped(changes))


def field_of(change: ToldChange, names: Iterable[str]) -> str | None:
    """The field that a change is about, by the longest name that its path may mean; None for one about the whole."""
    if not change.path.startswith("fields."):
        return None
    about = change.path.removeprefix("fields.")
    fitting = [name for name in names if about == name or about.startswith(f"{name}.")]
    return max(fitting, key=len, default=None)


def approval_lines(release: Release) -> tuple[str, ...]:
    """Who agreed, to which changes, and when."""
    return tuple(_approval(approval) for approval in release.approvals)


def _approval(approval: Mapping[str, Any]) -> str:
    by, on = _text(approval, "by") or _text(approval, "name"), _text(approval, "on") or _text(approval, "at")
    parts = [by or "somebody who is not named"]
    parts += [f"on {on}"] if on else []
    parts += [f"for the changes {digest}"] if (digest := _text(approval, "changes")) else []
    return " ".join(parts) + (f": {note}" if (note := _text(approval, "note")) else "")


def _told(change: Mapping[str, Any]) -> ToldChange:
    verdict = _text(change, "class")
    return ToldChange(
        path=_text(change, "path"),
        what=_text(change, "what"),
        kind=_text(change, "kind").replace("_", " "),
        verdict=verdict if verdict in _GROUPS else "other",
        reason=_text(change, "reason"),
        breaks=tuple(_texts(change, "breaks")),
        consumers=tuple(_texts(change, "consumers")),
        note="; ".join(text for text in (_text(change, "hint"), _text(change, "asks")) if text),
    )


def _text(change: Mapping[str, Any], name: str) -> str:
    value = change.get(name)
    return value if isinstance(value, str) else ""


def _texts(change: Mapping[str, Any], name: str) -> Iterator[str]:
    value = change.get(name)
    if isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, str))
