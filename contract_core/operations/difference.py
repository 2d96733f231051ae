"""What reconciling finds, as values: what the ledger lacks, and where table, log, quarantine and ledger disagree.

The wording is left to rendering.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.stated import REBUILT


class Kind(StrEnum):
    """What disagrees. The first three are the faults that a commit can have, under the same names."""

    FOREIGN = "foreign"
    UNREADABLE = "unreadable"
    UNMARKED = "unmarked"
    ALTERED_CONSTRAINTS = "altered_constraints"
    LEFT_OUT = "left_out"
    NO_TABLE = "no_table"
    NO_COMMIT = "no_commit"
    OTHER_MARK = "other_mark"
    OTHER_ROWS = "other_rows"
    ROWS_OUTSIDE = "rows_outside"
    ROWS_UNREADABLE = "rows_unreadable"
    QUARANTINE_UNPUBLISHED = "quarantine_unpublished"
    QUARANTINE_OTHER_ROWS = "quarantine_other_rows"
    QUARANTINE_UNREADABLE = "quarantine_unreadable"


@dataclass(frozen=True, slots=True)
class Difference:
    """One disagreement; what it is not about is None. `recorded` and `shown` are numbers of rows, or of publications without a table.

    `actor` is who made a commit and how, as far as the log names it.
    """

    kind: Kind
    partition: str | None = None
    submission: str | None = None
    version: int | None = None
    recorded: int | None = None
    shown: int | None = None
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What was found about one contract's table; `missing` are the entries that the ledger lacks, in the order to append them.

    `versions` are the first and the last that the log holds, None where there is no table; `publications` of them are the gate's.
    """

    contract: str
    table: Path
    versions: tuple[int, int] | None
    publications: int
    entries: tuple[LedgerEntry, ...]
    missing: tuple[LedgerEntry, ...]
    differences: tuple[Difference, ...]

    @property
    def recorded(self) -> tuple[LedgerEntry, ...]:
        """The publications that the ledger lacks."""
        return tuple(entry for entry in self.missing if entry.event is Event.PUBLISHED)

    @property
    def said_again(self) -> tuple[LedgerEntry, ...]:
        """The decisions of the gate that stay the last ones of their partitions."""
        return tuple(entry for entry in self.missing if entry.event is Event.DECIDED and entry.reason != REBUILT)

    @property
    def rebuilt(self) -> tuple[LedgerEntry, ...]:
        """The decisions that the ledger lacks, as the commits state them."""
        return tuple(entry for entry in self.missing if entry.reason == REBUILT)
