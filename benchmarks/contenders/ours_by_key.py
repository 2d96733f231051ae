"""contract-gate: one question that needs keys or values in memory, asked of orders; `at_once` holds all of them.

python -m benchmarks.contenders.ours_by_key QUESTION HELD PATH
"""

import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from contract_core.candidate.facts import Facts
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.parsing import parse_contract
from contract_core.validation import repeats, shares
from contract_core.validation.past import Past, Predecessor
from contract_core.validation.plan import validate

QUESTIONS = {
    "nothing": "",
    "key": "key: [shop, ticket]\n",
    "groups": 'groups: [{name: g, by: [shop, ticket], sql: "sum(quantity) >= 0"}]\n',
    "different values": 'groups: [{name: g, by: [shop], sql: "count(DISTINCT ticket) > 0"}]\n',
    "predecessors": 'key: [shop, ticket]\nhistory: [{name: h, sql: "price >= previous.price AND note = previous.note"}]\n',
    "vanished keys": "key: [shop, ticket]\nhistory: [{name: h, vanished: true}]\n",
    "distinct": "monitors: {fields: {order_id: {distinct_change: 50%}, email: {distinct_change: 50%}}}\n",
    "quantiles": "monitors: {fields: {price: {quantiles_change: 50%}, weight: {quantiles_change: 50%}}}\n",
}
_HEAD = """\
contract: orders
version: "1.0.0"
fields:
  - {name: order_id, type: int64}
  - {name: shop, type: string, nullable: true}
  - {name: ticket, type: int64}
  - {name: email, type: string, nullable: true}
  - {name: quantity, type: int32, nullable: true}
  - {name: price, type: float64}
  - {name: note, type: string, nullable: true}
  - {name: weight, type: float64}
extra_fields: ignore
delivery: {format: {type: parquet}}
"""
_EVERY, _LEFT_OUT = 100, 5


def answer(question: str, path: Path) -> list[object]:
    """What the report says about it; the rows before are the same ones at nine tenths of the price, one in a hundred left out."""
    contract = parse_contract(_HEAD + QUESTIONS[question], "orders.yaml")
    rows = pl.scan_parquet(path).select(pl.len()).collect().item()
    digest = hashlib.sha256(path.name.encode()).hexdigest()
    candidate = Candidate(path, digest, digest, contract.name, contract.version, None, rows, Facts(format="parquet"))
    cheaper = pl.scan_parquet(path).with_columns(price=pl.col("price") * 0.9)
    before = cheaper.filter(pl.col("order_id") % _EVERY != _LEFT_OUT)
    report = validate(
        contract, candidate, datetime(2026, 1, 1, tzinfo=UTC), Past(predecessor=Predecessor(before, digest))
    )
    told = [[item.id, item.breaches, dict(item.details)] for item in report.findings if item.rule in _RULES]
    return [*told, report.learned.profile if report.learned else None]


_RULES = ("key", "group", "history", "drift")


if __name__ == "__main__":
    asked, held, place = sys.argv[1:]
    if held == "at_once":
        shares.MOST_HELD = repeats.MOST_HASHES = 2**62
    sys.stdout.write(json.dumps(answer(asked, Path(place)), default=str) + "\n")
