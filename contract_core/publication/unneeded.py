"""The data files of a Delta table that no version needs which stays: those of replaced versions, and what crashed writes left.

Delta-rs finds them; here they are only listed. It forgets a replaced file a week later, when a checkpoint is written (1.6); from
then on only a full vacuum finds it, which takes every file that the log does not name, a write's under way too. So that one is
asked for files older than a day alone, by the clock of the machine, and only files that delta-rs names are believed to be its own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

from deltalake import DeltaTable

from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.tables import location

_HOURS_OF_A_WRITE = 24
_DATA_FILE = re.compile(r"part-.*\.parquet")
_CHECKPOINT = re.compile(r"([0-9]{20})\.checkpoint\..*parquet")


def versions_since(folder: Path, table: DeltaTable, moment: datetime) -> tuple[int, ...]:
    """The versions that were shown at `moment` or later and can still be read; the current one always."""
    stamp = int(moment.timestamp() * 1000)
    commits = sorted((int(commit["version"]), commit.get("timestamp", stamp + 1)) for commit in table.history())
    first = next((version - 1 for version, at in commits if at > stamp), table.version())
    return tuple(range(max(first, _first_readable(folder)), table.version() + 1))


def _first_readable(folder: Path) -> int:
    """Where the log begins: at its first commit, or at a checkpoint where earlier commits were cleaned away."""
    log = Path(location(folder), "_delta_log")
    if (log / f"{0:020d}.json").exists():
        return 0
    return min((int(found[1]) for path in log.iterdir() if (found := _CHECKPOINT.fullmatch(path.name))), default=0)


def unneeded_files(folder: Path, table: DeltaTable, kept: Sequence[int] = ()) -> Mapping[Path, int]:
    """The files that are there and that neither the table as it was opened nor a version in `kept` needs, in bytes."""
    names = set(_listed(table, None))
    if names and kept:  # each kept version is opened for this, so it is asked only where there is something at all
        names = set(_listed(table, list(kept)))
    root, sizes = Path(location(folder)), dict[Path, int]()
    for path in sorted(root / unquote(name) for name in names):
        with suppress(FileNotFoundError):  # the log names it, and it is gone already
            sizes[path] = path.stat().st_size
    return sizes


def _listed(table: DeltaTable, kept: list[int] | None) -> Iterator[str]:
    replaced = table.vacuum(0, dry_run=True, enforce_retention_duration=False, keep_versions=kept)
    unnamed = table.vacuum(
        _HOURS_OF_A_WRITE, dry_run=True, enforce_retention_duration=False, full=True, keep_versions=kept
    )
    yield from replaced
    yield from (name for name in unnamed if _DATA_FILE.fullmatch(name.rpartition("/")[2]))


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, in this order. One that is gone already is no fault; one that may not be removed is a WrongUsageError."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise unremovable(path, error) from None


def unremovable(path: Path, error: OSError) -> WrongUsageError:
    """What is told where the operating system does not let go of a file."""
    what = f"cannot be removed: {error.strerror or type(error).__name__}"
    return WrongUsageError(Problem(str(path), what, "give the right to remove files there, and run it again"))
