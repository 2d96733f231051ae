"""Judges made-up orders in a process of its own and prints the peak of its memory in MB: `python judging_alone.py ROWS HELD`."""

import resource
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from contract_core.candidate.facts import Facts
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.parsing import parse_contract
from contract_core.validation import repeats, shares
from contract_core.validation.past import Past, Predecessor
from contract_core.validation.plan import validate

ORDERS = """\
contract: orders
version: "1.0.0"
key: [number, shop]
fields:
  - {name: number, type: int64}
  - {name: shop, type: string}
  - {name: price, type: float64, min: 0}
groups: [{name: one_price, by: [number], sql: "sum(price) >= 0 AND count(DISTINCT price) = 1"}]
history: [{name: grows, sql: "price >= previous.price"}, {name: back, vanished: true}]
monitors: {fields: {number: {distinct_change: 50%}, shop: {distinct_change: 50%}, price: {quantiles_change: 50%}}}
delivery: {format: {type: parquet}}
"""


def main(rows: int, held: int) -> None:
    """Judge so many rows while so many are held at a time."""
    shares.MOST_HELD, shares.FEW_KEYS, repeats.MOST_HASHES = held, held // 25, held
    number = pl.int_range(rows, eager=True).alias("number").to_frame().lazy()
    shop = pl.format("shop number {}", pl.col("number") % (rows // 2))
    with TemporaryDirectory() as folder:
        path = Path(folder, "orders.parquet")
        orders = number.with_columns(shop=shop, price=(pl.col("number") % 977).cast(pl.Float64))
        orders.sink_parquet(path, row_group_size=10_000)
        submission = "s" * 64
        candidate = Candidate(path, submission, submission, "orders", "1.0.0", None, rows, Facts(format="parquet"))
        past = Past(predecessor=Predecessor(pl.scan_parquet(path), "p" * 64))
        report = validate(parse_contract(ORDERS, "orders.yaml"), candidate, datetime(2026, 10, 2, tzinfo=UTC), past)
    assert not report.breached()
    sys.stdout.write(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
