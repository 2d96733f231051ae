"""Which file of a table's log is damaged, and what mends it: looked at where the log cannot be read, since delta-rs names no file."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import polars as pl
from deltalake.exceptions import DeltaError

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.publication.causes import DamagedFile

_CHECKPOINT = re.compile(r"([0-9]{20})\.checkpoint\..*parquet")
_COMMIT = re.compile(r"([0-9]{20})\.json")
_HINT = "_last_checkpoint"
_FROM_A_COPY = "nothing was written; restore that file from a copy"
_SINCE_A_CHECKPOINT = 100
"""How many commits delta-rs makes before it writes the next checkpoint; so many files are looked at, and no more."""


class DamagedLogError(DamagedFile, DeltaError):
    """A file of a table's log that cannot be what was written."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


def damage_of(log: Path) -> DamagedLogError | None:
    """The first damage that is found in the folder of a log; None where each file can be read, or the folder cannot be listed."""
    try:
        names = sorted(path.name for path in log.iterdir())
        return next(_damages(log, names), None)
    except OSError:
        return None


def refuse_empty_commits(log: Path, newest: int) -> None:
    """Raises DamagedLogError where one of the newest commits is a file of no bytes, as a crash of a machine leaves it.

    delta-rs 1.6 takes it for a commit that does nothing, so that its rows would be gone without a word.
    """
    for version in range(newest, max(newest - _SINCE_A_CHECKPOINT, -1), -1):
        path = log / f"{version:020d}.json"
        try:
            if path.stat().st_size == 0:
                raise DamagedLogError(_of(path, "is empty"), _FROM_A_COPY)
        except OSError:  # cleaned away behind a checkpoint
            return


def _damages(log: Path, names: list[str]) -> Iterator[DamagedLogError]:
    commits = [int(found[1]) for name in names if (found := _COMMIT.fullmatch(name))]
    checkpoints = {name: int(found[1]) for name in names if (found := _CHECKPOINT.fullmatch(name))}
    is_whole = bool(commits) and commits == list(range(len(commits)))
    for name, version in checkpoints.items():
        if what := _unreadable_checkpoint(log / name):
            is_spare = is_whole and version <= commits[-1]
            yield DamagedLogError(_of(log / name, what), _without(name) if is_spare else _FROM_A_COPY)
    if what := _wrong_hint(log / _HINT, set(checkpoints.values())):
        remedy = _without(_HINT) if is_whole or checkpoints else _FROM_A_COPY
        yield DamagedLogError(_of(log / _HINT, what), remedy)
    base = max(checkpoints.values(), default=-1)
    for version in (version for version in commits if version > base):
        path = log / f"{version:020d}.json"
        if what := _unreadable_commit(path):
            yield DamagedLogError(_of(path, what), _FROM_A_COPY)
    for before, after in pairwise(version for version in [base, *commits] if version >= base):
        if after > before + 1:
            yield DamagedLogError(_of(log / f"{before + 1:020d}.json", "is missing"), _FROM_A_COPY)


def _without(name: str) -> str:
    others = f" and '{_HINT}' beside it" if name != _HINT else ""
    return f"nothing was written; move that file{others} away: every commit is there, and the table is read from them"


def _of(path: Path, what: str) -> str:
    return f"the file {path} {what}"


def _unreadable_checkpoint(path: Path) -> str:
    try:
        pl.read_parquet(path, glob=False, hive_partitioning=False)
    except READ_FAILURES:
        return f"is no checkpoint that can be read: {path.stat().st_size} bytes"
    return ""


def _unreadable_commit(path: Path) -> str:
    content = path.read_bytes()
    try:
        is_commit = bool(content) and all(
            isinstance(json.loads(line), dict) for line in content.splitlines() if line.strip()
        )
    except (ValueError, RecursionError):
        is_commit = False
    return "" if is_commit else f"is no commit that can be read: {len(content)} bytes"


def _wrong_hint(path: Path, versions: set[int]) -> str:
    """What is wrong with the file that says where the newest checkpoint is; without it the folder is looked through."""
    if not path.exists():
        return ""
    try:
        named = json.loads(path.read_bytes())["version"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return "does not say which checkpoint is the newest"
    return "" if named in versions else "names a checkpoint that is not there"
