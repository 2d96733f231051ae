"""How long is a delivered file taken as a candidate? Ours beside a digest, Polars' own reader and a Parquet file, for each format.

    python -m benchmarks.taking --rows 10000000 --rounds 5

No time is printed before both copies hold as many rows and the same sums.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from benchmarks.measuring import REPOSITORY, measured, medians, table
from benchmarks.orders_data import BREACHES, orders_file

CONTENDERS = ("taking_plain", "taking_ours")
_WRITERS: Mapping[str, Callable[[pl.LazyFrame, Path], object]] = {
    "csv": lambda rows, path: rows.sink_csv(path),
    "jsonl": lambda rows, path: rows.sink_ndjson(path),
}
FORMATS = ("parquet", *_WRITERS)


def main() -> None:
    """Print a table for each format."""
    asked = _arguments()
    orders = orders_file(REPOSITORY / ".bench" / "data", asked.rows, BREACHES)
    for form in asked.formats:
        path = delivered(orders, form)
        commands = {
            name: [sys.executable, "-m", f"benchmarks.contenders.{name}", str(path), form] for name in CONTENDERS
        }
        told = {name: measured(command).said for name, command in commands.items()}
        if len(set(told.values())) > 1:
            sys.exit(f"{form}: the copies do not hold the same")
        print(f"{asked.rows:,} rows as {form}, {path.stat().st_size / 1e6:,.0f} MB, median of {asked.rounds}\n")
        print("\n".join(table(medians(commands, asked.rounds), "taking_plain")), end="\n\n")


def delivered(orders: Path, form: str) -> Path:
    """The orders in this format, written beside them where they are not there yet."""
    path = orders.with_suffix(f".{form}")
    if not path.exists():
        unfinished = path.with_suffix(".part")
        _WRITERS[form](pl.scan_parquet(orders), unfinished)
        unfinished.rename(path)
    return path


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--rows", type=int, default=1_000_000)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--formats", nargs="*", choices=FORMATS, default=FORMATS)
    return reader.parse_args()


if __name__ == "__main__":
    main()
