"""In which state each released version is on a given day, from what the versions say of themselves and of older ones."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from contract_core.diff.versions import Version
from contract_core.errors import Problem, WrongUsageError
from contract_core.releases.release import Release, line_numbers


class StateKind(StrEnum):
    """What a version is on a day. Only a retired one is no longer supported; every one stays readable."""

    DRAFT = "draft"
    ACTIVE = "active"
    REPLACED = "replaced"
    DEPRECATED = "deprecated"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class State:
    """A state, the day it began, the last day on which the version is supported, and the newest version in its place."""

    kind: StateKind
    since: date
    until: date | None = None
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True)
class _Promise:
    """What a later release says of all versions that begin with these numbers: their last day, and when that was said."""

    numbers: tuple[int, ...]
    until: date
    said: date
    by: Version

    def holds_for(self, line: tuple[int, ...]) -> bool:
        return line[: len(self.numbers)] == self.numbers and line < _line_of(self.by)


def states_of(releases: Iterable[Release], today: date) -> Mapping[str, State]:
    """The state of every version of one contract, oldest version first. Raises WrongUsageError for releases of several contracts.

    A newer version of the same major (before 1.0.0 of the same minor) takes the place of an older one and speaks for its end; a
    draft does neither.
    The last day is still supported. A release of a later day than `today` counts as made.
    """
    ordered = sorted(releases, key=lambda release: release.number)
    if len({release.name for release in ordered}) > 1:
        raise WrongUsageError(Problem("", "the releases are those of several contracts", "ask for one at a time"))
    promises = _promises(ordered)
    lines: dict[tuple[int, ...], list[Release]] = {}
    for release in ordered:
        lines.setdefault(_line_of(release.number), []).append(release)
    return {
        version: state
        for numbers, line in lines.items()
        for version, state in reversed([*_line_states(line, _promise_of(numbers, promises), today)])
    }


def _line_of(number: Version) -> tuple[int, ...]:
    """What stays the same while nothing breaks: the major, or before 1.0.0 the minor too."""
    return number[:1] if number[0] else number[:2]


def _promises(releases: Iterable[Release]) -> tuple[_Promise, ...]:
    """All that was said of older versions, in the order in which it was said."""
    told = sorted((release for release in releases if release.status != "draft"), key=lambda each: each.released_at)
    return tuple(
        _Promise(line_numbers(line), until, release.day, release.number)
        for release in told
        for line, until in release.supported_until.items()
    )


def _promise_of(line: tuple[int, ...], promises: tuple[_Promise, ...]) -> _Promise | None:
    """What was said last of a line by a version above it."""
    return next((promise for promise in reversed(promises) if promise.holds_for(line)), None)


def _line_states(line: list[Release], promise: _Promise | None, today: date) -> Iterator[tuple[str, State]]:
    """The states of the versions of one major, newest first."""
    newest: Release | None = None
    first: date | None = None
    for release in reversed(line):
        yield release.version, _state(release, newest, first, promise, today)
        if release.status != "draft":
            newest = newest or release
            first = release.day if first is None else min(first, release.day)


def _state(
    release: Release, newest: Release | None, first: date | None, promise: _Promise | None, today: date
) -> State:
    """`newest` is the newest version of the same major above this one, `first` the day on which the first of them came."""
    speakers = [release] if newest is None else [release, newest]
    ends = [speaker.sunset for speaker in speakers if speaker.sunset is not None]
    ends += [promise.until] if promise is not None else []
    until = min(ends, default=None)
    gone = [speaker.day for speaker in speakers if speaker.status == "retired"]
    gone += [until + timedelta(days=1)] if until is not None and until < today else []
    by = newest.version if newest is not None else None
    if gone:
        return State(StateKind.RETIRED, max(release.day, min(gone)), until, by)
    if first is not None:
        return State(StateKind.REPLACED, max(release.day, first), until, by)
    if release.status in ("draft", "deprecated"):
        return State(StateKind(release.status), release.day, until)
    if promise is not None:
        return State(StateKind.DEPRECATED, max(release.day, promise.said), until)
    return State(StateKind.ACTIVE, release.day, until)
