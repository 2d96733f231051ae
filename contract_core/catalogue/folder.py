"""A catalogue takes the place of the one before in one step: a reader sees the old one or the new one, and never half of either.

The new files are written beside the folder, which then changes places with them. What lies in the folder and is none of the
files that a catalogue has written there is never taken away: the folder is refused as a whole.
"""

import ctypes
import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from contract_core.errors import ContractCoreError, Problem, WrongUsageError
from contract_core.publication.causes import cause_of

MARKER = ".contract-gate-catalogue.json"
_AT_CWD, _EXCHANGE = -100, 2
_CANNOT_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV)


def write_catalogue(files: Iterable[tuple[str, bytes]], folder: Path) -> int:
    """The number of files of the catalogue that the folder now holds, and nothing else.

    Raises WrongUsageError where the folder holds anything that no catalogue has written, ContractCoreError where it cannot be
    written; then it stays as it was.
    """
    target = Path(os.path.realpath(folder))
    try:
        refuse_other(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target.parent):
            return _replace(files, target)
    except OSError as error:
        cause = cause_of(error)
    hint = "make room or repair the rights, and write it again: the folder is as it was"
    raise ContractCoreError(Problem(f"catalogue {target}", f"cannot be written: {cause}", hint))


def refuse_other(folder: Path) -> None:
    """Raises WrongUsageError for a place that holds anything but a catalogue as one was written."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise _refused(folder, "is no folder", "name a new or an empty folder")
    found = set(_names(folder))
    if not found:
        return
    written = _written(folder)
    if written is None:
        raise _refused(folder, "holds something, and no catalogue of contract-gate", "name a new or an empty folder")
    if others := sorted(found - written):
        listed = ", ".join(repr(name) for name in others[:3]) + (", …" if len(others) > 3 else "")
        what = f"holds {len(others):,} file{'' if len(others) == 1 else 's'} that no catalogue has written: {listed}"
        raise _refused(folder, what, "move them away, or name another folder")


def _replace(files: Iterable[tuple[str, bytes]], target: Path) -> int:
    fresh, old = _beside(target, "new"), _beside(target, "old")
    _recover(target, fresh, old)
    refuse_other(target)
    try:
        names = _write(files, fresh)
        if target.exists():
            _change_places(fresh, target, old)
        else:
            fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
    return len(names)


def _recover(target: Path, fresh: Path, old: Path) -> None:
    """Where a run was killed between its two renames the folder before lies aside: it gets its name again."""
    if not target.exists() and _written(old) is not None:
        old.rename(target)
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)


def _write(files: Iterable[tuple[str, bytes]], folder: Path) -> list[str]:
    folder.mkdir()
    names = []
    for place, content in files:
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        names.append(place)
    marker = json.dumps({"written_by": "contract-gate catalog", "files": sorted(names)}, indent=1)
    (folder / MARKER).write_text(f"{marker}\n", "utf-8")
    return names


def _change_places(fresh: Path, target: Path, old: Path) -> None:
    """In one step where the system can; else in two, between which a reader finds no folder, and never half of one."""
    if _exchanged(fresh, target):
        return
    target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        old.rename(target)
        raise


def _exchanged(one: Path, other: Path) -> bool:
    """True where two folders have changed places. Linux alone has a call for it, and not on every file system."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_CWD, os.fsencode(one), _AT_CWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Alone among all that write a catalogue into `folder`; the lock of a process that was killed is free."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.catalogue-{what}")


def _written(folder: Path) -> set[str] | None:
    """The files that a catalogue has written into a folder; None where none did."""
    with suppress(OSError, ValueError):
        document = json.loads((folder / MARKER).read_bytes())
        names = document.get("files") if isinstance(document, dict) else None
        if isinstance(names, list):
            return {MARKER, *map(str, names)}
    return None


def _names(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()


def _refused(folder: Path, what: str, hint: str) -> WrongUsageError:
    return WrongUsageError(Problem(f"catalogue {folder}", f"{what}; nothing was written", hint))
