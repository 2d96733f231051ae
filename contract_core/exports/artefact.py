"""A generated file: written whole or not at all, and held against what the contract would give today."""

import difflib
import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from contract_core.errors import Problem, WrongUsageError

_SIGN = b"contract-gate"
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
_SHOWN_LINES = 40
_SHOWN_SIGNS = 160


@dataclass(frozen=True, slots=True)
class Drift:
    """How a file differs from what would be generated: what is wrong with it, and the first lines of the difference."""

    what: str
    difference: tuple[str, ...] = ()


def write_artefact(path: Path, text: str) -> None:
    """The text under this path, in one step: a reader finds the old file or the new one. Raises WrongUsageError for a place of no file."""
    target = _target(path)
    with _beside(target, text, _mode(target)) as draft:
        draft.replace(target)


def write_new(path: Path, text: str) -> None:
    """The text under a name that is free, in one step. Raises FileExistsError where something has the name by then, a link too."""
    with _beside(path, text, _mode(path)) as draft:
        try:
            os.link(draft, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            draft.rename(path)


def refuse_foreign(path: Path) -> None:
    """Raises WrongUsageError for a file that has something in it and does not say that contract-gate wrote it."""
    target = _target(path)
    if target.exists() and (content := target.read_bytes()) and _SIGN not in content:
        what = "is there already, and does not say that contract-gate wrote it"
        raise WrongUsageError(Problem(str(path), what, "name another file, or move this one away"))


def _target(path: Path) -> Path:
    """The file that is meant, behind links, which stay. Raises WrongUsageError for a place where no plain file is or can be."""
    if path.is_dir():
        raise WrongUsageError(Problem(str(path), "is a folder", "name the file to write"))
    if not path.parent.is_dir():
        raise WrongUsageError(Problem(str(path.parent), "is no folder that is there", "make it first"))
    target = Path(os.path.realpath(path))
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise WrongUsageError(Problem(str(path), "is no plain file", "name one, or write to standard output"))
    return target


@contextmanager
def _beside(target: Path, text: str, mode: int) -> Iterator[Path]:
    """The whole text on disk in a file beside `target`, which is gone afterwards where nothing was made of it."""
    descriptor, draft = tempfile.mkstemp(prefix=".contract-gate-", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            os.fchmod(stream.fileno(), mode)
            stream.flush()
            os.fsync(stream.fileno())
        yield Path(draft)
    finally:
        Path(draft).unlink(missing_ok=True)


def drift_of(path: Path, text: str) -> Drift | None:
    """How the file differs from the text, byte by byte; None where it does not."""
    if path.exists() and not path.is_dir() and not path.is_file():
        return Drift("is no plain file")  # a device or a pipe may have no end
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return Drift("is not there")
    except IsADirectoryError:
        return Drift("is a folder")
    if found == text.encode():
        return None
    if _SIGN not in found:  # it may hold anything, values of the data too
        return Drift("differs, and does not say that contract-gate wrote it, so that no line of it is shown")
    return Drift("differs", tuple(_difference(found, text)))


def _difference(found: bytes, text: str) -> Iterator[str]:
    before = found.decode("utf-8", "replace").splitlines()
    lines = list(difflib.unified_diff(before, text.splitlines(), "as it is", "as generated", lineterm="", n=1))
    yield from (_short(line) for line in islice(lines, _SHOWN_LINES))
    if len(lines) > _SHOWN_LINES:
        yield f"… {len(lines) - _SHOWN_LINES} more lines"
    if before == text.splitlines():
        yield "the lines are the same; their ends or the encoding are not"


def _short(line: str) -> str:
    return line if len(line) <= _SHOWN_SIGNS else f"{line[:_SHOWN_SIGNS]}…"


def _mode(target: Path) -> int:
    """The rights that the file has, or would have been made with."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
