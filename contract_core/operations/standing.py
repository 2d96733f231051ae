"""How one contract stands at a moment, in everything that a person asks of it: worked out once, told in several ways."""

from dataclasses import dataclass
from datetime import datetime

from contract_core.contract.model import Contract
from contract_core.operations.coverage import RECENT, Coverage, coverage_of
from contract_core.operations.deadlines import Deadlines, deadlines_of
from contract_core.operations.incidents import Incident, open_incidents
from contract_core.operations.quiet import Quiet, quiet_of
from contract_core.operations.status import Status, status_of
from contract_core.publication.entry import LedgerEntry


@dataclass(frozen=True, slots=True)
class Standing:
    """What consumers see of a contract, what became of its last partitions, and what is wrong now, the newest first.

    `is_offered` where a delivery was ever decided about.
    """

    contract: Contract
    at: datetime
    status: Status
    coverage: Coverage | None
    deadlines: Deadlines | None
    incidents: tuple[Incident, ...]
    quiet: Quiet | None
    is_offered: bool

    @property
    def needs_somebody(self) -> bool:
        """True where something is wrong that does not mend itself."""
        return bool(self.incidents)


def standing_of(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime, most: int = RECENT) -> Standing:
    """How a contract stands at a moment, by the ledger's entries about it; `most` is how many partitions are looked back."""
    due = deadlines_of(contract, entries, at)
    return Standing(
        contract=contract,
        at=at,
        status=status_of(contract, entries, at),
        coverage=coverage_of(contract, entries, at, most),
        deadlines=due,
        incidents=open_incidents(contract, entries, due, at),
        quiet=quiet_of(contract, entries, at),
        is_offered=bool(entries),
    )
