"""A fresh copy of a prepared folder for each run, and rows as delta-rs takes them: what ours and the bare write have in common."""

import os
import shutil
from pathlib import Path

import polars as pl
from arro3.core import RecordBatchReader, Table


def linked(source: Path, target: Path) -> Path:
    """A copy of a folder whose files are never changed, at no cost."""
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(source, target, copy_function=os.link))


def stream(rows: pl.LazyFrame) -> RecordBatchReader:
    """Rows as delta-rs takes them without holding all of them."""
    schema = Table.from_arrow(pl.DataFrame(schema=rows.collect_schema())).schema
    frames = rows.collect_batches(lazy=True, chunk_size=25_000)
    batches = (batch for frame in frames for batch in Table.from_arrow(frame).to_batches())
    return RecordBatchReader.from_batches(schema, batches)
