"""A generated file: written whole or not at all, and held against what the contract would give today."""

import difflib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from contract_core.errors import Problem, WrongUsageError

_SIGN = b"contract-gate"
_HEAD = 4096
_SHOWN_LINES = 40
_SHOWN_SIGNS = 160


@dataclass(frozen=True, slots=True)
class Drift:
    """How a file differs from what would be generated: what is wrong with it, and the first lines of the difference."""

    what: str
    difference: tuple[str, ...] = ()


def write_artefact(path: Path, text: str) -> None:
    """The text under this path, in one step: a reader finds the old file or the new one. Raises WrongUsageError for a folder."""
    if path.is_dir():
        raise WrongUsageError(Problem(str(path), "is a folder", "name the file to write"))
    if not path.parent.is_dir():
        raise WrongUsageError(Problem(str(path.parent), "is no folder that is there", "make it first"))
    target = path.resolve()  # a link stays one
    descriptor, beside = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            os.fchmod(stream.fileno(), _mode(target))
            stream.flush()
            os.fsync(stream.fileno())
        Path(beside).replace(target)
    finally:
        Path(beside).unlink(missing_ok=True)  # it is there only where the step before failed


def drift_of(path: Path, text: str) -> Drift | None:
    """How the file differs from the text, byte by byte; None where it does not."""
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return Drift("is not there")
    except IsADirectoryError:
        return Drift("is a folder")
    if found == text.encode():
        return None
    if _SIGN not in found[:_HEAD] + found[-_HEAD:]:  # it may hold anything, values of the data too
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
