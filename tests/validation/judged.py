"""What the tests of this folder share: a contract, a candidate made of a frame or of delivered files, and what is found."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.facts import Facts
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.partition import check_key
from contract_core.validation.plan import validate
from contract_core.validation.report import Finding, ValidationReport

AS_OF = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
HEAD = 'contract: cases\nversion: "1.0.0"\n'
PARQUET = "delivery: {format: {type: parquet}}\n"


def contract_of(text: str) -> Contract:
    return parse_contract(HEAD + text, "c.yaml")


def candidate_of(
    frame: pl.DataFrame, folder: Path, facts: Facts | None = None, partition: str | None = None
) -> Candidate:
    """A candidate that holds just this frame, as if it had been taken."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "candidate.parquet"
    frame.write_parquet(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Candidate(
        path, digest, "s" * 64, "cases", "1.0.0", partition, frame.height, facts or Facts(format="parquet")
    )


def report_on(
    text: str, frame: pl.DataFrame, folder: Path, facts: Facts | None = None, partition: str | None = None
) -> ValidationReport:
    """The report on a frame, under a contract that takes Parquet."""
    contract = contract_of(text if "delivery:" in text else text + PARQUET)
    return validate(contract, candidate_of(frame, folder, facts, partition), AS_OF)


def report_on_files(
    text: str, files: Mapping[str, bytes | str], folder: Path, partition: str | None = None
) -> ValidationReport:
    """The report on a delivery of these files."""
    landing = folder / "landing"
    landing.mkdir(parents=True)
    for name, content in files.items():
        (landing / name).parent.mkdir(exist_ok=True)
        (landing / name).write_bytes(content.encode() if isinstance(content, str) else content)
    contract = contract_of(text)
    delivery = collect_delivery(contract, [landing], check_key(contract, partition))
    return validate(contract, take_candidate(contract, delivery, folder / "candidates", AS_OF), AS_OF)


def outcomes(report: ValidationReport) -> dict[str, tuple[str, int]]:
    """What is not kept: outcome and breaches by id."""
    return {finding.id: (finding.outcome.value, finding.breaches) for finding in report.breached()}


def breaches(report: ValidationReport) -> dict[str, int]:
    """What is broken; fails where something could not be judged."""
    assert {finding.outcome.value for finding in report.breached()} <= {"breached"}
    return {finding.id: finding.breaches for finding in report.breached()}


def finding(report: ValidationReport, name: str) -> Finding:
    (found,) = [item for item in report.findings if item.id == name]
    return found


def frame_of(schema: Mapping[str, Any], *rows: tuple[Any, ...]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict(schema), orient="row")
