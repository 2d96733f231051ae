"""Which version a reference means: `orders@1.2.3`, `@^1.2`, `@~1.2.3`, `@1`, `@>=1.2,<2` or `@latest`, and the newest that fits."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from contract_core.contract.model import NAME, VERSION
from contract_core.diff.versions import Version, version_of
from contract_core.errors import Problem, UnknownContractError, WrongUsageError
from contract_core.releases.release import Release
from contract_core.releases.states import State, StateKind

LATEST = "latest"
FORMS = "1.2.3, ^1.2, ~1.2.3, 1, >=1.2,<2 or latest"
_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_PART = re.compile(rf"\s*(\^|~|>=|<=|>|<|=)?\s*({_NUMBER})(?:\.({_NUMBER}))?(?:\.({_NUMBER}))?\s*")
_IN_FULL = re.compile(rf"\s*=?\s*{VERSION.pattern}\s*")
_FIRST: Version = (0, 0, 0)
_LISTED = 8


@dataclass(frozen=True, slots=True)
class Range:
    """The versions from `low` on, up to and without `high`; `is_exact` where one version was named in full."""

    text: str
    low: Version = _FIRST
    high: Version | None = None
    is_exact: bool = False

    def holds(self, version: Version) -> bool:
        """True for a version that is meant."""
        return self.low <= version and (self.high is None or version < self.high)


def parse_reference(reference: str) -> tuple[str, Range]:
    """The name and the range of `name@range`. Raises WrongUsageError."""
    name, _, text = reference.partition("@")
    if not NAME.fullmatch(name):
        what = f"'{reference}' has no contract name before '@'"
        raise WrongUsageError(Problem("", what, "write for example orders@^1.2"))
    return name, parse_range(text)


def parse_range(text: str) -> Range:
    """The range that a text after `@` means. Raises WrongUsageError for one that is none or that no version can lie in.

    `^` keeps the first number that is not zero, `~` the minor; a part that is left out may be any.
    """
    if text.strip() == LATEST:
        return Range(LATEST)
    parts = [_PART.fullmatch(part) for part in text.split(",")]
    limits = [_limits(part[1] or "", _given(part)) for part in parts if part is not None]
    if len(limits) < len(parts):
        raise WrongUsageError(Problem("", f"'{text}' is no range of versions", f"write {FORMS}"))
    low = max(limit[0] for limit in limits)
    high = min((limit[1] for limit in limits if limit[1] is not None), default=None)
    if high is not None and low >= high:
        raise WrongUsageError(Problem("", f"no version can lie in '{text}'", f"write {FORMS}"))
    return Range(text, low, high, is_exact=_IN_FULL.fullmatch(text) is not None)


def _given(part: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(number) for number in part.groups()[1:] if number is not None)


def _limits(sign: str, given: tuple[int, ...]) -> tuple[Version, Version | None]:
    """The first version that is meant and the first one above; numbers that were not given are free."""
    low = _filled(given)
    above = _above(given, len(given) - 1)
    match sign:
        case "^":
            place = next((place for place, number in enumerate(given) if number), len(given) - 1)
            return low, _above(given, place)
        case "~":
            return low, _above(given, min(len(given) - 1, 1))
        case ">=":
            return low, None
        case ">":
            return above, None
        case "<=":
            return _FIRST, above
        case "<":
            return _FIRST, low
        case _:
            return low, above


def _filled(given: tuple[int, ...]) -> Version:
    major, minor, patch = (*given, 0, 0)[:3]
    return major, minor, patch


def _above(given: tuple[int, ...], place: int) -> Version:
    """The first version in which the number at `place` is higher."""
    return _filled((*given[:place], given[place] + 1))


def pick(wanted: Range, releases: Iterable[Release], states: Mapping[str, State]) -> Release:
    """The newest supported version that a range means; a draft only where nothing else fits, a retired one only where it is exact.

    Raises UnknownContractError that lists what there is.
    """
    known = sorted(releases, key=lambda release: release.number, reverse=True)
    fitting = [release for release in known if wanted.holds(release.number)]
    found = fitting[0] if wanted.is_exact and fitting else _newest_supported(fitting, states)
    if found is None:
        raise UnknownContractError(_no_such(wanted, known, fitting, states))
    return found


def _newest_supported(newest_first: list[Release], states: Mapping[str, State]) -> Release | None:
    kinds = [(states[release.version].kind, release) for release in newest_first]
    bound = [release for kind, release in kinds if kind not in (StateKind.RETIRED, StateKind.DRAFT)]
    drafts = [release for kind, release in kinds if kind is StateKind.DRAFT]
    return next(iter([*bound, *drafts]), None)


def _no_such(wanted: Range, known: list[Release], fitting: list[Release], states: Mapping[str, State]) -> Problem:
    name = known[0].name if known else ""
    listed = [_listed(release.version, states[release.version]) for release in reversed(known[:_LISTED])]
    shown = ", ".join([*(["…"] if len(known) > _LISTED else []), *listed])
    usable = _newest_supported(known, states)
    if fitting:
        what = f"contract '{name}' has only retired versions for '{wanted.text}'; the registry has {shown}"
        move = f", or move to {name}@{usable.version}" if usable is not None else ""
        hint = f"a retired version is taken only where it is named in full: {name}@{fitting[0].version}{move}"
        return Problem("", what, hint)
    what = f"contract '{name}' has no version for '{wanted.text}'; the registry has {shown or 'none'}"
    return Problem("", what, f"write for example {name}@{(usable or known[0]).version}" if known else f"write {FORMS}")


def _listed(version: str, state: State) -> str:
    return f"{version} (retired since {state.since})" if state.kind is StateKind.RETIRED else version


def listing(versions: Mapping[str, tuple[str, ...]]) -> str:
    """What a registry has, in one line: `'orders' (1.0.0, 2.0.0) and 'returns' (1.0.0)`."""
    told = [f"'{name}' ({', '.join(_some(known))})" for name, known in sorted(versions.items())]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told) or "no contract"


def _some(versions: tuple[str, ...]) -> tuple[str, ...]:
    newest = sorted(versions, key=version_of)[-_LISTED:]
    return ("…", *newest) if len(versions) > _LISTED else tuple(newest)
