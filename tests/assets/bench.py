"""One small environment with its contract, driven through Dagster in process: land a delivery, run a selection, look at what is left."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

from contract_assets.code_location import build_definitions
from contract_assets.labels import candidate_key, landing_key, published_key
from contract_assets.resources import GateResource
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.publication.entry import Event
from contract_core.publication.ledger import Ledger

DAY, NEXT = "2026-10-01", "2026-10-02"
NOW = datetime(2026, 10, 3, 12, 0, tzinfo=UTC)
MARKER = "zq7planted7marker"
CASES = """\
contract: cases
version: "1.0.0"
description: Cases per region and day.
grain: One row per region and day.
key: [region, day]
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}"}
  - {name: day, type: date}
  - {name: n, type: integer, min: 0}
rules:
  - {name: plausible, sql: n < 1000, severity: warn}
delivery:
  format: {type: csv}
  partition: {every: day, column: day, start: 2026-10-01}
"""
FRESH = CASES + "freshness: {column: day, max_age: 3d}\n"
BY_REGION = CASES.replace("{every: day, column: day, start: 2026-10-01}", "{column: region}")
WHOLE = "\n".join(line for line in CASES.splitlines() if "partition:" not in line) + "\n"
QUIET = {"python_logs": {"python_log_level": "CRITICAL"}}


def contract_of(text: str = CASES) -> Contract:
    return parse_contract(text, "contract.yaml")


def csv(*rows: tuple[object, ...], header: str = "region,day,n") -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


GOOD = csv(("NL", DAY, 1), ("BE", DAY, 2))
BETTER = csv(("NL", DAY, 3), ("BE", DAY, 4), ("DE", DAY, 5))
BAD = csv(("NL", DAY, -1), ("BE", DAY, 2))
SUSPECT = csv(("NL", DAY, 5000))


@dataclass
class Bench:
    """An environment below `root`; runs are recorded in `instance`."""

    root: Path
    instance: dg.DagsterInstance
    contract: Contract = field(default_factory=contract_of)
    as_of: str = NOW.isoformat()

    @property
    def gate(self) -> GateResource:
        return GateResource(root=str(self.root), as_of=self.as_of)

    @property
    def definitions(self) -> dg.Definitions:
        return build_definitions([self.contract], self.gate)

    @property
    def candidate(self) -> dg.AssetKey:
        return candidate_key(self.contract)

    @property
    def published(self) -> dg.AssetKey:
        return published_key(self.contract)

    @property
    def landing(self) -> dg.AssetKey:
        return landing_key(self.contract)

    @property
    def table(self) -> Path:
        return self.root / "published" / self.contract.name

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.root / "ledger")

    def land(self, text: str, partition: str | None = DAY, age: timedelta = timedelta(hours=1)) -> Path:
        """One file in landing, last changed `age` ago."""
        folder = self.root / "landing" / self.contract.name
        folder = folder if partition is None else folder / partition
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "cases.csv"
        path.write_bytes(text.encode())
        moment = datetime.now(UTC).timestamp() - age.total_seconds()
        os.utime(path, (moment, moment))
        return path

    def run(self, *keys: dg.AssetKey, partition: str | None = DAY, **options: object) -> dg.ExecuteInProcessResult:
        """A run of just these assets, or of candidate and published where none is named."""
        return dg.materialize(
            list(self.definitions.assets or ()),
            selection=list(keys or (self.candidate, self.published)),
            resources={"gate": self.gate},
            partition_key=partition,
            instance=self.instance,
            raise_on_error=False,
            **options,
        )

    def take(self, text: str, partition: str | None = DAY) -> dg.ExecuteInProcessResult:
        """Land a delivery and run both assets on it."""
        self.land(text, partition)
        return self.run(partition=partition)

    def shown(self) -> list[tuple[object, ...]]:
        """The rows that consumers see."""
        return sorted(self.gate.store().rows(self.contract.name).collect().rows())

    def events(self) -> list[str]:
        return [entry.event.value for entry in self.ledger.entries()]

    def publications(self) -> int:
        return sum(entry.event is Event.PUBLISHED for entry in self.ledger.entries())

    def materialized(self, key: dg.AssetKey) -> set[str]:
        return self.instance.get_materialized_partitions(key)


def outcomes(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    """Each check that answered, and whether it passed."""
    return {check.check_name: check.passed for check in result.get_asset_check_evaluations()}


def failures(result: dg.ExecuteInProcessResult) -> list[str]:
    """Why steps failed, in their own words."""
    return [_words(event) for event in result.all_events if event.is_step_failure]


def _words(event: dg.DagsterEvent) -> str:
    data = event.step_failure_data
    told = data.user_failure_data
    return told.description if told is not None else str(data.error.message)


def kinds(result: dg.ExecuteInProcessResult, step: str) -> list[str]:
    """What one step told Dagster, in order, without its bookkeeping."""
    names = {
        "ASSET_MATERIALIZATION": "materialised",
        "ASSET_CHECK_EVALUATION": "check",
        "STEP_FAILURE": "failed",
        "STEP_UP_FOR_RETRY": "retried",
        "STEP_SUCCESS": "ended",
    }
    told = [
        names[event.event_type_value]
        for event in result.all_events
        if event.step_key == step and event.event_type_value in names
    ]
    return [kind for place, kind in enumerate(told) if place == 0 or told[place - 1] != kind]


@contextmanager
def quiet_instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral(settings=QUIET) as instance:
        yield instance


def everything_told(instance: dg.DagsterInstance) -> str:
    """Every event of every run, as text."""
    told: list[str] = []
    for run in instance.get_runs():
        told.append(repr(run.tags))
        told.extend(dg.serialize_value(entry) for entry in instance.all_logs(run.run_id))
    return "\n".join(told)
