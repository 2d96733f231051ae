"""Which stored candidates may go: old ones that neither a publication nor an open decision needs any more.

A candidate that was never decided, that is accepted and not yet published, or that the table shows now is never removed,
however old it is. The ledger keeps its entries; only files go.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from contract_core.contract.model import Contract
from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.history import Fate, decisions

KEPT_BY_DEFAULT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Stored:
    """One record of a candidate that was taken, and the file of rows that it names."""

    submission: str
    partition: str | None
    received_at: datetime
    record: Path
    rows: Path
    size: int


@dataclass(frozen=True, slots=True)
class Retention:
    """What may go and what stays; a file that a record which stays also names is not among `files`."""

    contract: str
    kept: tuple[Stored, ...]
    removable: tuple[Stored, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files to remove, records first: a crash in between leaves rows without a record, which nothing names."""
        needed = {stored.rows for stored in self.kept}
        rows = dict.fromkeys(stored.rows for stored in self.removable if stored.rows not in needed)
        return (*(stored.record for stored in self.removable), *rows)

    @property
    def size(self) -> int:
        """How many bytes of rows go."""
        going = set(self.files)
        return sum({stored.rows: stored.size for stored in self.removable if stored.rows in going}.values())


def plan_retention(contract: Contract, candidates: Path, entries: tuple[LedgerEntry, ...], at: datetime) -> Retention:
    """What may go at `at` under the contract's own `keep_candidates`; nothing is removed here."""
    keep = contract.publication.keep_candidates or KEPT_BY_DEFAULT
    settled = {record.submission for record in decisions(entries) if _is_settled(record.outcome, record.superseded_by)}
    stored = tuple(_stored(candidates / contract.name))
    removable = tuple(item for item in stored if item.submission in settled and at - item.received_at > keep)
    return Retention(contract.name, tuple(item for item in stored if item not in removable), removable)


def remove(retention: Retention) -> None:
    """Remove the files of a plan. One that is gone already is no fault; one that may not be removed is."""
    for path in retention.files:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            what = f"cannot be removed: {error.strerror or type(error).__name__}"
            raise WrongUsageError(
                Problem(str(path), what, "give the right to remove files there, and run it again")
            ) from None


def _is_settled(outcome: Fate, superseded_by: str | None) -> bool:
    """True where nothing will be asked of a candidate again: it was refused, or a later publication took its place."""
    return outcome is Fate.REFUSED or (outcome is Fate.PUBLISHED and superseded_by is not None)


def _stored(folder: Path) -> Iterator[Stored]:
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            record = json.loads(path.read_bytes())
            rows = folder / f"{record['digest']}.parquet"
            received_at = datetime.fromisoformat(record["received_at"])
            yield Stored(record["submission"], record["partition"], received_at, path, rows, rows.stat().st_size)
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a record that is not ours, or whose rows are gone, is left to a person
