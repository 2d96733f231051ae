"""Contracts, candidates and reports for the tests of publication: small, and made without landing or validation."""

import hashlib
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from deltalake import DeltaTable

from contract_core.candidate.facts import Facts
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.promises import Severity
from contract_core.publication.decision import Verdict, decide
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.ledger import Ledger
from contract_core.publication.markers import marker_number
from contract_core.publication.publish import PublicationRecord, publish, record_decision
from contract_core.publication.store import Store, TableCommit
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import NotNull
from contract_core.validation.report import Finding, Outcome, ValidationReport

DAY = "2026-10-01"
NOW = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
CASES = """\
contract: cases
version: "1.0.0"
fields:
  - {name: region, type: string}
  - {name: day, type: date}
  - {name: n, type: integer}
delivery:
  path: "cases/{partition}/*.parquet"
  format: {type: parquet}
  partition: {every: day, column: day, start: 2026-10-01}
"""
BY_REGION = CASES.replace("{every: day, column: day, start: 2026-10-01}", "{column: region}")
WHOLE = "\n".join(line for line in CASES.splitlines() if "partition" not in line)


def contract_of(text: str = CASES) -> Contract:
    return parse_contract(text, "contract.yaml")


def rows(*regions: str, day: str = DAY, n: int = 1) -> pl.DataFrame:
    """One row per region, in the columns of `CASES`."""
    frame = pl.DataFrame({"region": list(regions), "day": [day] * len(regions), "n": [n] * len(regions)})
    return frame.cast({"region": pl.String, "n": pl.Int64}).with_columns(pl.col("day").cast(pl.String).str.to_date())


def candidate_of(contract: Contract, frame: pl.DataFrame, folder: Path, partition: str | None = DAY) -> Candidate:
    """A candidate that holds just this frame; the same frame gives the same submission."""
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / f"written-{os.getpid()}.parquet"
    frame.write_parquet(written)
    digest = hashlib.sha256(written.read_bytes()).hexdigest()
    path = written.rename(folder / f"{digest}.parquet")
    submission = hashlib.sha256(f"{contract.name}|{contract.digest}|{partition}|{digest}".encode()).hexdigest()
    (folder / f"{submission}.json").write_text(json.dumps({"received_at": NOW.isoformat()}))
    return Candidate(
        path=path,
        digest=digest,
        submission=submission,
        contract=contract.name,
        version=contract.version,
        partition=partition,
        rows=frame.height,
        facts=Facts(format="parquet"),
    )


def finding(
    name: str, outcome: Outcome = Outcome.BREACHED, severity: Severity = Severity.ERROR, layer: Layer = Layer.ROWS
) -> Finding:
    obligation = Obligation(
        id=name, rule=name.rpartition(".")[2], field=None, severity=severity, layer=layer, promise=NotNull("n")
    )
    return Finding(obligation, outcome, breaches=3 if outcome is Outcome.BREACHED else 0)


def report_of(contract: Contract, candidate: Candidate, *findings: Finding) -> ValidationReport:
    return ValidationReport(
        contract=contract.name,
        version=contract.version,
        contract_digest=contract.digest,
        partition=candidate.partition,
        submission=candidate.submission,
        candidate_digest=candidate.digest,
        as_of=NOW,
        rows=candidate.rows,
        findings=findings,
    )


def permit(contract: Contract, candidate: Candidate) -> LedgerEntry:
    """A decision that lets all rows of a candidate through, as the ledger would hold it."""
    return LedgerEntry(
        event=Event.DECIDED,
        contract=contract.name,
        version=contract.version,
        contract_digest=contract.digest,
        partition=candidate.partition,
        submission=candidate.submission,
        candidate_digest=candidate.digest,
        verdict=Verdict.PUBLISH,
        report_digest="e" * 64,
        rows=candidate.rows,
        as_of=NOW,
        at=NOW,
    )


def put(site: "Site", contract: Contract, candidate: Candidate) -> TableCommit:
    """What the store does with an allowed candidate, without gate and ledger."""

    def authorise(shown: int | None) -> LedgerEntry | None:
        return None if shown == marker_number(candidate.submission) else permit(contract, candidate)

    return site.store.publish_partition(contract, candidate, authorise)


@dataclass(frozen=True)
class Site:
    """One environment in a temporary folder: candidates, ledger and published tables."""

    root: Path

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.root / "ledger")

    @property
    def store(self) -> Store:
        return Store(self.root / "published")

    def table(self, name: str = "cases") -> Path:
        return self.root / "published" / name

    def take(self, contract: Contract, frame: pl.DataFrame, partition: str | None = DAY) -> Candidate:
        return candidate_of(contract, frame, self.root / "candidates" / contract.name, partition)

    def decide(self, contract: Contract, candidate: Candidate, *findings: Finding, at: datetime = NOW) -> LedgerEntry:
        report = report_of(contract, candidate, *findings)
        return record_decision(contract, candidate, report, decide(report, contract), self.ledger, at)

    def publish(self, contract: Contract, candidate: Candidate, at: datetime = NOW) -> PublicationRecord:
        return publish(contract, candidate, self.ledger, self.store, at)

    def accept(self, contract: Contract, frame: pl.DataFrame, partition: str | None = DAY) -> PublicationRecord:
        """The whole way of an accepted delivery."""
        candidate = self.take(contract, frame, partition)
        self.decide(contract, candidate)
        return self.publish(contract, candidate)

    def shown(self, name: str = "cases") -> list[tuple[object, ...]]:
        """The published rows, the columns of `CASES` first and those that were added later by name."""
        rows = self.store.rows(name).collect()
        first = [column for column in ("region", "day", "n") if column in rows.columns and "at" not in rows.columns]
        return sorted(rows.select(*first, *(column for column in rows.columns if column not in first)).rows())


def publications(table: Path) -> tuple[int, ...]:
    """The versions of a table that a submission became, oldest first; what set the table up lies before and between them."""
    history = DeltaTable(table).history() if DeltaTable.is_deltatable(str(table)) else []
    return tuple(int(commit["version"]) for commit in reversed(history) if "submission" in commit)


def events(site: Site) -> list[str]:
    return [entry.event.value for entry in site.ledger.entries()]
