"""The least that taking can be: a digest of the bytes, and Polars' own reader streamed into Parquet. Nothing is proved of the file."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from benchmarks.contenders.sums import say_sums

SCHEMA: Mapping[str, type[pl.DataType]] = {
    "order_id": pl.Int64, "shop": pl.String, "ticket": pl.Int64, "email": pl.String, "sku": pl.String, "status": pl.String,
    "quantity": pl.Int32, "price": pl.Float64, "note": pl.String, "ordered_on": pl.Date, "is_gift": pl.Boolean,
    "weight": pl.Float64,
}  # fmt: skip
_READERS: Mapping[str, Callable[[Path], pl.LazyFrame]] = {
    "csv": lambda path: pl.scan_csv(path, schema=SCHEMA),
    "jsonl": lambda path: pl.scan_ndjson(path, schema=SCHEMA),
    "parquet": pl.scan_parquet,
}


def copied(path: Path, form: str, folder: Path) -> pl.LazyFrame:
    """The rows of the copy."""
    with path.open("rb") as stream:
        hashlib.file_digest(stream, "sha256")
    copy = folder / "copy.parquet"
    _READERS[form](path).sink_parquet(copy, engine="streaming", row_group_size=250_000)
    return pl.scan_parquet(copy)


if __name__ == "__main__":
    with TemporaryDirectory(dir=Path.cwd() / ".bench") as name:
        say_sums(copied, Path(name))
