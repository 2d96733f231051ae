"""The place below the candidates root where an attempt keeps what is not finished, until it ends or is found dead.

An attempt holds a lock on its own folder for as long as it lives, so a folder without a lock is nobody's and is removed.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from contract_core.candidate.columns import column

_LOCK = "lock"
_CELLS_PER_CHUNK = 400_000
_FRAMES_AT_ONCE = 64


class Spool:
    """Rows that Python had to read, kept on disk in chunks so that memory stays flat; `widest` are the bytes of a row where they
    are most, at the mean of a chunk.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._chunks: list[tuple[Path, frozenset[str]]] = []
        self.rows = 0
        self.widest = 0

    def append(self, columns: Mapping[str, Sequence[str | bool | None]], schema: Mapping[str, pl.DataType]) -> None:
        """One chunk more; raises UnicodeEncodeError where a text is not Unicode."""
        self.keep(pl.DataFrame({name: pl.Series(name, columns[name], dtype) for name, dtype in schema.items()}))

    def keep(self, chunk: pl.DataFrame) -> None:
        """One chunk more, which may lack columns."""
        path = self._folder / f"{len(self._chunks):08d}.arrow"
        chunk.write_ipc(path, compression="lz4")
        self._chunks.append((path, frozenset(chunk.columns)))
        self.rows += chunk.height
        self.widest = max(self.widest, int(chunk.estimated_size()) // max(1, chunk.height))

    def scan(self, schema: Mapping[str, pl.DataType]) -> pl.LazyFrame:
        """All rows in the order they came, with `schema`; a column that a chunk lacks is null there."""
        if not self._chunks:
            return pl.LazyFrame(schema=dict(schema))
        groups: list[tuple[frozenset[str], list[Path]]] = []
        for path, columns in self._chunks:
            if not groups or groups[-1][0] != columns:
                groups.append((columns, []))
            groups[-1][1].append(path)
        scanned = [_scanned(paths, columns, schema) for columns, paths in groups]
        return gathered(scanned, self._folder / "groups")


def gathered(frames: Sequence[pl.LazyFrame], folder: Path) -> pl.LazyFrame:
    """All rows of all frames, in order. Polars 2.1 takes quadratic time over many frames, so groups of them go to disk first."""
    if len(frames) <= _FRAMES_AT_ONCE:
        return pl.concat(frames)
    folder.mkdir(parents=True)
    paths = []
    for start in range(0, len(frames), _FRAMES_AT_ONCE):
        paths.append(folder / f"{start:08d}.parquet")
        group = pl.concat(frames[start : start + _FRAMES_AT_ONCE])
        group.sink_parquet(paths[-1], engine="streaming", compression="lz4", maintain_order=True)
    return pl.scan_parquet(paths, glob=False, hive_partitioning=False)


def chunk_rows(columns: int) -> int:
    """How many rows of so many columns go into one chunk."""
    return max(1, _CELLS_PER_CHUNK // max(1, columns))


@contextmanager
def attempt_folder(root: Path) -> Iterator[Path]:
    """A fresh folder below `root` that is gone afterwards, whatever happens; stale ones of crashed attempts go too."""
    shared = root / ".attempts"
    shared.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(shared / _LOCK, fcntl.LOCK_EX):
        _remove_stale(shared)
        folder = Path(tempfile.mkdtemp(prefix="take-", dir=shared))
        own = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(own, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(own)


@contextmanager
def _locked(path: Path, mode: int) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, mode)
        yield
    finally:
        os.close(descriptor)


def _remove_stale(shared: Path) -> None:
    for folder in shared.glob("take-*"):
        try:
            with _locked(folder / _LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # another attempt is alive in there, or has just cleaned up itself
            continue


def _scanned(paths: list[Path], columns: frozenset[str], schema: Mapping[str, pl.DataType]) -> pl.LazyFrame:
    chunk = pl.scan_ipc(paths, glob=False)
    return chunk.select(
        column(name) if name in columns else pl.lit(None, dtype).alias(name) for name, dtype in schema.items()
    )
