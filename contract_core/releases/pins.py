"""Which contract a reference means: a file, a name in the folder of contracts, or a version in the registry."""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from contract_core.contract.model import Contract
from contract_core.contract.registry import SUFFIXES, find_contract
from contract_core.environment import Environment
from contract_core.errors import UnknownContractError

if TYPE_CHECKING:
    from contract_core.releases.release import Release


@dataclass(frozen=True, slots=True)
class Resolution:
    """The contract that is meant, its release where the registry had it, and what the person who asked should know."""

    contract: Contract
    release: "Release | None" = None
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
        from contract_core.releases.released import pinned  # noqa: PLC0415 - a file needs no registry

        return Resolution(*pinned(reference, environment, today))
    try:
        return Resolution(find_contract(reference, environment.contracts))
    except UnknownContractError as error:
        if error.problems[0].where:  # it is known, and its file cannot be read
            raise
        unknown = error
    from contract_core.releases.released import newest  # noqa: PLC0415 - a file needs no registry

    return Resolution(*newest(reference, environment, today, unknown))
