"""The published tables: the only module that writes them. One submission becomes one Delta commit, or nothing at all.

Every attempt opens the table, asks whether it may go on, looks at the markers and writes with that same handle: so a rival's
commit in between is a conflict, and never two publications of one submission or an older one over a newer.
No text of delta-rs leaves this module: its errors print rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationConflictError, PublicationError
from contract_core.publication.causes import cause_of, system_cause
from contract_core.publication.decision import Verdict
from contract_core.publication.markers import gate_marker, marker_number, partition_marker, terms_marker
from contract_core.publication.offer import Offer, prepare
from contract_core.publication.tables import TABLE_FAILURES, open_table, prepare_writing, rows_of
from contract_core.publication.terms import TERMS_KEY, refuse_other_terms, terms_in_words, terms_number
from contract_core.publication.waiting import ATTEMPTS, wait

_ROWS_PER_BATCH = 100_000
"""What is in memory at a time. Deliveries up to this size keep their row order; delta-rs mixes the batches of larger ones."""


@dataclass(frozen=True, slots=True)
class Authorisation:
    """What the gate hands to the store: the decision that covers the rows, for the record in the commit itself."""

    verdict: Verdict
    report_digest: str
    decided_at: datetime


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
    """The published tables below one folder, each in a folder named like its contract."""

    root: Path

    def path_of(self, contract: str) -> Path:
        """Where the published table of a contract is, or will be."""
        return self.root / contract

    def publish_partition(
        self, contract: Contract, candidate: Candidate, authorise: Callable[[int | None], Authorisation]
    ) -> TableCommit:
        """Makes the candidate the content of its partition, once.

        `authorise` is asked before every attempt, with the marker that the partition shows; what it raises stops everything.
        Raises PublicationError where the table cannot take the rows, PublicationConflictError where rivals won every time.
        """
        for attempt in range(ATTEMPTS):
            table = self._open(contract.name)
            if table is not None:
                refuse_other_terms(contract, table)
            authorisation = authorise(_marker(table, candidate))
            if table is not None and _shows(table, candidate):
                return TableCommit(
                    self.path_of(contract.name), _version_shown(table, candidate), already_published=True
                )
            offer = prepare(contract, candidate, None if table is None else pl.Schema(table.schema()))
            failure = self._write(table, offer, contract, _Record(candidate, authorisation))
            if failure is None or (not failure.is_conflict and self._is_shown(candidate)):
                return self._committed(candidate)
            if not failure.is_conflict:
                raise _refused(contract, candidate, failure)
            wait(candidate.submission, attempt)
        what = f"other publications of contract '{contract.name}' won {ATTEMPTS} times in a row"
        raise PublicationConflictError(
            Problem(_where(contract, candidate), what, "nothing was written; publish it again")
        )

    def current(self, contract: str, partition: str | None) -> Shown | None:
        """What the published table shows for a partition; None where there is no table."""
        table = self._open(contract)
        return (
            None
            if table is None
            else Shown(table.version(), table.transaction_version(partition_marker(contract, partition)))
        )

    def commit_of(self, contract: str, submission: str) -> int | None:
        """The version that a submission became last, as far back as the table's log goes; None where it holds no such commit."""
        table = self._open(contract)
        return None if table is None else _version_of(table, submission)

    def rows(self, contract: str) -> pl.LazyFrame:
        """What the published table shows now, lazily; by name, since a column that was added later stands at the end.

        Raises PublicationError where there is no table, or none that can be read.
        """
        table = self._open(contract)
        try:
            if table is not None:
                return rows_of(table)
            what, hint = "nothing is published", "publish a delivery first"
        except TABLE_FAILURES as error:
            what, hint = f"its published table cannot be read: {cause_of(error)}", "repair or restore the table"
        raise PublicationError(Problem(f"contract '{contract}'", what, hint))

    def _open(self, contract: str) -> DeltaTable | None:
        try:
            return open_table(self.path_of(contract))
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        hint = "nothing was written; repair or restore the table before you publish"
        raise PublicationError(
            Problem(f"contract '{contract}'", f"its published table cannot be opened: {cause}", hint)
        )

    def _write(
        self, table: DeltaTable | None, offer: Offer, contract: Contract, record: "_Record"
    ) -> "_Failure | None":
        """None where the commit stands; else the cause of the failure, and nothing of its text."""
        try:
            place = prepare_writing(self.path_of(contract.name))
            if table is None:
                _create(place, offer, contract, record)
            else:
                _replace(table, offer, contract, record)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - delta-rs 1.6 raises plain Exceptions and panics too; each may print rows
            kind, refusal = type(error).__name__, system_cause(error)
            may_be_late = table is None or isinstance(error, CommitFailedError)
        else:
            return None
        return _Failure(kind, refusal, is_conflict=may_be_late and self._is_behind(table, contract.name))

    def _is_behind(self, table: DeltaTable | None, contract: str) -> bool:
        """True where somebody else committed since the table was opened, or created it since it was not there."""
        newest = self._open(contract)
        return newest is not None and (table is None or newest.version() > table.version())

    def _is_shown(self, candidate: Candidate) -> bool:
        table = self._open(candidate.contract)
        return table is not None and _shows(table, candidate)

    def _committed(self, candidate: Candidate) -> TableCommit:
        table = self._open(candidate.contract)
        assert table is not None, "a commit was just written"
        return TableCommit(self.path_of(candidate.contract), _version_shown(table, candidate), already_published=False)


@dataclass(frozen=True, slots=True)
class _Record:
    candidate: Candidate
    authorisation: Authorisation

    def metadata(self, contract: Contract) -> dict[str, str]:
        """What the commit itself says about its rows; `version` and `operation` are names that Delta keeps for itself."""
        return {
            "submission": self.candidate.submission,
            "contract": contract.name,
            "contract_version": contract.version,
            "contract_digest": contract.digest,
            "partition": self.candidate.partition or "",
            TERMS_KEY: terms_in_words(contract),
            "candidate_digest": self.candidate.digest,
            "rows": str(self.candidate.rows),
            "decision": self.authorisation.verdict.value,
            "report_digest": self.authorisation.report_digest,
            "decided_at": self.authorisation.decided_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why nothing was committed: the class of the error, what the operating system refused if it did, and whether a rival won."""

    kind: str
    refusal: str | None
    is_conflict: bool


def _create(place: str, offer: Offer, contract: Contract, record: _Record) -> None:
    """Table and rows in one commit. Without retries: with them delta-rs 1.6 lets two creators both win."""
    write_deltalake(
        place,
        offer.rows.collect_batches(lazy=True, chunk_size=_ROWS_PER_BATCH),
        mode="error",
        partition_by=list(offer.replacement.partition_by) or None,
        name=contract.name,
        description=contract.description,
        commit_properties=_properties(None, contract, record, max_commit_retries=0),
    )


def _replace(table: DeltaTable, offer: Offer, contract: Contract, record: _Record) -> None:
    """The partition's rows for the new ones and the columns that are new, in one commit. Delta-rs matches columns by name."""
    write_deltalake(
        table,
        offer.rows.collect_batches(lazy=True, chunk_size=_ROWS_PER_BATCH),
        mode="overwrite",
        schema_mode="merge" if offer.new_columns else None,
        predicate=offer.replacement.predicate,
        commit_properties=_properties(table, contract, record),
    )


def _properties(
    table: DeltaTable | None, contract: Contract, record: _Record, max_commit_retries: int | None = None
) -> CommitProperties:
    candidate = record.candidate
    return CommitProperties(
        custom_metadata=record.metadata(contract),
        max_commit_retries=max_commit_retries,
        app_transactions=[
            Transaction(partition_marker(contract.name, candidate.partition), marker_number(candidate.submission)),
            Transaction(gate_marker(contract.name), 0 if table is None else table.version() + 1),
            Transaction(terms_marker(contract.name), terms_number(contract)),
        ],
    )


def _shows(table: DeltaTable, candidate: Candidate) -> bool:
    return _marker(table, candidate) == marker_number(candidate.submission)


def _marker(table: DeltaTable | None, candidate: Candidate) -> int | None:
    return (
        None if table is None else table.transaction_version(partition_marker(candidate.contract, candidate.partition))
    )


def _version_of(table: DeltaTable, submission: str) -> int | None:
    return next((int(commit["version"]) for commit in table.history() if commit.get("submission") == submission), None)


def _version_shown(table: DeltaTable, candidate: Candidate) -> int:
    """The version of the candidate's commit, or the newest one where the log no longer reaches back that far."""
    found = _version_of(table, candidate.submission)
    return table.version() if found is None else found


def _refused(contract: Contract, candidate: Candidate, failure: _Failure) -> PublicationError:
    if failure.refusal is not None:
        what = f"the published table cannot be written: {failure.refusal}"
        hint = "nothing was published; make room or repair the rights on its folder, and publish it again"
    else:
        what = f"the published table does not take the rows ({failure.kind})"
        hint = "nothing was published; the library's own words are withheld, since they quote rows"
    return PublicationError(Problem(_where(contract, candidate), what, hint))


def _where(contract: Contract, candidate: Candidate) -> str:
    about = "" if candidate.partition is None else f", partition {candidate.partition}"
    return f"contract '{contract.name}' {contract.version}{about}"
