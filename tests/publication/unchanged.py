"""Holds a test to it that a published table is byte for byte what it was, or shows nothing yet: an exception alone proves nothing (S1-086)."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from deltalake import DeltaTable

from tests.publication.samples import publications


@dataclass(frozen=True)
class TableState:
    """A table's version, the digest of its rows, and the digest of every file below it; all empty for no table."""

    version: int | None
    content: str
    files: tuple[tuple[str, str], ...]


def table_state(path: Path) -> TableState:
    """What stands at `path` now."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    digests = tuple((str(file.relative_to(path)), hashlib.sha256(file.read_bytes()).hexdigest()) for file in files)
    if not DeltaTable.is_deltatable(str(path)):
        return TableState(None, "", digests)
    rows = sorted(map(repr, pl.read_delta(str(path)).rows()))
    return TableState(DeltaTable(path).version(), hashlib.sha256("\n".join(rows).encode()).hexdigest(), digests)


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Fails the test where the table at `path` is not afterwards what it was before, also when the body raises."""
    before = table_state(path)
    try:
        yield
    finally:
        after = table_state(path)
        assert after.version == before.version
        assert after.content == before.content
        assert after.files == before.files


@contextmanager
def nothing_shown(path: Path) -> Iterator[None]:
    """Fails the test where there is a row or a publication at `path` before or afterwards; an empty table may have been set up.

    For first publications that fail at their rows, and for nothing else: what was refused earlier leaves no folder.
    """
    assert _is_empty(path)
    try:
        yield
    finally:
        assert _is_empty(path)


def _is_empty(path: Path) -> bool:
    return not DeltaTable.is_deltatable(str(path)) or (publications(path) == () and pl.read_delta(str(path)).is_empty())
