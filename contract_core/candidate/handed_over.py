"""A frame that a program hands over → the one file that is delivered in its place, written as a stream and never held whole.

What such a file means is left to the path that every delivery takes.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.contract.model import Contract
from contract_core.errors import CandidateUnreadableError, Problem

_STREAM = "__arrow_c_stream__"
"""What tables of pandas, pyarrow, DuckDB and others have in common."""
_TYPED = ("parquet", "ipc")
_ROWS = 100_000
"""In one group: without a number Polars 2.1 cuts groups as the chunks come, and the same rows would be another file."""
_FAILURES: tuple[type[BaseException], ...] = (*READ_FAILURES, TypeError, ValueError)
_ACCEPTED = "return a Polars frame, a table that speaks Arrow, or the path of a delivered file, or several"


def is_frame(value: object) -> bool:
    """True for a Polars frame, lazy or not, and for any table that gives its columns as Arrow does."""
    return isinstance(value, pl.DataFrame | pl.LazyFrame) or hasattr(value, _STREAM)


def delivered_paths_of(contract: Contract, value: object, folder: Path) -> tuple[Path, ...]:
    """The files that were handed over: a frame as one new file in `folder`, paths as they are."""
    if is_frame(value):
        kind = contract.delivery.format.type
        if kind not in _TYPED:
            what = f"a frame was handed over, and the contract promises '{kind}'"
            hint = "write delivery: {format: {type: parquet}} in a new version, or return the paths of the files"
            raise CandidateUnreadableError(Problem(_where(contract), what, hint))
        return (written_frame(contract, value, folder),)
    paths = [value] if isinstance(value, str | Path) else value
    if not isinstance(paths, Sequence) or not paths or not all(isinstance(path, str | Path) for path in paths):
        raise CandidateUnreadableError(Problem(_where(contract), _told_type(value), _ACCEPTED))
    return tuple(Path(path) for path in paths)


def written_frame(contract: Contract, value: object, folder: Path) -> Path:
    """The frame as one file in the contract's typed format, Parquet where it has none; its rows keep their order."""
    if not is_frame(value):
        raise CandidateUnreadableError(Problem(_where(contract), _told_type(value), "return a frame"))
    is_ipc = contract.delivery.format.type == "ipc"
    path = folder / f"{contract.name}.{'arrow' if is_ipc else 'parquet'}"
    try:
        frame = lazy(value)
        if is_ipc:
            frame.sink_ipc(path, engine="streaming", maintain_order=True, record_batch_size=_ROWS)
        else:
            frame.sink_parquet(path, engine="streaming", maintain_order=True, row_group_size=_ROWS)
    except _FAILURES as error:
        kind = type(error).__name__  # the library's own words may quote a value
    else:
        return path
    hint = "nothing was judged; see that the columns have names of their own, and that the frame can be computed"
    raise CandidateUnreadableError(Problem(_where(contract), f"the frame cannot be written ({kind})", hint))


def lazy(value: object) -> pl.LazyFrame:
    """The same rows as a lazy frame."""
    if isinstance(value, pl.LazyFrame):
        return value
    return (value if isinstance(value, pl.DataFrame) else pl.DataFrame(value)).lazy()  # type: ignore[arg-type]  # Arrow


def _where(contract: Contract) -> str:
    return f"delivery of '{contract.name}'"


def _told_type(value: object) -> str:
    given = "nothing" if value is None else f"a value of type {type(value).__name__}"
    return f"{given} was handed over"
