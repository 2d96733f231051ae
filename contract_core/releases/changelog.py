"""What releases changed, told for people as Markdown: the changelog of a contract, and the announcement of one release."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contract_core.releases.release import Release

_GROUPS: Mapping[str, str] = {
    "breaking": "Breaking",
    "compatible": "Compatible",
    "patch": "Words",
}
_OTHER = "Other"
_KEPT_APART = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def changelog_text(releases: Iterable[Release]) -> str:
    """The changelog of one contract, newest version first. The same releases give the same text, in whatever order they come."""
    ordered = sorted(releases, key=lambda release: release.number, reverse=True)
    if not ordered:
        return ""
    lines = [f"# Changes of contract '{ordered[0].name}'", "", "Written from the records; do not edit.", ""]
    for release in ordered:
        lines += [f"## {release.version}, {release.day.isoformat()}", "", *_told(release)]
    return "\n".join(lines).rstrip("\n") + "\n"


def announcement_text(release: Release, migration: str | None = None) -> str:
    """What is told on the channel that the terms of change name: what changed, whom it breaks, how long older versions stay."""
    head = f"Contract '{release.name}' {release.version} is released."
    lines = [head, "", *_told(release, with_announcement=False)]
    if migration is not None:
        lines += [f"How to move: {_line(migration)}", ""]
    lines += [f"Pin it: {release.name}@{release.version}"]
    return "\n".join(lines) + "\n"


def changes_by_class(release: Release) -> Mapping[str, int]:
    """How many changes of each class a release holds, breaking ones first; what has no class of ours counts as other."""
    counts: dict[str, int] = dict.fromkeys((*_GROUPS, "other"), 0)
    for change in release.changes:
        group = str(change.get("class"))
        counts[group if group in _GROUPS else "other"] += 1
    return {group: count for group, count in counts.items() if count}


def _told(release: Release, *, with_announcement: bool = True) -> Iterator[str]:
    yield f"{_first_line(release)}"
    yield ""
    if with_announcement and release.announcement:
        yield from _quoted(release.announcement)
    if release.note:
        yield from _quoted(release.note)
    for group, title in (*_GROUPS.items(), (None, _OTHER)):
        told = [change for change in release.changes if _group(change) == group]
        if told:
            yield from (f"### {title}", "", *map(_change_line, told), "")


def _group(change: Mapping[str, Any]) -> str | None:
    name = str(change.get("class"))
    return name if name in _GROUPS else None


def _first_line(release: Release) -> str:
    words = [f"Released by {_line(release.released_by)}"]
    words += [f"replaces {release.replaces}"] if release.replaces is not None else ["the first release"]
    words += [f"{major}.x is supported until {day.isoformat()}" for major, day in release.supported_until.items()]
    words += [f"approved by {', '.join(who)}"] if (who := _approvers(release)) else []
    return f"{'; '.join(words)}."


def _approvers(release: Release) -> list[str]:
    names = (approval.get("by") or approval.get("name") for approval in release.approvals)
    return [_line(name) for name in names if isinstance(name, str)]


def _change_line(change: Mapping[str, Any]) -> str:
    path, reason = change.get("path"), change.get("reason")
    told = f"{_code(path)} {_what(change)}" if isinstance(path, str) and path else _what(change)
    told = f"- {told}: {_line(reason)}" if isinstance(reason, str) and reason else f"- {told}"
    breaks, consumers = _names(change.get("breaks")), _names(change.get("consumers"))
    if not breaks and not consumers:
        return told
    named = f" ({', '.join(consumers)})" if consumers else ""
    return f"{told}; breaks {', '.join(breaks) or 'consumer'}{named}"


def _what(change: Mapping[str, Any]) -> str:
    """What changed in the finder's words, else the kind of change."""
    what = change.get("what")
    return (
        _line(what) if isinstance(what, str) and what else _line(str(change.get("kind") or "changed")).replace("_", " ")
    )


def _names(value: object) -> list[str]:
    return [_line(name) for name in value if isinstance(name, str)] if isinstance(value, list | tuple) else []


def _line(text: str) -> str:
    """The text on one line, with what Markdown would take for markup or HTML made harmless."""
    plain = " ".join(_KEPT_APART.sub(" ", text).split())
    return re.sub(r"([\\`*\[\]<>|])", r"\\\1", plain)


def _code(text: str) -> str:
    """The text as code, whatever backticks it holds."""
    plain = _KEPT_APART.sub(" ", text)
    fence = "`" * (max((len(run) for run in re.findall("`+", plain)), default=0) + 1)
    blank = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{blank}{plain}{blank}{fence}"


def _quoted(text: str) -> Iterator[str]:
    yield from (f"> {_KEPT_APART.sub(' ', line)}".rstrip() for line in text.splitlines())
    yield ""
