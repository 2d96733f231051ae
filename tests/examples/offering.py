"""A delivery offered to the gate in one step: taken, validated and decided, with what was found in a form that tests compare."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import find_contract
from contract_core.publication.decision import Decision, decide
from contract_core.validation.past import NOTHING_KNOWN, Past
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome, ValidationReport

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
SHARED = ROOT.parent / "shared" / "data"
NOW = datetime(2026, 10, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Offered:
    """What became of a delivery."""

    candidate: Candidate
    report: ValidationReport
    decision: Decision

    @property
    def verdict(self) -> str:
        """The gate's word."""
        return self.decision.verdict.value

    @property
    def breached(self) -> dict[str, int]:
        """How often each breached obligation is broken, by id, in the report's order."""
        return {finding.id: finding.breaches for finding in self.report.findings if finding.outcome is Outcome.BREACHED}

    @property
    def unjudged(self) -> set[str]:
        """The ids of the obligations that could not be judged."""
        return {finding.id for finding in self.report.findings if finding.outcome is Outcome.UNJUDGED}

    @property
    def parts(self) -> dict[str, str]:
        """The state of each part by its name as the report shows it."""
        return {part.name: part.state.value for part in self.report.parts}

    @property
    def rows(self) -> pl.DataFrame:
        """The rows that were judged."""
        return pl.read_parquet(self.candidate.path)


def shipped(name: str) -> Contract:
    """A contract of the example environment."""
    return find_contract(name, DATA / "contracts")


def shipped_text(name: str) -> str:
    """The same as text, for tests that change a word of it."""
    return (DATA / "contracts" / f"{name}.yaml").read_text("utf-8")


def contract_of(text: str) -> Contract:
    """The contract that a test states."""
    return parse_contract(text, "contract.yaml")


def offer(
    contract: Contract,
    paths: list[Path],
    partition: str | None,
    root: Path,
    as_of: datetime = NOW,
    past: Past = NOTHING_KNOWN,
) -> Offered:
    """Offer what lies at these paths; candidates go below `root`."""
    delivery = collect_delivery(contract, paths, partition)
    candidate = take_candidate(contract, delivery, root / "candidates", received_at=as_of)
    report = validate(contract, candidate, as_of, past)
    return Offered(candidate, report, decide(report, contract))


def offer_text(contract: Contract, text: str, partition: str | None, root: Path) -> Offered:
    """Offer one file of text."""
    suffix = {"csv": "csv", "jsonl": "jsonl", "envelope": "json"}[contract.delivery.format.type]
    path = root / f"delivered.{suffix}"
    path.write_bytes(text.encode())
    return offer(contract, [path], partition, root)


def offer_json(contract: Contract, document: Any, partition: str | None, root: Path) -> Offered:
    """Offer one JSON document."""
    return offer_text(contract, json.dumps(document), partition, root)


def offer_records(contract: Contract, records: list[Any], root: Path) -> Offered:
    """Offer JSON lines, one for each record."""
    return offer_text(contract, "".join(json.dumps(record) + "\n" for record in records), None, root)


def offer_parquet(contract: Contract, frame: pl.DataFrame, partition: str | None, root: Path) -> Offered:
    """Offer one Parquet file."""
    path = root / "delivered.parquet"
    frame.write_parquet(path)
    return offer(contract, [path], partition, root)
