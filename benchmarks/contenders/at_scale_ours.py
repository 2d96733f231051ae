"""One question about all contracts of a root: prints how many seconds the answer took, the loading of libraries left out."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
from typer.testing import CliRunner

from benchmarks.at_scale import MANY_LANDED
from benchmarks.ledger import _FIRST as DECIDED
from contract_assets.code_location import build_definitions
from contract_assets.resources import GateResource
from contract_assets.sensors import build_landing_sensor
from contract_core.cli import app
from contract_core.contract.registry import read_contracts
from contract_core.operations.coverage import coverage_of
from contract_core.publication.ledger import Ledger

AT = datetime(2027, 1, 15, tzinfo=UTC)


def main() -> None:
    """Ask it."""
    question, root = sys.argv[1], Path(sys.argv[2])
    prepared = _QUESTIONS[question](root)
    begin = time.perf_counter()
    prepared()
    print(time.perf_counter() - begin)


def _definitions(root: Path) -> Callable[[], object]:
    return lambda: build_definitions(
        read_contracts(root / "contracts"), GateResource(root=str(root))
    ).get_repository_def()


def _ticks(root: Path, *, known: bool) -> Callable[[], object]:
    contracts = read_contracts(root / "contracts")[:MANY_LANDED]
    sensors = [build_landing_sensor(contract, settle=timedelta(0)) for contract in contracts]
    gate = GateResource(root=str(root))
    instance = dg.DagsterInstance.ephemeral()

    def tick(sensor: dg.SensorDefinition, cursor: str | None) -> str | None:
        found = sensor(dg.build_sensor_context(instance=instance, cursor=cursor, resources={"gate": gate}))
        return found.cursor if isinstance(found, dg.SensorResult) else cursor

    cursors = [tick(sensor, None) if known else None for sensor in sensors]
    return lambda: [tick(sensor, cursor) for sensor, cursor in zip(sensors, cursors, strict=True)]


def _status(root: Path) -> Callable[[], object]:
    def ask() -> None:
        result = CliRunner().invoke(app, ["status", "--root", str(root)])
        assert "c0000" in result.output, result.output

    return ask


def _coverage(root: Path) -> Callable[[], object]:
    contracts = read_contracts(root / "contracts")

    def ask() -> None:
        entries = Ledger(root / "ledger").at_once([contract.name for contract in contracts])
        for contract in contracts:
            assert coverage_of(contract, entries(contract.name), AT, most=366) is not None

    return ask


def _latest(root: Path) -> Callable[[], object]:
    return lambda: Ledger(root / "ledger").latest_decision("c0042", "2026-06-01")


def _append(root: Path) -> Callable[[], object]:
    return lambda: Ledger(root / "ledger").append(replace(DECIDED, contract="c0042", submission="f" * 64))


_QUESTIONS: Mapping[str, Callable[[Path], Callable[[], object]]] = {
    "definitions": _definitions,
    "tick": lambda root: _ticks(root, known=True),
    "first_tick": lambda root: _ticks(root, known=False),
    "status": _status,
    "coverage": _coverage,
    "latest": _latest,
    "append": _append,
}

if __name__ == "__main__":
    main()
