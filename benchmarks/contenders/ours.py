"""contract-gate: the report on a candidate, counts of every obligation."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.contenders.answer import RULES, say
from contract_core.candidate.facts import Facts
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.parsing import parse_contract
from contract_core.validation.plan import validate

CONTRACT = Path(__file__).parents[1] / "orders.yaml"


def count(path: Path, **without: Any) -> Mapping[str, int]:  # noqa: ANN401 - whatever a contract may hold
    """The rows behind every finding that is one of the rules in question; `without` takes parts of the contract away."""
    contract = parse_contract(CONTRACT.read_text(), CONTRACT.name).model_copy(update=without)
    rows = pl.scan_parquet(path).select(pl.len()).collect().item()
    digest = hashlib.sha256(path.name.encode()).hexdigest()
    candidate = Candidate(path, digest, digest, contract.name, contract.version, None, rows, Facts(format="parquet"))
    report = validate(contract, candidate, datetime(2026, 1, 1, tzinfo=UTC))
    found = {finding.id.replace("one_order", "order_id"): finding for finding in report.findings}
    return {
        rule: found[rule].details["rows"] if found[rule].rule in ("key", "unique") else found[rule].breaches
        for rule in RULES
        if rule in found
    }


if __name__ == "__main__":
    say(count)
