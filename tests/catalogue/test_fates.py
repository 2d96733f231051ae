"""What the catalogue says that a breach does is what the gate does with just that breach."""

from datetime import UTC, datetime

import pytest

from contract_core.catalogue.fates import Fate, fate_of
from contract_core.contract.parsing import parse_contract
from contract_core.publication.decision import Verdict, decide
from contract_core.validation.breaking_rows import is_in_rows
from contract_core.validation.obligations import obligations_of
from contract_core.validation.report import Finding, Outcome, ValidationReport

CONTRACT = """\
contract: orders
version: "1.0.0"
key: [id]
extra_fields: reject
fields:
  - {{name: id, type: integer}}
  - {{name: day, type: date}}
  - {{name: code, type: string, enum: [a, b], not_blank: true, trimmed: true, severity: {{untrimmed: warn}}}}
rules:
  - {{name: early, sql: id > 0}}
  - {{name: rare, sql: id > 9, severity: warn}}
unique: [{{name: pair, fields: [id, code]}}]
duplicate_rows: error
groups: [{{name: many, by: [code], sql: count(*) > 1}}, {{name: few, by: [code], sql: count(*) < 9, severity: warn}}]
history: [{{name: grows, sql: id > previous.id}}, {{name: calm, sql: id < 9 * previous.id, severity: warn}}]
delivery:
  format: {{type: {format}}}
  partition: {{every: day, column: day, start: 2026-10-01}}
  manifest: {manifest}
freshness: {{column: day, max_age: 2d}}
enforcement: {{on_breach: {on_breach}}}
publication: {{mode: {mode}}}
"""
FATES = {Verdict.PUBLISH: Fate.TOLD, Verdict.PUBLISH_WITH_QUARANTINE: Fate.QUARANTINED, Verdict.REFUSE: Fate.REFUSED}


class Delivered:
    """A delivery that has every column with the promised type, or its text."""

    def __init__(self, contract):
        self.contract = contract
        self.columns = self.facts = self
        self.mixed_types = ()

    def has(self, _):
        return True

    def fits(self, *_):
        return self.contract.delivery.format.is_text

    def is_one_by_one(self, _):
        return self.contract.delivery.format.type in ("jsonl", "envelope")


def decided(contract, obligation):
    """What the gate decides where one row of a hundred breaks one promise."""
    finding = Finding(obligation, Outcome.BREACHED, 1, in_rows=is_in_rows(obligation, Delivered(contract)))
    report = ValidationReport(
        contract=contract.name,
        version=contract.version,
        contract_digest=contract.digest,
        candidate_digest="0" * 64,
        submission="0" * 64,
        partition=None,
        as_of=datetime(2026, 10, 1, tzinfo=UTC),
        rows=100,
        findings=(finding,),
        broken_rows=1 if contract.enforcement.on_breach == "quarantine" else None,
    )
    return FATES[decide(report, contract).verdict]


@pytest.mark.parametrize("mode", ["replace_partition", "append", "upsert"])
@pytest.mark.parametrize(
    ("kind", "manifest"), [("csv", "optional"), ("jsonl", "required"), ("parquet", "none"), ("envelope", "none")]
)
@pytest.mark.parametrize("on_breach", ["fail", "quarantine", "warn"])
def test_the_gate_does_what_the_catalogue_says(on_breach, kind, manifest, mode):
    """[S1-017]"""
    contract = parse_contract(
        CONTRACT.format(format=kind, manifest=manifest, on_breach=on_breach, mode=mode), "orders.yaml"
    )
    obligations = obligations_of(contract)
    told = {item.id: fate_of(item, contract) for item in obligations}
    assert told == {item.id: decided(contract, item) for item in obligations}
    assert len(told) > 15
