"""What a contender that copies rows says of its copy: how many they are, and sums that every value goes into."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl


def say_sums(copy: Callable[[Path, str, Path], pl.LazyFrame], folder: Path) -> None:
    """Copy the file that the command line names, of the format that it names, into a folder, and say what the copy holds."""
    rows = copy(Path(sys.argv[1]), sys.argv[2], folder).select("^[a-z].*$")
    sums = rows.select(pl.len(), *map(_sum, rows.collect_schema().items())).collect(engine="streaming")
    print(json.dumps(sums.row(0, named=True), sort_keys=True))


def _sum(column: tuple[str, pl.DataType]) -> pl.Expr:
    name, kind = column
    if kind == pl.String:
        return pl.col(name).str.len_bytes().cast(pl.Int64).sum()
    if kind == pl.Float64:
        return (pl.col(name) * 1000).round().cast(pl.Int64).sum()
    return pl.col(name).cast(pl.Int64).sum()
