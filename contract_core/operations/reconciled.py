"""Does the published table show what the ledger says? Asked for one partition, after it was published or whenever one likes.

Held against each other are the mark that a publication leaves in the table and the number of rows. A foreign write that
changes values and keeps both is not seen here.
"""

from contextlib import suppress
from dataclasses import dataclass

import polars as pl

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.publication.entry import Event
from contract_core.publication.ledger import Ledger, latest
from contract_core.publication.markers import marker_number
from contract_core.publication.replacement import replacement_of
from contract_core.publication.store import Store
from contract_core.publication.tables import TABLE_FAILURES


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Ledger and table side by side for one partition; `rows_shown` is None where the table cannot be read."""

    submission: str | None
    rows_recorded: int
    rows_shown: int | None
    is_marked: bool

    @property
    def differences(self) -> tuple[str, ...]:
        """Where they disagree, in words; nothing where the table shows what the ledger says."""
        recorded = "nothing" if self.submission is None else f"submission {self.submission[:12]}"
        found = [] if self.is_marked else [f"the table does not bear the mark of what the ledger says: {recorded}"]
        if self.rows_shown is None:
            found.append("the rows of the table cannot be read")
        elif self.rows_shown != self.rows_recorded:
            found.append(f"the table shows {self.rows_shown:,} rows, the ledger says {self.rows_recorded:,}")
        return tuple(found)


def reconcile(contract: Contract, partition: str | None, environment: Environment) -> Reconciliation:
    """What the ledger recorded last for the partition, against what the table shows now. Writes nothing."""
    store = Store(environment.published)
    recorded = latest(Ledger(environment.ledger).partition_entries(contract.name, partition), Event.PUBLISHED)
    shown = store.current(contract.name, partition)
    marker = None if shown is None else shown.marker
    return Reconciliation(
        submission=None if recorded is None else recorded.submission,
        rows_recorded=0 if recorded is None else recorded.rows,
        rows_shown=0 if shown is None else _rows_shown(contract, partition, store),
        is_marked=marker == (None if recorded is None else marker_number(recorded.submission)),
    )


def _rows_shown(contract: Contract, partition: str | None, store: Store) -> int | None:
    with suppress(*TABLE_FAILURES):
        rows = store.rows(contract.name)
        belongs = replacement_of(contract, partition, rows.collect_schema()).belongs
        shown = rows if belongs is None else rows.filter(belongs)
        return int(shown.select(pl.len()).collect(engine="streaming").item())
    return None
