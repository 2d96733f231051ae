"""The quarantine tables: rows that break a promise, kept apart from those that are published, each with its reasons.

One Delta table for each contract, in a folder of its own that nobody but its owner may enter. It is written before the
publication that leaves the rows out; written again, a submission's rows replace themselves. The table's log says nothing of what
is in the rows, so that rows which are removed are gone for good.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from deltalake import CommitProperties, DeltaTable, Schema, write_deltalake

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationError
from contract_core.publication.batches import counted_frames
from contract_core.publication.causes import cause_of, remedy_of, system_cause
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.quarantined_rows import SCHEMA, enveloped
from contract_core.publication.replacement import quoted_text
from contract_core.publication.tables import TABLE_FAILURES, open_table, prepare_writing, rows_of
from contract_core.publication.unneeded import remove_files, unneeded_files
from contract_core.publication.waiting import ATTEMPTS, wait
from contract_core.publication.windows import sifted_in_windows
from contract_core.validation.breaking_rows import Split

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Held:
    """What is in quarantine of one submission; `at` is the moment of the decision that put the newest of it there."""

    submission: str
    partition: str | None
    rows: int
    size: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Quarantine:
    """The rows that were kept apart, below one folder; restricted like the candidates that they come from."""

    root: Path

    def path_of(self, contract: str) -> Path:
        """Where the quarantine table of a contract is, or will be."""
        return self.root / contract

    def keep(self, contract: Contract, candidate: Candidate, split: Split, decided: LedgerEntry) -> None:
        """Store the breaking rows of a candidate under its submission, in place of those that an earlier attempt stored.

        Raises PublicationError where not all of them can be stored; then nothing may be published without them.
        """

        def window(begin: int, size: int) -> pl.LazyFrame:
            return enveloped(contract, candidate, split.stretch(begin, size).going(), decided.at)

        for attempt in range(ATTEMPTS):
            table = self._open(contract.name) or self._create(contract)
            if table is not None and self._write(table, sifted_in_windows(window, split.height), decided):
                return
            wait(candidate.submission, attempt)
        raise _unwritable(contract.name, "other writers won every time")

    def rows(self, contract: str) -> pl.LazyFrame:
        """Everything in quarantine under a contract, lazily; no rows where there is no table."""
        table = self._open(contract)
        try:
            return pl.LazyFrame(schema=SCHEMA) if table is None else rows_of(table)
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        raise _unreadable(contract, cause)

    def counts(self, contract: str) -> Mapping[str, int]:
        """How many rows each submission has in quarantine."""
        try:
            found = self.rows(contract).group_by("submission").len().collect(engine="streaming")
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        else:
            return dict(found.sort("submission").iter_rows())
        raise _unreadable(contract, cause)

    def count_of(self, decided: LedgerEntry) -> int:
        """How many rows are there that just this decision kept apart."""
        contract = decided.contract
        table = self._open(contract)
        try:
            if table is None:
                return 0
            rows = rows_of(table, {"submission": decided.submission})
            rows = rows.filter(pl.col("quarantined_at") == pl.lit(decided.at).cast(SCHEMA["quarantined_at"]))
            return int(rows.select(pl.len()).collect(engine="streaming").item())
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        raise _unreadable(contract, cause)

    def held(self, contract: str) -> tuple[Held, ...]:
        """What is in quarantine under a contract, one item for each submission, by submission."""
        for attempt in range(ATTEMPTS):
            table = self._open(contract)
            try:
                return () if table is None else tuple(_held(table))
            except TABLE_FAILURES as error:
                cause = cause_of(error)
            if table is None or not self._is_behind(contract, table):
                break
            wait(contract, attempt)  # a file went while it was read
        raise _unreadable(contract, cause)

    def left_over(self, contract: str) -> Mapping[Path, int]:
        """Files with rows that are in quarantine no more, in bytes: they were stored anew, or a removal or a write did not end."""
        table = self._open(contract)
        try:
            return {} if table is None else unneeded_files(self.path_of(contract), table)
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        raise _unreadable(contract, cause)

    def remove(self, contract: str, submissions: Mapping[str, datetime]) -> None:
        """Remove the rows of submissions, each as long as nothing newer than its moment is there, and every trace of removed rows.

        The rows leave the table in one commit; then their files go, so that no earlier version gives them back.
        """
        for attempt in range(ATTEMPTS):
            table = self._open(contract)
            if table is None or self._deleted(contract, table, submissions):
                return remove_files(self.left_over(contract))
            wait(contract, attempt)
        raise _unremovable(contract, "other writers won every time")

    def _deleted(self, contract: str, table: DeltaTable, submissions: Mapping[str, datetime]) -> bool:
        """True where the rows are out of the table; False where another commit came in between."""
        try:
            old = [item.submission for item in _held(table) if item.at <= submissions.get(item.submission, _NEVER)]
            if old:
                prepare_writing(self.path_of(contract))
                table.delete(f"submission IN ({', '.join(map(quoted_text, old))})")
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        else:
            return True
        if self._is_behind(contract, table):
            return False
        raise _unremovable(contract, cause)

    def _is_behind(self, contract: str, table: DeltaTable) -> bool:
        newest = self._open(contract)
        return newest is not None and newest.version() > table.version()

    def _open(self, contract: str) -> DeltaTable | None:
        try:
            return open_table(self.path_of(contract))
        except TABLE_FAILURES as error:
            cause, remedy = cause_of(error), remedy_of(error)
        raise _unreadable(contract, cause, remedy)

    def _create(self, contract: Contract) -> DeltaTable | None:
        """A new empty table, or None where someone else was faster. Without retries, since delta-rs 1.6 creates twice with them."""
        folder = self.path_of(contract.name)
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            return DeltaTable.create(
                prepare_writing(folder),
                Schema.from_arrow(SCHEMA),
                mode="error",
                partition_by=["submission"],
                configuration={"delta.dataSkippingStatsColumns": "quarantined_at"},  # else the log would quote rows
                name=f"quarantine of {contract.name}",
                commit_properties=CommitProperties(max_commit_retries=0),
            )
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        if self._open(contract.name) is None:
            raise _unwritable(contract.name, cause)
        return None

    def _write(self, table: DeltaTable, frames: Iterator[pl.DataFrame], decided: LedgerEntry) -> bool:
        """True where the rows stand; False where another commit came in between."""
        try:
            prepare_writing(self.path_of(decided.contract))
            write_deltalake(
                table,
                counted_frames(SCHEMA, (), frames, decided.quarantined),
                mode="overwrite",
                predicate=f"submission = {quoted_text(decided.submission)}",
                commit_properties=CommitProperties(custom_metadata={"submission": decided.submission}),
            )
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - delta-rs 1.6 raises plain Exceptions and panics too; each may print rows
            kind, refusal = type(error).__name__, system_cause(error)
        else:
            return True
        newest = self._open(decided.contract)
        if refusal is None and newest is not None and newest.version() > table.version():
            return False
        raise _unwritable(decided.contract, refusal or kind)


def _held(table: DeltaTable) -> Iterator[Held]:
    files = pl.DataFrame(table.get_add_actions(flatten=True)).lazy()
    sizes = files.group_by(pl.col("partition.submission").alias("submission")).agg(pl.col("size_bytes").sum())
    rows = (
        rows_of(table).group_by("submission").agg(pl.col("partition").first(), pl.len(), pl.col("quarantined_at").max())
    )
    found = rows.join(sizes, on="submission").filter(pl.col("quarantined_at").is_not_null()).sort("submission")
    for row in found.collect(engine="streaming").iter_rows(named=True):
        yield Held(row["submission"], row["partition"], row["len"], row["size_bytes"], row["quarantined_at"])


def _unwritable(contract: str, cause: str) -> PublicationError:
    what = f"its quarantine cannot be written: {cause}"
    hint = "nothing was published; make room or repair the rights on the quarantine folder, and publish it again"
    return PublicationError(Problem(f"contract '{contract}'", what, hint))


def _unremovable(contract: str, cause: str) -> PublicationError:
    what = f"rows in its quarantine cannot be removed: {cause}"
    hint = "repair the rights on the quarantine folder, and run it again; what was removed stays removed"
    return PublicationError(Problem(f"contract '{contract}'", what, hint))


def _unreadable(contract: str, cause: str, remedy: str | None = None) -> PublicationError:
    what = f"its quarantine cannot be read: {cause}"
    return PublicationError(Problem(f"contract '{contract}'", what, remedy or "repair or restore the table"))
