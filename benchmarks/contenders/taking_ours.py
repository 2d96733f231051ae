"""contract-gate: the candidate of a delivered file, from the digest of its bytes to the sealed Parquet file."""

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from benchmarks.contenders.sums import say_sums
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.contract.parsing import parse_contract

CONTRACT = Path(__file__).parents[1] / "orders.yaml"


def taken(path: Path, form: str, folder: Path) -> pl.LazyFrame:
    """The rows of the candidate."""
    text = CONTRACT.read_text().replace("type: parquet", f"type: {form}")
    contract = parse_contract(text, CONTRACT.name)
    delivery = collect_delivery(contract, [path], None)
    return pl.scan_parquet(take_candidate(contract, delivery, folder, datetime(2026, 1, 1, tzinfo=UTC)).path)


if __name__ == "__main__":
    with TemporaryDirectory(dir=Path.cwd() / ".bench") as name:
        say_sums(taken, Path(name))
