"""The contract of the orders by day, and where its environment keeps things."""

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from benchmarks.partition_run import FIRST_DAY
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment

_FLAT = "delivery: {format: {type: parquet}}"
_DAILY = "delivery: {format: {type: parquet}, partition: {column: ordered_on, every: day, start: 2025-01-01}}"


def contract() -> Contract:
    """The contract of all benchmarks, with a partition for each day."""
    text = Path(__file__).parents[1].joinpath("orders.yaml").read_text()
    return parse_contract(text.replace(_FLAT, _DAILY), "orders.yaml")


def environment_of(root: Path, landing: Path) -> Environment:
    """A fresh environment on deliveries that all contenders share; the variables of this process say the same to Dagster."""
    os.environ |= {"CONTRACT_GATE_ROOT": str(root), "CONTRACT_GATE_LANDING": str(landing)}
    return replace(Environment.at(root), landing=landing)


def partition(number: int) -> str:
    """The key of one day."""
    return (FIRST_DAY + timedelta(days=number)).isoformat()
