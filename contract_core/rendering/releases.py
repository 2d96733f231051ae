"""Released versions as text and JSON documents: their state, their changes, and what was altered."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from contract_core.errors import Problem
from contract_core.releases.changelog import changes_by_class
from contract_core.releases.release import Release
from contract_core.releases.states import State, StateKind, states_of
from contract_core.rendering.moments import SECOND


@dataclass(frozen=True, slots=True)
class Listed:
    """A release and the state that it is in."""

    release: Release
    state: State


def in_states(releases: Iterable[Release], today: date) -> tuple[Listed, ...]:
    """Every release with its state on a day, by name and version."""
    ordered = sorted(releases, key=lambda release: (release.name, release.number))
    found: list[Listed] = []
    for _, group in groupby(ordered, key=lambda release: release.name):
        same = tuple(group)
        states = states_of(same, today)
        found += [Listed(release, states[release.version]) for release in same]
    return tuple(found)


def release_document(listed: Listed) -> dict[str, Any]:
    """One release as JSON, without its text."""
    release, state = listed.release, listed.state
    told = release.model_dump(mode="json", exclude={"text", "status", "sunset"})
    return {
        "contract": told.pop("name"),
        "version": told.pop("version"),
        "state": state.kind.value,
        "since": state.since.isoformat(),
        "until": state.until.isoformat() if state.until is not None else None,
        "replaced_by": state.replaced_by,
        **told,
        "changes_by_class": dict(changes_by_class(release)),
    }


def release_lines(listed: Sequence[Listed]) -> Iterator[str]:
    """A block for each contract with a line for each version, newest first."""
    if not listed:
        yield "nothing was released yet"
    for name, group in groupby(listed, key=lambda item: item.release.name):
        same = [*group]
        yield f"{name}: {len(same):,} version{'' if len(same) == 1 else 's'}"
        yield from (f"    {_line(item)}" for item in reversed(same))


def _line(listed: Listed) -> str:
    release = listed.release
    told = [
        release.version,
        _state_words(listed.state),
        f"released {release.released_at:{SECOND}} by {release.released_by}",
        f"digest {release.digest[:12]}",
        _change_words(release),
    ]
    return "  ".join(told)


def _state_words(state: State) -> str:
    words = f"{state.kind.value} since {state.since}"
    if state.kind is StateKind.REPLACED:
        words = f"replaced by {state.replaced_by} since {state.since}"
    if state.until is not None and state.kind is not StateKind.RETIRED:
        words += f", supported until {state.until}"
    return words


def _change_words(release: Release) -> str:
    counts = changes_by_class(release)
    if not counts:
        return "no changes recorded" if release.replaces is not None else "the first release"
    return ", ".join(f"{count:,} {group}" for group, count in counts.items())


def check_document(problems: Iterable[Problem], count: int) -> dict[str, Any]:
    """What `releases --check --json` says."""
    told = [{"what": problem.what, "hint": problem.hint} for problem in problems]
    return {"versions": count, "verdict": "fail" if told else "pass", "problems": told}


def check_lines(problems: Sequence[Problem], count: int) -> Iterator[str]:
    """Everything that was altered, or that nothing was."""
    yield from map(str, problems)
    if not problems:
        yield f"{count:,} version{' is' if count == 1 else 's are'} as released"
