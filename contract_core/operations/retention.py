"""What an environment keeps and no longer needs: planned first, so that it can be told, and then removed.

Nothing goes that the last publication or an undecided candidate needs; what belongs to no contract is left alone.
"""

from datetime import datetime

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.operations.attempt_retention import plan_attempts, remove_attempts
from contract_core.operations.candidate_retention import plan_candidates, plan_unrecorded
from contract_core.operations.cleaning import Cleaning, Kind
from contract_core.operations.quarantine_retention import plan_quarantine, remove_quarantine
from contract_core.operations.version_retention import plan_versions
from contract_core.publication.ledger import Ledger
from contract_core.publication.unneeded import remove_files

__all__ = ["plan_attempts", "plan_cleaning", "remove"]


def plan_cleaning(contract: Contract, environment: Environment, at: datetime) -> tuple[Cleaning, ...]:
    """What of a contract's things may go at `at`, kind by kind; nothing is removed here."""
    entries = Ledger(environment.ledger).entries(contract=contract.name)
    plans = (
        plan_candidates(contract, environment, entries, at),
        plan_unrecorded(contract, environment, at),
        plan_quarantine(contract, environment, entries, at),
        plan_versions(contract, environment, at),
    )
    return tuple(plan for plan in plans if plan is not None)


def remove(cleaning: Cleaning, environment: Environment) -> None:
    """Remove what a plan says. Where it ends in between, planning again finds what is left."""
    match cleaning.kind:
        case Kind.ATTEMPTS:
            remove_attempts(cleaning.files)
        case Kind.QUARANTINE:
            remove_quarantine(cleaning, environment)
        case Kind.CANDIDATES | Kind.UNRECORDED | Kind.VERSIONS:
            remove_files(cleaning.files)
