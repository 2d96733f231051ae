"""What attempts to take a candidate left when they were killed, and no later attempt has cleaned up since."""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from contract_core.environment import Environment
from contract_core.operations.cleaning import LEFT_OVER_AFTER, Cleaning, Going, Kind, Why
from contract_core.publication.unneeded import unremovable


def plan_attempts(environment: Environment, at: datetime) -> Cleaning:
    """The folders below the candidates that are old and in which no attempt is alive. Nothing is removed here."""
    moments = dict(_attempts(environment.candidates / ".attempts"))
    files = tuple(path for path, moment in moments.items() if at - moment > LEFT_OVER_AFTER and not _is_alive(path))
    goes = tuple(Going(path.name, Why.LEFT_OVER, _size(path), since=moments[path]) for path in files)
    return Cleaning(Kind.ATTEMPTS, None, goes, len(moments) - len(goes), files)


def remove_attempts(folders: Iterable[Path]) -> None:
    """Remove the folders in which no attempt is alive."""
    for folder in folders:
        with _claimed(folder) as is_free:
            if is_free:
                _remove(folder)


def _attempts(shared: Path) -> Iterator[tuple[Path, datetime]]:
    for path in sorted(shared.glob("take-*")):
        with suppress(FileNotFoundError):  # it ended meanwhile
            yield path, datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _size(folder: Path) -> int:
    return sum(Path(place, name).lstat().st_size for place, _, names in os.walk(folder) for name in names)


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unremovable(folder, error) from None


def _is_alive(folder: Path) -> bool:
    with _claimed(folder) as is_free:
        return not is_free


@contextmanager
def _claimed(folder: Path) -> Iterator[bool]:
    """True while nobody else holds the lock of the folder; an attempt holds it as long as it lives."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR)
    except FileNotFoundError:
        yield True
        return
    try:
        yield _is_locked_by_us(descriptor)
    finally:
        os.close(descriptor)


def _is_locked_by_us(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
