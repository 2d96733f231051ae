"""Now and then one file of many small ones, so that a ledger stays quick to read."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deltalake import DeltaTable

from contract_core.publication.tables import files_of, open_table

_MERGED_EVERY = 20
_MERGING = ".merging"


def merge_files(root: Path, table: DeltaTable, contract: str) -> None:
    """Now and then makes one file of a contract's many small ones, which changes no entry; if it fails, reading is slower.

    One at a time, and from the newest version: delta-rs 1.6 lets two that merge the same files both win, and then every entry
    stands in the ledger twice.
    """
    own = {"contract": contract}
    try:
        if files_of(table, own) >= _MERGED_EVERY:
            with _alone(root / _MERGING):
                newest = open_table(root)
                if newest is not None and files_of(newest, own) >= _MERGED_EVERY:
                    newest.optimize.compact(partition_filters=[("contract", "=", contract)])
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - as where entries are written; the entry stands, and who claimed a message with it has yet to send it
        return


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While a lock on this file is held. Raises OSError where somebody else has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
