"""Every released contract with all of its versions, read, each in the state that it is in on a day."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from contract_core.contract.model import Consumer, Contract, Owner
from contract_core.contract.parsing import parse_contract
from contract_core.errors import UnknownContractError
from contract_core.releases.release import Release
from contract_core.releases.states import State, StateKind, states_of
from contract_core.releases.versions import LATEST, parse_range, pick
from contract_core.validation.obligations import Obligation, obligations_of

_SOON = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class ReleasedVersion:
    """One version: as it was released, as the contract that its text says with its obligations, and its state."""

    release: Release
    contract: Contract
    obligations: tuple[Obligation, ...]
    state: State

    @property
    def version(self) -> str:
        """The version's number."""
        return self.release.version

    @property
    def producer(self) -> Owner | None:
        """Who answers for it, where the contract says so."""
        return self.contract.owners.producer if self.contract.owners is not None else None

    @property
    def consumers(self) -> tuple[Consumer, ...]:
        """Those to whom it is promised."""
        return self.contract.owners.consumers if self.contract.owners is not None else ()


@dataclass(frozen=True, slots=True)
class ReleasedContract:
    """One contract: its versions, newest first, and the one that a consumer would take today."""

    name: str
    versions: tuple[ReleasedVersion, ...]
    current: ReleasedVersion

    @property
    def newer_drafts(self) -> tuple[ReleasedVersion, ...]:
        """The drafts above the version that would be taken."""
        above = self.current.release.number
        return tuple(
            each for each in self.versions if each.release.number > above and each.state.kind is StateKind.DRAFT
        )

    def before(self, version: ReleasedVersion) -> ReleasedVersion | None:
        """The version that another one replaced; None for a first one."""
        return next((each for each in self.versions if each.version == version.release.replaces), None)


def released_contracts(releases: Iterable[Release], today: date) -> tuple[ReleasedContract, ...]:
    """All contracts by name. Raises InvalidContractError where this version of the language cannot read a released text."""
    ordered = sorted(releases, key=lambda release: (release.name, release.number), reverse=True)
    found = [_contract(name, tuple(group), today) for name, group in groupby(ordered, key=lambda each: each.name)]
    return tuple(reversed(found))


def _contract(name: str, newest_first: tuple[Release, ...], today: date) -> ReleasedContract:
    states = states_of(newest_first, today)
    versions = tuple(_version(release, states[release.version]) for release in newest_first)
    try:
        taken = pick(parse_range(LATEST), newest_first, states).version
    except UnknownContractError:  # only retired versions are left
        taken = newest_first[0].version
    return ReleasedContract(name, versions, next(each for each in versions if each.version == taken))


def _version(release: Release, state: State) -> ReleasedVersion:
    contract = parse_contract(release.text, f"{release.name}@{release.version}")
    return ReleasedVersion(release, contract, obligations_of(contract), state)


def sunset_words(state: State, today: date) -> str:
    """How long a version that ends is still supported, `""` for one of which no end is known."""
    if state.until is None:
        return ""
    if state.kind is StateKind.RETIRED:
        return f"support ended on {state.until}"
    days = (state.until - today).days
    left = "today is the last day" if days == 0 else f"{days:,} day{'' if days == 1 else 's'} left"
    return f"supported until {state.until} ({left})"


def ends_soon(state: State, today: date) -> bool:
    """True for a supported version of which the last day is near."""
    return state.kind is not StateKind.RETIRED and state.until is not None and state.until - today <= _SOON
