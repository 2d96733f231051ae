"""The ledger: an append-only Delta table of events. It says what was decided and done; it is not what makes a publication atomic.

Entries of one contract are appended one after the other, whoever writes: each starts from all that stand before it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from secrets import token_hex

import polars as pl
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError

from contract_core.errors import LedgerDamagedError, Problem, PublicationConflictError
from contract_core.publication.causes import cause_of, remedy_of
from contract_core.publication.entry import Event, LedgerEntry, latest
from contract_core.publication.kept_logs import WHOLE_LOG, lacking, state_properties
from contract_core.publication.ledger_merging import merge_files
from contract_core.publication.ledger_portions import portions_of
from contract_core.publication.ledger_rows import LEDGER_SCHEMA, NotUnderstood, as_entry, as_row, refuse_unstorable
from contract_core.publication.markers import digest_of, ledger_marker, marker_number
from contract_core.publication.tables import (
    TABLE_FAILURES,
    open_table,
    prepare_writing,
    rows_by_folder,
    rows_of,
)
from contract_core.publication.waiting import wait

__all__ = ["Ledger", "latest"]

_UNREADABLE: tuple[type[BaseException], ...] = (*TABLE_FAILURES, NotUnderstood, OverflowError, ValueError)
_Before = Callable[[tuple[LedgerEntry, ...], LedgerEntry], LedgerEntry | None]
"""What in the entries of a partition already says what a new one would say."""
_ATTEMPTS = 40
_PORTION = 20_000
_ATTEMPT = "contract-gate.attempt"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The record of every decision below one folder. A folder that is not there yet is an empty ledger."""

    root: Path

    def append(self, entry: LedgerEntry) -> LedgerEntry:
        """The entry as it stands in the ledger; the same event said twice is one entry.

        Raises LedgerDamagedError, also where the ledger cannot be written, and WrongUsageError for an entry that it cannot hold.
        """
        return self._recorded(entry, _said_before)[0]

    def claim(self, entry: LedgerEntry) -> bool:
        """True for the one caller whose entry now stands in the ledger; False where its event and reference stood there before.

        However many processes claim the same thing at the same moment. Raises as `append` does.
        """
        return self._recorded(entry, _claimed_before)[1]

    def _recorded(self, entry: LedgerEntry, before: _Before) -> tuple[LedgerEntry, bool]:
        """The entry as it stands in the ledger, and whether it is this call that wrote it."""
        refuse_unstorable(entry)
        for attempt in range(_ATTEMPTS):
            table = self._open() or self._create()
            if table is not None and self._keeps_its_log(table):
                known = self._read(table, entry.contract, _of_partition(entry.partition))
                if (found := before(known, entry)) is not None:
                    return found, False
                numbered = _numbered(entry, known, table.version() + 1)
                if self._write(table, numbered):
                    merge_files(self.root, table, numbered.contract)
                    return numbered, True
            wait(entry.content, attempt)
        what = f"the entry lost the race against other writers {_ATTEMPTS} times"
        raise PublicationConflictError(
            Problem(f"ledger {self.root}", what, "run it again; nothing was recorded by this attempt")
        )

    def entries(
        self, contract: str | None = None, partition: str | None = None, submission: str | None = None
    ) -> tuple[LedgerEntry, ...]:
        """The entries in the order they were appended, only those of a contract, partition or submission where one is named."""
        table = self._open()
        if table is None:
            return ()
        wanted = [_of_partition(partition)] if partition is not None else []
        wanted += [pl.col("submission") == submission] if submission is not None else []
        return self._read(table, contract, *wanted)

    def partition_entries(self, contract: str, partition: str | None) -> tuple[LedgerEntry, ...]:
        """The entries of exactly this partition, in order; None is the table of a contract without partitions."""
        table = self._open()
        return () if table is None else self._read(table, contract, _of_partition(partition))

    def at_once(self, contracts: Sequence[str]) -> Callable[[str], tuple[LedgerEntry, ...]]:
        """What gives the entries of a contract by its name, all as of one version of the ledger, for who asks about many in this order.

        Read in portions of many contracts, of which one at a time is held, as columns: only what is asked for becomes values of
        Python. Asking raises as reading does.
        """
        table = self._open()
        if table is None:
            return lambda _: ()
        portions = portions_of(contracts, rows_by_folder(table, "contract"), _PORTION)
        held: dict[str, pl.DataFrame] = {}

        def entries(contract: str) -> tuple[LedgerEntry, ...]:
            wanted = portions.get(contract, (contract,))
            if contract not in held:
                held.clear()
                rows = self._rows(table, wanted).partition_by("contract", as_dict=True)
                held.update({name: rows.get((name,), pl.DataFrame(schema=LEDGER_SCHEMA)) for name in wanted})
            return self._entries(held[contract])

        return entries

    def contracts(self) -> frozenset[str]:
        """The names of the contracts that have an entry. Raises as reading does."""
        table = self._open()
        return frozenset() if table is None else frozenset(rows_by_folder(table, "contract"))

    def latest_decision(self, contract: str, partition: str | None) -> LedgerEntry | None:
        """The decision that was taken last for a partition, whatever it was about."""
        return latest(self.partition_entries(contract, partition), Event.DECIDED)

    def decision_of(self, submission: str) -> LedgerEntry | None:
        """The decision that was taken last about a submission."""
        return latest(self.entries(submission=submission), Event.DECIDED)

    def decided_digests(self, contract: str, version: str) -> frozenset[str]:
        """The digests of the texts under which decisions about one version of a contract were taken."""
        table = self._open()
        if table is None:
            return frozenset()
        decided = [pl.col("version") == version, pl.col("event") == Event.DECIDED.value]
        found = self._asked(table, contract, lambda rows: rows.filter(*decided).select("contract_digest").unique())
        return frozenset(found.to_series())

    def _open(self) -> DeltaTable | None:
        try:
            table = open_table(self.root)
            if table is not None or not any(self.root.rglob("*.parquet")):
                return table
            failure, remedy = "its data is there and its log is not", None
        except TABLE_FAILURES as error:
            failure, remedy = f"its log cannot be read: {cause_of(error)}", remedy_of(error)
        raise self._damaged(failure, remedy)

    def _create(self) -> DeltaTable | None:
        """A new empty ledger, or None where someone else was faster. Without retries, since delta-rs 1.6 creates twice with them."""
        try:
            return DeltaTable.create(
                prepare_writing(self.root),
                Schema.from_arrow(LEDGER_SCHEMA),
                mode="error",
                partition_by=["contract"],
                configuration={"delta.appendOnly": "true", **WHOLE_LOG},
                commit_properties=CommitProperties(max_commit_retries=0),
            )
        except TABLE_FAILURES as error:
            failure = f"it cannot be created: {cause_of(error)}"
        if self._open() is None:
            raise self._damaged(failure)
        return None

    def _keeps_its_log(self, table: DeltaTable) -> bool:
        """True for a ledger that keeps its log. One of before 0.2 is told to first, and must be looked at anew."""
        properties = lacking(table, WHOLE_LOG)
        if not properties:
            return True
        before = table.version()
        try:
            prepare_writing(self.root)
            state_properties(table, properties)
        except TABLE_FAILURES as error:
            failure = f"it cannot be told to keep its log: {cause_of(error)}"
        else:
            return False
        if self._is_behind(before):
            return False
        raise self._damaged(failure)

    def _read(self, table: DeltaTable, contract: str | None, *wanted: pl.Expr) -> tuple[LedgerEntry, ...]:
        """The entries that fit, in order. Only those become values of Python, which takes most of the time of reading many."""
        return self._entries(self._rows(table, contract, *wanted))

    def _rows(self, table: DeltaTable, contract: str | Sequence[str] | None, *wanted: pl.Expr) -> pl.DataFrame:
        return self._asked(table, contract, lambda rows: rows.filter(*wanted).sort("sequence", "identity"))

    def _asked(
        self, table: DeltaTable, contract: str | Sequence[str] | None, question: Callable[[pl.LazyFrame], pl.LazyFrame]
    ) -> pl.DataFrame:
        """The answer to a question about the rows of a contract, of several, or of all."""
        try:
            rows = rows_of(table, {} if contract is None else {"contract": contract})
            return question(rows).collect(engine="in-memory")
        except _UNREADABLE as error:
            failure = f"its entries cannot be read: {cause_of(error)}"
        raise self._damaged(failure)

    def _entries(self, rows: pl.DataFrame) -> tuple[LedgerEntry, ...]:
        """The entries of rows in order. A row that is there several times, word for word, is one entry: two hosts have merged files."""
        try:
            copied = pairwise((None, *rows.iter_rows(named=True)))
            found = tuple(as_entry(row) for before, row in copied if row is not None and row != before)
        except _UNREADABLE as error:
            failure = f"its entries cannot be read: {cause_of(error)}"
        else:
            if len({entry.identity for entry in found}) == len(found):
                return found
            failure = "one entry stands in it twice, with different words"
        raise self._damaged(failure)

    def _write(self, table: DeltaTable, entry: LedgerEntry) -> bool:
        """True where the entry is now in the ledger; False where another entry of the contract came in between."""
        marker = Transaction(ledger_marker(entry.contract), marker_number(entry.identity))
        attempt, before, is_late = token_hex(16), table.version(), False
        try:
            prepare_writing(self.root)
            write_deltalake(
                table,
                as_row(entry),
                mode="append",
                schema_mode=None if set(LEDGER_SCHEMA) <= _columns_of(table) else "merge",
                commit_properties=CommitProperties(custom_metadata={_ATTEMPT: attempt}, app_transactions=[marker]),
            )
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - delta-rs 1.6 raises plain Exceptions and panics too; each may print rows
            failure, is_late = f"the entry cannot be written: {cause_of(error)}", isinstance(error, CommitFailedError)
        else:
            return True
        if self._stands(attempt, before):
            return True  # what delta-rs does after a commit failed, such as a checkpoint
        if is_late and self._is_behind(before):
            return False
        raise self._damaged(failure)

    def _stands(self, attempt: str, before: int) -> bool:
        """True where this very attempt has left a commit: rivals who claim the same thing write equal entries."""
        newest = self._open()
        since = 0 if newest is None else newest.version() - before
        commits = newest.history(since) if newest is not None and since else ()
        return any(commit.get(_ATTEMPT) == attempt for commit in commits)

    def _is_behind(self, before: int) -> bool:
        newest = self._open()
        return newest is not None and newest.version() > before

    def _damaged(self, what: str, remedy: str | None = None) -> LedgerDamagedError:
        hint = "nothing was recorded; make room or repair the rights on the folder, or restore it from a copy, before you publish again"
        return LedgerDamagedError(Problem(f"ledger {self.root}", what, remedy or hint))


def _columns_of(table: DeltaTable) -> set[str]:
    return {field.name for field in table.schema().fields}


def _of_partition(partition: str | None) -> pl.Expr:
    return pl.col("partition").eq_missing(pl.lit(partition, pl.String))


def _said_before(known: tuple[LedgerEntry, ...], entry: LedgerEntry) -> LedgerEntry | None:
    """The entry that already says this. A decision counts as said only while no other decision of its partition followed."""
    if entry.event is Event.DECIDED:
        last = latest(known, Event.DECIDED)
        return last if last is not None and last.content == entry.content else None
    return next((other for other in known if other.content == entry.content), None)


def _claimed_before(known: tuple[LedgerEntry, ...], entry: LedgerEntry) -> LedgerEntry | None:
    """The entry of that event and reference, under whatever version of the contract it was written."""
    return next((other for other in known if (other.event, other.reference) == (entry.event, entry.reference)), None)


def _numbered(entry: LedgerEntry, known: tuple[LedgerEntry, ...], sequence: int) -> LedgerEntry:
    """The entry with its place and its identity, which tells a decision taken again later from the first one."""
    before = latest(known, Event.DECIDED) if entry.event is Event.DECIDED else None
    return replace(entry, sequence=sequence, identity=digest_of(entry.content, before.identity if before else ""))
