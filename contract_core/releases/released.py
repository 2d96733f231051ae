"""Which release of the registry a name and a range mean, with its contract; loaded where a reference is no file."""

from datetime import date
from difflib import get_close_matches
from typing import NoReturn

from contract_core.contract.model import NAME, Contract
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.errors import ContractAlteredError, Problem, UnknownContractError
from contract_core.releases.registry import Registry, open_registry
from contract_core.releases.release import Release
from contract_core.releases.sealed import misread
from contract_core.releases.states import State, StateKind, states_of
from contract_core.releases.versions import LATEST, Range, listing, parse_reference, pick

Released = tuple[Contract, Release, str | None]
"""A contract as it was released, its release, and what the person who asked should know."""


def pinned(reference: str, environment: Environment, today: date) -> Released:
    """The newest version in the registry that `name@range` means. Raises as `look_up`."""
    name, wanted = parse_reference(reference)
    registry = open_registry(environment.registry)
    return _released(registry, name, wanted, today) or _refuse(name, registry)


def newest(name: str, environment: Environment, today: date, unknown: UnknownContractError) -> Released:
    """The newest supported version in the registry of a name that, as `unknown` says, the folder of contracts lacks."""
    registry = open_registry(environment.registry)
    found = _released(registry, name, Range(LATEST), today) if NAME.fullmatch(name) else None
    return found or _refuse(name, registry, unknown)


def _released(registry: Registry, name: str, wanted: Range, today: date) -> Released | None:
    releases = registry.releases(name)
    if not releases:
        return None
    states = states_of(releases, today)
    release = pick(wanted, releases, states)
    if (problem := misread(release)) is not None:
        raise ContractAlteredError(problem)
    contract = parse_contract(release.text, f"{release.name}@{release.version}")
    return contract, release, _note(release, states[release.version])


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
