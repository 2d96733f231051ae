"""The published table of a contract as it is now, its rows and its commits; what cannot be read is told with the file and what to do."""

from pathlib import Path

import polars as pl
from deltalake import DeltaTable

from contract_core.errors import Problem, PublicationError
from contract_core.publication.causes import cause_of, remedy_of
from contract_core.publication.table_log import version_of
from contract_core.publication.tables import TABLE_FAILURES, open_table, rows_of

_REPAIR = "repair or restore the table"


def opened(folder: Path, contract: str) -> DeltaTable | None:
    """The table at its newest version, None where there is none. Raises PublicationError where it cannot be opened."""
    try:
        return open_table(folder)
    except TABLE_FAILURES as error:
        cause = cause_of(error)
        hint = remedy_of(error) or f"nothing was written; {_REPAIR} before you publish"
    raise _unreadable(contract, f"its published table cannot be opened: {cause}", hint)


def commit_in(table: DeltaTable, contract: str, submission: str) -> int | None:
    """The version that a submission became last, None where the log holds none. Raises PublicationError where that cannot be read."""
    try:
        return version_of(table, submission)
    except TABLE_FAILURES as error:
        cause, hint = cause_of(error), remedy_of(error) or _REPAIR
    raise _unreadable(contract, f"the log of its published table cannot be read: {cause}", hint)


def rows_in(table: DeltaTable | None, contract: str) -> pl.LazyFrame:
    """The rows of the table, lazily. Raises PublicationError where there is none, or none that can be read."""
    try:
        if table is not None:
            return rows_of(table)
        what, hint = "nothing is published", "publish a delivery first"
    except TABLE_FAILURES as error:
        what, hint = f"its published table cannot be read: {cause_of(error)}", remedy_of(error) or _REPAIR
    raise _unreadable(contract, what, hint)


def _unreadable(contract: str, what: str, hint: str) -> PublicationError:
    return PublicationError(Problem(f"contract '{contract}'", what, hint))
