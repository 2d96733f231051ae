"""How long do the questions take that are asked of all contracts at once, with a year of daily partitions each?

    python -m benchmarks.at_scale --contracts 100 300 1000

Landing folders, contracts and a ledger of two entries a partition are made first. Each question is asked in a process of its own.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from deltalake import write_deltalake

from benchmarks.ledger import _FIRST as DECIDED
from benchmarks.measuring import measured
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.ledger import Ledger
from contract_core.publication.ledger_rows import as_row

BEGIN = date(2026, 1, 1)
MANY_LANDED = 50
_LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
_CONTRACT = """\
contract: {name}
version: "1.0.0"
key: [shop, ticket]
fields:
  - {{name: shop, type: string}}
  - {{name: ticket, type: int64}}
  - {{name: sold_on, type: date}}
  - {{name: price, type: float64, min: 0}}
delivery:
  path: "{name}/{{partition}}/*.csv"
  format: {{type: csv}}
  partition: {{column: sold_on, every: day, start: {begin}}}
"""
QUESTIONS = {
    "definitions": "definitions of all, with their checks, jobs and sensors",
    "tick": f"one tick of {MANY_LANDED} landing sensors, nothing new",
    "first_tick": f"one tick of {MANY_LANDED} landing sensors, all partitions new",
    "status": "`contract-gate status` of all",
    "coverage": "coverage of all partitions of all",
    "latest": "the last decision of one partition",
    "append": "one more entry",
}


def main() -> None:
    """Print a table: seconds of each question for each number of contracts."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--contracts", type=int, nargs="+", default=(100, 300, 1000))
    reader.add_argument("--partitions", type=int, default=365)
    asked = reader.parse_args()
    found: dict[str, list[str]] = {question: [] for question in QUESTIONS}
    for contracts in asked.contracts:
        with TemporaryDirectory() as folder:
            make(Path(folder), contracts, asked.partitions)
            for question in QUESTIONS:
                command = [sys.executable, "-m", "benchmarks.contenders.at_scale_ours", question, folder]
                run = measured(command)
                found[question].append(f"{float(run.said):.2f} | {run.peak_mb:,.0f}")
    print(f"{asked.partitions} partitions each; seconds, and the peak of the process in MB\n")
    print("| |" + "".join(f" {contracts:,} contracts, s | MB |" for contracts in asked.contracts))
    print("|---|" + "---:|---:|" * len(asked.contracts))
    for question, what in QUESTIONS.items():
        print(f"| {what} | {' | '.join(found[question])} |")


def make(root: Path, contracts: int, partitions: int) -> None:
    """A root with so many contracts, the landing folders of some of them, and a ledger about all."""
    names = [f"c{number:04}" for number in range(contracts)]
    (root / "contracts").mkdir()
    for name in names:
        (root / "contracts" / f"{name}.yaml").write_text(_CONTRACT.format(name=name, begin=BEGIN))
    days = [f"{BEGIN + timedelta(days=number)}" for number in range(partitions)]
    for name in names[:MANY_LANDED]:
        for day in days:
            folder = root / "landing" / name / day
            folder.mkdir(parents=True)
            (folder / "part.csv").write_text("shop,ticket,sold_on,price\n")
    ledger = Ledger(root / "ledger")
    ledger.append(replace(DECIDED, contract=names[0], partition=days[0]))
    for some in _portions(names):
        write_deltalake(ledger.root, _entries(some, days), mode="append")


def _portions(names: list[str]) -> Iterator[list[str]]:
    for begin in range(0, len(names), 100):
        yield names[begin : begin + 100]


def _entries(names: list[str], days: list[str]) -> pl.DataFrame:
    """A decision and a publication for each partition: one file a contract, as merging leaves them."""
    published = replace(DECIDED, event=Event.PUBLISHED, table_version=1)
    kinds = pl.concat([_row(DECIDED, 1), _row(published, 2)])
    numbered = (
        pl.DataFrame({"contract": names}).join(pl.DataFrame({"partition": days}), how="cross").with_row_index("n", 1)
    )
    rows = numbered.join(kinds.drop("contract", "partition"), how="cross")
    at = pl.lit(_LONG_AGO) + pl.duration(minutes=pl.col("n"))
    digest = pl.concat_str("contract", pl.lit("-"), "partition").hash().cast(pl.String).str.zfill(64)
    sequence = pl.col("n").cast(pl.Int64) * 2 + pl.col("sequence")
    identity = pl.concat_str("event", pl.lit("-"), digest)
    return rows.with_columns(at=at, as_of=at, submission=digest, sequence=sequence, identity=identity).select(
        kinds.columns
    )


def _row(entry: LedgerEntry, sequence: int) -> pl.DataFrame:
    return as_row(replace(entry, sequence=sequence))


if __name__ == "__main__":
    main()
