"""The published tables: the only module that writes them. One submission becomes one Delta commit, or nothing at all.

Every attempt opens the table, asks whether it may go on, looks at the markers and writes with that same handle: so a rival's
commit in between is a conflict, and never two publications of one submission or an older one over a newer.
No text of delta-rs leaves this module: its errors print rows.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.complaint import few
from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationConflictError, PublicationError
from contract_core.publication.causes import cause_of, system_cause
from contract_core.publication.classified import state_unstated, unstated
from contract_core.publication.commits import create_table, is_bare, is_made_for, remake_table, write_rows
from contract_core.publication.constraints import Pending, Settlement, pending, settle
from contract_core.publication.effort import about, stage
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.failed_writes import Failure, unless_fatal, where_of
from contract_core.publication.markers import marker_number, partition_marker
from contract_core.publication.offer import Offer, prepare
from contract_core.publication.opened import commit_in, opened, rows_in
from contract_core.publication.published_keys import taken_rows
from contract_core.publication.published_schema import promised_types, untold
from contract_core.publication.quarantine import Quarantine
from contract_core.publication.tables import (
    TABLE_FAILURES,
    are_files_there,
    open_version,
    prepare_writing,
)
from contract_core.publication.terms import refuse_other_terms
from contract_core.publication.waiting import ATTEMPTS, wait


@dataclass(frozen=True, slots=True)
class TableCommit:
    """Where a submission became visible; `already_published` where an earlier attempt had done it."""

    table: Path
    version: int
    already_published: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """What the published table shows for one partition: its version and the marker of the submission, None for none."""

    version: int
    marker: int | None


@dataclass(frozen=True, slots=True)
class Store:
    """The published tables below one folder, each in a folder named like its contract; and the quarantine that belongs to them.

    The quarantine lies beside the tables unless it is named.
    """

    root: Path
    quarantine_root: Path | None = None

    @property
    def quarantine(self) -> Quarantine:
        """The rows that decisions kept apart."""
        return Quarantine(self.quarantine_root or self.root.parent / "quarantine")

    def path_of(self, contract: str) -> Path:
        """Where the published table of a contract is, or will be."""
        return self.root / contract

    def publish_partition(
        self, contract: Contract, candidate: Candidate, authorise: Callable[[int | None], LedgerEntry | None]
    ) -> TableCommit:
        """Makes the candidate's rows visible as its contract says, once; those that the decision keeps apart go to quarantine.

        `authorise` is asked before every attempt, with the marker that the partition shows, for the decision that allows it;
        it gives None where the candidate is visible already, and what it raises stops everything. Raises PublicationError
        where the table cannot take the rows, PublicationConflictError where rivals won every time.
        """
        for attempt in range(ATTEMPTS):
            try:
                outcome = self._try(contract, candidate, authorise)
            except PublicationConflictError:  # while the table was set up
                outcome = Failure("conflict", None, is_conflict=True)
            if isinstance(outcome, TableCommit):
                return outcome
            if outcome is not None:
                wait(candidate.submission, attempt)
        what = f"other publications of contract '{contract.name}' won {ATTEMPTS} times in a row"
        raise PublicationConflictError(
            Problem(where_of(contract, candidate.partition), what, "nothing was written; publish it again")
        )

    def _try(
        self, contract: Contract, candidate: Candidate, authorise: Callable[[int | None], LedgerEntry | None]
    ) -> "TableCommit | Failure | None":
        """One attempt: the commit, or that a rival won; None where the table was set up first and must be looked at anew."""
        table = self._open(contract.name)
        bare = table if table is not None and is_bare(table, contract.name) else None
        if table is not None and bare is None:
            refuse_other_terms(contract, table)
        allowed = authorise(_marker(table, candidate))
        if allowed is None:
            assert table is not None, "nothing is visible where there is no table"
            return TableCommit(self.path_of(contract.name), _version_shown(table, candidate), already_published=True)
        offer = prepare(contract, candidate, None if bare is not None else table, allowed)
        if table is None or (bare is not None and not is_made_for(bare, offer.types, contract)):
            failure = self._made(contract, offer.types, bare)
            return unless_fatal(failure, contract, candidate.partition)
        if unstated(table, contract):
            failure = self._attempted(lambda _: state_unstated(table, contract), table, contract)
            return unless_fatal(failure, contract, candidate.partition)
        self._keep_apart(contract, candidate, offer, allowed)
        settlement = settle(table, contract, offer.types, offer.replaced_by(contract))
        if not settlement.changed.is_nothing:
            return None
        was_shown = _shows(table, candidate)
        failure = self._attempted(lambda _: write_rows(table, offer, contract, allowed), table, contract)
        if failure is None or (not failure.is_conflict and not was_shown and self._is_shown(candidate)):
            self._keep_apart(contract, candidate, offer, allowed)  # a rival that failed may have taken them out
            if settlement.postponed:
                self._settle_late(contract, offer)
            return self._committed(candidate, table if failure is None else None)
        return unless_fatal(failure, contract, candidate.partition)

    def _keep_apart(self, contract: Contract, candidate: Candidate, offer: Offer, allowed: LedgerEntry) -> None:
        """The rows that are not published are in quarantine before the others are visible; nothing is done where they are."""
        if offer.apart is not None and self.quarantine.count_of(allowed) != allowed.quarantined:
            with stage("quarantine", about(contract, candidate)) as watch:
                self.quarantine.keep(contract, candidate, offer.apart, allowed)
                watch.rows = allowed.quarantined

    def _settle_late(self, contract: Contract, offer: Offer) -> None:
        """The rules that replaced rows broke. The rows are published; what cannot be settled now is before the next ones are."""
        table = self._open(contract.name)
        with suppress(PublicationError):
            if table is not None:
                settle(table, contract, offer.types)

    def holds_keys_of(self, contract: Contract, candidate: Candidate) -> bool:
        """True where the table has a row with the key of one of the candidate's."""
        return not self.taken(contract, candidate).limit(1).collect(engine="streaming").is_empty()

    def types(self, contract: str) -> pl.Schema:
        """The columns of the published table; none where there is no table."""
        return _types_of(self._open(contract))

    def pending(self, contract: Contract) -> Pending:
        """What separates the table from its contract, before anything is changed."""
        table = self._open(contract.name)
        return pending(table, contract, promised_types(contract, _types_of(table)))

    def set_up(self, contract: Contract, settling: Callable[..., Settlement] = settle) -> Pending:
        """Makes the table, empty, where it is not there, and brings its constraints to what the contract says; writes no row.

        `settling` is `settle` or `settle_with_upgrade`. Raises as they do, and PublicationError where it cannot be written.
        """
        table = self._open(contract.name)
        types = promised_types(contract, _types_of(table))
        if table is None:
            if unknown := untold(contract, {}):
                what = f"the types of {few(unknown)} are known only when something is delivered"
                raise PublicationError(Problem(where_of(contract, None), what, "publish first, or name exact types"))
            unless_fatal(self._made(contract, types, None), contract, None)
            table = self._open(contract.name)
        assert table is not None, "it was just made, here or by a rival"
        refuse_other_terms(contract, table)
        return settling(table, contract, types).changed

    def current(self, contract: str, partition: str | None) -> Shown | None:
        """What the published table shows for a partition; None where there is no table."""
        table = self._open(contract)
        marker = partition_marker(contract, partition)
        return None if table is None else Shown(table.version(), table.transaction_version(marker))

    def commit_of(self, contract: str, submission: str) -> int | None:
        """The version that a submission became last, as far back as the table's log goes; None where it holds no such commit."""
        table = self._open(contract)
        return None if table is None else commit_in(table, contract, submission)

    def rows(self, contract: str) -> pl.LazyFrame:
        """What the published table shows now, lazily; by name, since a column that was added later stands at the end.

        Raises PublicationError where there is no table, or none that can be read.
        """
        return rows_in(self._open(contract), contract)

    def rows_at(self, contract: str, submission: str) -> pl.LazyFrame:
        """What the table showed right after a submission was published in it, lazily: all its partitions, as they were then.

        Raises PublicationError where the table's log holds no such commit, or the files of that version were cleaned away.
        """
        version = self.commit_of(contract, submission)
        if version is None:
            what = f"no version of the published table is of submission {submission[:12]}, as far back as its log goes"
            hint = "`contract-gate decisions` lists what was published"
            raise PublicationError(Problem(f"contract '{contract}'", what, hint))
        try:
            table = open_version(self.path_of(contract), version)
            if are_files_there(table):
                return rows_in(table, contract)
            cause = "its files were cleaned away"
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        what, hint = f"version {version} of its published table cannot be read: {cause}", "restore it from a copy"
        raise PublicationError(Problem(f"contract '{contract}'", what, hint))

    def taken(self, contract: Contract, candidate: Candidate) -> pl.LazyFrame:
        """The candidate's rows, by file and row number, whose key is published already."""
        table = self._open(contract.name)
        try:
            return taken_rows(contract, candidate, table)
        except TABLE_FAILURES as error:
            what = f"its published table cannot be read: {cause_of(error)}"
        raise PublicationError(Problem(f"contract '{contract.name}'", what, "repair or restore the table"))

    def _open(self, contract: str) -> DeltaTable | None:
        return opened(self.path_of(contract), contract)

    def _attempted(self, act: Callable[[str], None], table: DeltaTable | None, contract: Contract) -> "Failure | None":
        """None where the commit stands; else the cause of the failure, and nothing of its text. `act` takes the table's place."""
        try:
            act(prepare_writing(self.path_of(contract.name)))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - delta-rs 1.6 raises plain Exceptions and panics too; each may print rows
            kind, refusal = type(error).__name__, system_cause(error)
            may_be_late = table is None or isinstance(error, CommitFailedError)
        else:
            return None
        return Failure(kind, refusal, is_conflict=may_be_late and self._is_behind(table, contract.name))

    def _made(self, contract: Contract, types: pl.Schema, bare: DeltaTable | None) -> Failure | None:
        """The table, empty, where there is none or a bare one: nobody has published to it, so that it may be made anew."""
        if bare is not None:
            return self._attempted(lambda _: remake_table(bare, types, contract), bare, contract)
        return self._attempted(lambda place: create_table(place, types, contract), None, contract)

    def _is_behind(self, table: DeltaTable | None, contract: str) -> bool:
        """True where somebody else committed since the table was opened, or created it since it was not there."""
        newest = self._open(contract)
        return newest is not None and (table is None or newest.version() > table.version())

    def _is_shown(self, candidate: Candidate) -> bool:
        table = self._open(candidate.contract)
        return table is not None and _shows(table, candidate)

    def _committed(self, candidate: Candidate, written: DeltaTable | None) -> TableCommit:
        """The commit that was just written: by the handle that wrote it, which is at its version, or by a fresh one."""
        table = self._open(candidate.contract) if written is None else written
        assert table is not None, "a commit was just written"
        return TableCommit(self.path_of(candidate.contract), _version_shown(table, candidate), already_published=False)


def _shows(table: DeltaTable, candidate: Candidate) -> bool:
    return _marker(table, candidate) == marker_number(candidate.submission)


def _marker(table: DeltaTable | None, candidate: Candidate) -> int | None:
    return (
        None if table is None else table.transaction_version(partition_marker(candidate.contract, candidate.partition))
    )


def _version_shown(table: DeltaTable, candidate: Candidate) -> int:
    """The version of the candidate's commit, or the newest one where the log no longer reaches back that far."""
    found = commit_in(table, candidate.contract, candidate.submission)
    return table.version() if found is None else found


def _types_of(table: DeltaTable | None) -> pl.Schema:
    return pl.Schema() if table is None else pl.Schema(table.schema())
