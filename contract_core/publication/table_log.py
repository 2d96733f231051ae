"""The commits of a published table, oldest first, as far back as its log goes: publications of the gate, and what others did.

Read from the log itself and not from `history()`: only there stand the marks of a commit, and whether its files hold other rows
than before. What somebody wrote there as a name is passed on only where it looks like one; predicates quote values and never are.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from deltalake import DeltaTable

from contract_core.errors import Problem, PublicationError
from contract_core.publication.causes import cause_of, remedy_of
from contract_core.publication.constraints import constraints_marker, constraints_number
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.markers import marker_number, partition_marker
from contract_core.publication.stated import NotStated, stated_decision
from contract_core.publication.tables import TABLE_FAILURES, location, open_table

_COMMIT = re.compile(r"([0-9]{20})\.json")
_OPERATION = re.compile(r"[A-Z][A-Z ]{0,39}")
_ENGINE = re.compile(r"[A-Za-z][A-Za-z0-9._:/+ -]{0,79}")
_NEWEST = 4
_NO_OPERATION, _NO_ENGINE = "an unnamed operation", "an unnamed engine"


class Fault(StrEnum):
    """Why a commit is suspect: it changed rows, or names a submission, and is no publication of the gate."""

    FOREIGN = "foreign"
    UNREADABLE = "unreadable"
    UNMARKED = "unmarked"


@dataclass(frozen=True, slots=True)
class Publication:
    """A commit of the gate: when it was written, and the decision that it says it was made under."""

    version: int
    at: datetime | None
    decided: LedgerEntry

    def is_under(self, entry: LedgerEntry) -> bool:
        """True for the ledger's entry of that decision."""
        mine = self.decided
        return (entry.event, entry.partition, entry.submission, entry.verdict, entry.report_digest, entry.at) == (
            (Event.DECIDED, mine.partition, mine.submission, mine.verdict, mine.report_digest, mine.at)
        )


@dataclass(frozen=True, slots=True)
class OtherCommit:
    """A commit that is no publication; without a fault where it changed no row: tables are set up and compacted that way."""

    version: int
    operation: str = _NO_OPERATION
    engine: str = _NO_ENGINE
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class TableLog:
    """What the log of one table holds, and the marks that the table bears now; `first` is the oldest version that it tells of.

    `is_altered` where somebody else changed the constraints that the gate had set.
    """

    first: int
    newest: int
    commits: tuple[Publication | OtherCommit, ...]
    marks: Mapping[str | None, int]
    is_altered: bool

    @property
    def publications(self) -> tuple[Publication, ...]:
        """The commits of the gate."""
        return tuple(commit for commit in self.commits if isinstance(commit, Publication))

    @property
    def suspects(self) -> tuple[OtherCommit, ...]:
        """The commits that the gate did not make and that only it should have made."""
        return tuple(commit for commit in self.commits if isinstance(commit, OtherCommit) and commit.fault is not None)


def read_log(folder: Path, contract: str, partitions: Iterable[str | None] = ()) -> TableLog | None:
    """The log of a contract's published table, None where there is no table; with the marks of `partitions` and of all published.

    Raises PublicationError for a table that cannot be opened, or a log that cannot be read.
    """
    try:
        table = open_table(folder)
        return None if table is None else _log_of(table, Path(location(folder), "_delta_log"), contract, partitions)
    except TABLE_FAILURES as error:
        cause, hint = cause_of(error), remedy_of(error) or "repair or restore the table first"
    what = f"the log of its published table cannot be read: {cause}"
    raise PublicationError(Problem(f"contract '{contract}'", what, hint))


def version_of(table: DeltaTable, submission: str) -> int | None:
    """The version that a submission became last, as far back as the log goes; None where it holds no such commit.

    The newest commits are looked at first: each is a file of the log, and the one in question is mostly the last. Raises as
    `TABLE_FAILURES`.
    """
    for most in (_NEWEST, None):
        for commit in table.history(most):
            if commit.get("submission") == submission:
                return int(commit["version"])
    return None


def _log_of(table: DeltaTable, folder: Path, contract: str, partitions: Iterable[str | None]) -> TableLog:
    commits = tuple(_commits(folder, contract, table.version()))
    given = {commit.decided.partition for commit in commits if isinstance(commit, Publication)}
    marks = {name: table.transaction_version(partition_marker(contract, name)) for name in {*given, *partitions}}
    recorded = table.transaction_version(constraints_marker(contract))
    return TableLog(
        first=commits[0].version if commits else table.version() + 1,
        newest=table.version(),
        commits=commits,
        marks={name: mark for name, mark in marks.items() if mark is not None},
        is_altered=recorded is not None and recorded != constraints_number(table),
    )


def _commits(folder: Path, contract: str, newest: int) -> Iterator[Publication | OtherCommit]:
    names = ((_COMMIT.fullmatch(path.name), path) for path in folder.iterdir())
    files = {int(name[1]): path for name, path in names if name is not None}
    for version in sorted(number for number in files if number <= newest):
        try:
            content = files[version].read_bytes()
        except FileNotFoundError:  # cleaned away since the folder was listed
            continue
        yield _commit(version, content, contract)


def _commit(version: int, content: bytes, contract: str) -> Publication | OtherCommit:
    try:
        actions = [dict(json.loads(line)) for line in content.splitlines() if line.strip()]
        about: Mapping[str, Any] = next((action["commitInfo"] for action in actions if "commitInfo" in action), {})
        other = OtherCommit(version, _operation(about), _engine(about))
        changes_rows = any(_changes_rows(action) for action in actions)
        marks = {(action["txn"]["appId"], action["txn"]["version"]) for action in actions if "txn" in action}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return OtherCommit(version, fault=Fault.UNREADABLE)
    if "submission" not in about:
        return replace(other, fault=Fault.FOREIGN if changes_rows else None)
    try:
        decided = stated_decision(about, contract)
    except NotStated:
        return replace(other, fault=Fault.UNREADABLE)
    if (partition_marker(contract, decided.partition), marker_number(decided.submission)) not in marks:
        return replace(other, fault=Fault.UNMARKED)
    return Publication(version, _moment(about.get("timestamp")), decided)


def _changes_rows(action: Mapping[str, Any]) -> bool:
    """True for a file that comes or goes with its rows; where rows only move, as in a compaction, the file says so."""
    return any(action[kind].get("dataChange") is not False for kind in ("add", "remove") if kind in action)


def _moment(milliseconds: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC) if type(milliseconds) is int else None
    except (OverflowError, ValueError, OSError):
        return None


def _operation(about: Mapping[str, Any]) -> str:
    name = str(about.get("operation"))
    return name if _OPERATION.fullmatch(name) else _NO_OPERATION


def _engine(about: Mapping[str, Any]) -> str:
    name = str(about.get("engineInfo") or about.get("clientVersion"))
    return name if name != "None" and _ENGINE.fullmatch(name) else _NO_ENGINE
