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
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationConflictError, PublicationError
from contract_core.publication.decision import Verdict
from contract_core.publication.markers import gate_marker, marker_number, partition_marker
from contract_core.publication.offer import Offer, prepare
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

    def _open(self, contract: str) -> DeltaTable | None:
        try:
            return DeltaTable(self.path_of(contract))
        except TableNotFoundError:
            return None
        except (DeltaError, OSError) as error:
            kind = type(error).__name__
        hint = "nothing was written; repair or restore the table before you publish"
        raise PublicationError(
            Problem(f"contract '{contract}'", f"its published table cannot be opened ({kind})", hint)
        )

    def _write(
        self, table: DeltaTable | None, offer: Offer, contract: Contract, record: "_Record"
    ) -> "_Failure | None":
        """None where the commit stands; else what kind of failure it was, and nothing of its text."""
        try:
            if table is None:
                self._create(offer, contract, record)
            else:
                _replace(table, offer, contract, record)
        except CommitFailedError:
            return _Failure("CommitFailedError", is_conflict=True)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - delta-rs 1.6 raises plain Exceptions and panics too; each may print rows
            return _Failure(
                type(error).__name__,
                is_conflict=table is None and DeltaTable.is_deltatable(str(self.path_of(contract.name))),
            )
        return None

    def _create(self, offer: Offer, contract: Contract, record: "_Record") -> None:
        """Table and rows in one commit. Without retries: with them delta-rs 1.6 lets two creators both win."""
        write_deltalake(
            self.path_of(contract.name),
            offer.rows.collect_batches(lazy=True, chunk_size=_ROWS_PER_BATCH),
            mode="error",
            partition_by=list(offer.replacement.partition_by) or None,
            name=contract.name,
            description=contract.description,
            commit_properties=_properties(None, contract, record, max_commit_retries=0),
        )

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
            "candidate_digest": self.candidate.digest,
            "rows": str(self.candidate.rows),
            "decision": self.authorisation.verdict.value,
            "report_digest": self.authorisation.report_digest,
            "decided_at": self.authorisation.decided_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class _Failure:
    kind: str
    is_conflict: bool


def _replace(table: DeltaTable, offer: Offer, contract: Contract, record: _Record) -> None:
    """The partition's rows for the new ones, in one commit; before it, a commit of its own for columns that are new."""
    if offer.new_columns:
        added = CommitProperties(custom_metadata={"contract": contract.name, "contract_version": contract.version})
        table.alter.add_columns(Schema.from_arrow(offer.new_columns).fields, commit_properties=added)
    write_deltalake(
        table,
        offer.rows.collect_batches(lazy=True, chunk_size=_ROWS_PER_BATCH),
        mode="overwrite",
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
    what = f"the published table does not take the rows ({failure.kind})"
    hint = "nothing was written; the library's own words are withheld, since they quote rows"
    return PublicationError(Problem(_where(contract, candidate), what, hint))


def _where(contract: Contract, candidate: Candidate) -> str:
    about = "" if candidate.partition is None else f", partition {candidate.partition}"
    return f"contract '{contract.name}' {contract.version}{about}"
