"""Which contract a reference means: a file, a name in the folder of contracts, or a version in the registry."""

from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import NoReturn

from contract_core.contract.model import NAME, Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import SUFFIXES, find_contract
from contract_core.environment import Environment
from contract_core.errors import ContractAlteredError, Problem, UnknownContractError
from contract_core.releases.registry import Registry, open_registry
from contract_core.releases.release import Release
from contract_core.releases.sealed import misread
from contract_core.releases.states import State, StateKind, states_of
from contract_core.releases.versions import LATEST, Range, listing, parse_reference, pick


@dataclass(frozen=True, slots=True)
class Resolution:
    """The contract that is meant, its release where the registry had it, and what the person who asked should know."""

    contract: Contract
    release: Release | None = None
    note: str | None = None


def resolve(reference: str, environment: Environment, today: date) -> Contract:
    """The contract that `reference` means: a file, a name, or `name@range` in the registry. Raises as `look_up`."""
    return look_up(reference, environment, today).contract


def look_up(reference: str, environment: Environment, today: date) -> Resolution:
    """The contract that `reference` means, and where it was found.

    A name is one of the folder of contracts, else the newest supported version in the registry; with `@` it is the newest version
    in the registry that fits. Raises UnknownContractError, InvalidContractError, ContractAlteredError, and WrongUsageError for a
    range that is none.
    """
    if reference.endswith(SUFFIXES) or "/" in reference:
        return Resolution(find_contract(reference, environment.contracts))
    if "@" in reference:
        name, wanted = parse_reference(reference)
        registry = open_registry(environment.registry)
        return _released(registry, name, wanted, today) or _refuse(name, registry)
    try:
        return Resolution(find_contract(reference, environment.contracts))
    except UnknownContractError as error:
        if error.problems[0].where:  # it is known, and its file cannot be read
            raise
        unknown = error
    registry = open_registry(environment.registry)
    found = _released(registry, reference, Range(LATEST), today) if NAME.fullmatch(reference) else None
    return found or _refuse(reference, registry, unknown)


def _released(registry: Registry, name: str, wanted: Range, today: date) -> Resolution | None:
    releases = registry.releases(name)
    if not releases:
        return None
    states = states_of(releases, today)
    release = pick(wanted, releases, states)
    if (problem := misread(release)) is not None:
        raise ContractAlteredError(problem)
    contract = parse_contract(release.text, f"{release.name}@{release.version}")
    return Resolution(contract, release, _note(release, states[release.version]))


def _note(release: Release, state: State) -> str | None:
    """What is said beside an answer that is not a version in full support."""
    about = f"contract '{release.name}' {release.version}"
    match state.kind:
        case StateKind.RETIRED:
            return f"{about} is retired since {state.since} and no longer supported"
        case StateKind.DRAFT:
            return f"{about} is a draft, which binds nobody"
        case _ if state.until is not None:
            return f"{about} is supported until {state.until}"
        case _:
            return None


def _refuse(name: str, registry: Registry, unknown: UnknownContractError | None = None) -> NoReturn:
    """Raises UnknownContractError with what the folder of contracts (as `unknown` says) and the registry have."""
    versions = registry.versions()
    if unknown is not None and not versions:
        raise unknown
    before = f"no contract '{name}'" if unknown is None else unknown.problems[0].what
    close = get_close_matches(name, versions, n=1)
    hint = "give a contract file, or a name that is known" if unknown is None else unknown.problems[0].hint
    hint = f"did you mean '{close[0]}'?" if close else hint
    raise UnknownContractError(Problem("", f"{before}; the registry has {listing(versions)}", hint))
