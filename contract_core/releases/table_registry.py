"""A registry as a Delta table to which rows are only ever appended: one commit for each release, whoever writes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError

from contract_core.contract.model import NAME, VERSION
from contract_core.diff.versions import version_of
from contract_core.errors import ContractAlteredError, ContractCoreError, Problem
from contract_core.publication.causes import cause_of, remedy_of
from contract_core.publication.markers import digest_of, marker_number
from contract_core.publication.tables import TABLE_FAILURES, open_table, prepare_writing, rows_of
from contract_core.publication.waiting import ATTEMPTS, wait
from contract_core.releases.failures import WRITE_HINT, unavailable
from contract_core.releases.release import Release
from contract_core.releases.sealed import (
    NEVER,
    Stored,
    missing,
    opened,
    record_of,
    refuse_other,
    refuse_unfit,
    refuse_unknown_predecessor,
)

_SCHEMA = pl.Schema(
    {
        "name": pl.String(),
        "version": pl.String(),
        "digest": pl.String(),
        "status": pl.String(),
        "released_at": pl.Datetime("us", "UTC"),
        "released_by": pl.String(),
        "text": pl.String(),
        "record": pl.String(),
    }
)
_Row = Mapping[str, Any]
_UNREADABLE: tuple[type[BaseException], ...] = (*TABLE_FAILURES, OverflowError, ValueError)


@dataclass(frozen=True, slots=True)
class TableRegistry:
    """The releases in the Delta table of one folder; a folder that is not there yet holds none."""

    root: Path

    def versions(self) -> Mapping[str, tuple[str, ...]]:
        """The versions of every contract by its name, in order, unread. Raises ContractCoreError where the table cannot be read."""
        found: dict[str, set[str]] = {}
        for row in self._rows(self._open(), None):
            found.setdefault(row["name"], set()).add(row["version"])
        return {name: tuple(sorted(versions, key=version_of)) for name, versions in sorted(found.items())}

    def releases(self, name: str | None = None) -> tuple[Release, ...]:
        """All releases, of one contract where it is named, by name and version.

        Raises ContractAlteredError with everything that was altered or is missing, ContractCoreError where the table cannot be read.
        """
        return self._releases(self._open(), name)

    def add(self, release: Release) -> Release:
        """The release as the registry has it from now on; the same digest again is the release that is there.

        Raises ContractAlteredError where the version has another digest or a neighbour was altered, WrongUsageError and
        InvalidContractError for a release that does not hold together, ContractCoreError where nothing can be written.
        """
        refuse_unfit(release)
        for attempt in range(ATTEMPTS):
            table = self._open() or self._create()
            if table is not None:
                known = self._releases(table, release.name)
                found = next((other for other in known if other.version == release.version), None)
                if found is not None:
                    refuse_other(found, release)
                    return found
                refuse_unknown_predecessor(release, known)
                if self._write(table, release):
                    return release
            wait(digest_of(release.name, release.version, release.digest), attempt)
        what = f"the release lost the race against others {ATTEMPTS} times"
        raise unavailable(self.root, what, "release again; nothing was recorded by this attempt")

    def problems(self, name: str | None = None) -> tuple[Problem, ...]:
        """Everything that was altered or is missing; nothing where all is as it was released."""
        return self._read(self._open(), name)[1]

    def _releases(self, table: DeltaTable | None, name: str | None) -> tuple[Release, ...]:
        releases, problems = self._read(table, name)
        if problems:
            raise ContractAlteredError(*problems)
        return releases

    def _read(self, table: DeltaTable | None, name: str | None) -> tuple[tuple[Release, ...], tuple[Problem, ...]]:
        releases: list[Release] = []
        problems: list[Problem] = []
        known: set[tuple[str, str]] = set()
        for row in self._rows(table, name):
            stated = (row["name"], row["version"])
            if stated in known:
                what = f"contract '{row['name']}' {row['version']} stands in the registry twice"
                problems.append(Problem("", what, f"{NEVER}: restore the table {self.root}"))
                continue
            known.add(stated)
            try:
                releases.append(self._release(row))
            except ContractAlteredError as error:
                problems.extend(error.problems)
        return tuple(releases), (*problems, *missing(releases, known))

    def _release(self, row: _Row) -> Release:
        place = f"the table {self.root}"
        release = opened(
            Stored(row["name"], row["version"], row["text"].encode(), row["record"].encode(), place, place)
        )
        altered = [name for name in _SCHEMA if name != "record" and row[name] != getattr(release, name)]
        if altered:
            what = f"contract '{release.name}' {release.version} has another {altered[0]} in its row than in its record"
            raise ContractAlteredError(Problem("", what, f"{NEVER}: restore {place}"))
        return release

    def _rows(self, table: DeltaTable | None, name: str | None) -> list[_Row]:
        if table is None:
            return []
        try:
            rows = rows_of(table).select(_SCHEMA.names())
            rows = rows if name is None else rows.filter(pl.col("name") == name)
            found = rows.collect(engine="in-memory").to_dicts()
            if all(_is_release(row) for row in found):
                return sorted(found, key=lambda row: (row["name"], version_of(row["version"])))
            cause = "a row is no release"
        except _UNREADABLE as error:
            cause = cause_of(error)
        raise self._unreadable(f"its rows cannot be read: {cause}")

    def _open(self) -> DeltaTable | None:
        try:
            table = open_table(self.root)
            if table is not None or not any(self.root.rglob("*.parquet")):
                return table
            what, remedy = "its data is there and its log is not", None
        except TABLE_FAILURES as error:
            what, remedy = f"its log cannot be read: {cause_of(error)}", remedy_of(error)
        raise self._unreadable(what, remedy)

    def _create(self) -> DeltaTable | None:
        """A new empty table, or None where someone else was faster. Without retries, since delta-rs 1.6 creates twice with them."""
        try:
            return DeltaTable.create(
                prepare_writing(self.root),
                Schema.from_arrow(_SCHEMA),
                mode="error",
                configuration={"delta.appendOnly": "true"},
                commit_properties=CommitProperties(max_commit_retries=0),
            )
        except TABLE_FAILURES as error:
            cause = cause_of(error)
        if self._open() is None:
            raise unavailable(self.root, f"cannot be created: {cause}", WRITE_HINT)
        return None

    def _write(self, table: DeltaTable, release: Release) -> bool:
        """True where the release is now in the table; False where another release of the contract came in between."""
        record = record_of(release)
        mark = Transaction(f"contract-gate/registry/{release.name}", marker_number(record["seal"]))
        row = {name: getattr(release, name) for name in _SCHEMA if name != "record"}
        row["record"] = json.dumps(record, ensure_ascii=False)
        is_late = False
        try:
            prepare_writing(self.root)
            write_deltalake(
                table,
                pl.DataFrame([row], schema=_SCHEMA),
                mode="append",
                commit_properties=CommitProperties(app_transactions=[mark]),
            )
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - delta-rs 1.6 raises plain Exceptions and panics too
            cause, is_late = cause_of(error), isinstance(error, CommitFailedError)
        else:
            return True
        if is_late and self._is_behind(table):
            return False
        raise unavailable(self.root, f"cannot be written: {cause}", WRITE_HINT)

    def _is_behind(self, table: DeltaTable) -> bool:
        newest = self._open()
        return newest is not None and newest.version() > table.version()

    def _unreadable(self, what: str, remedy: str | None = None) -> ContractCoreError:
        return unavailable(self.root, what, remedy or "repair the rights on the folder, or restore it from a copy")


def _is_release(row: _Row) -> bool:
    """True for a row that names a release and holds one; what it holds is verified elsewhere."""
    is_whole = all(isinstance(row[column], str) for column in ("name", "version", "text", "record"))
    return is_whole and bool(NAME.fullmatch(row["name"]) and VERSION.fullmatch(row["version"]))
