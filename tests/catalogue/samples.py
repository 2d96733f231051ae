"""A registry as a team would have it after a year: versions that widen and break, with approvals; one that ends, one draft."""

from datetime import UTC, date, datetime
from pathlib import Path

from contract_core.contract.parsing import parse_contract
from contract_core.diff.policy import Policy
from contract_core.diff.record import Approval, ChangeRecord
from contract_core.diff.release import examine
from contract_core.releases.folder_registry import FolderRegistry
from contract_core.releases.publishing import Statement, published_before, release_of
from contract_core.rendering.changes import verdict_document

ROOT = Path(__file__).parents[2]
ORDERS = (ROOT / "data" / "contracts" / "orders.yaml").read_text("utf-8")
RUNS = (ROOT / "data" / "contracts" / "run_durations.yaml").read_text("utf-8")
CASES = (ROOT / "data" / "contracts" / "regional_daily_cases.yaml").read_text("utf-8")
TODAY = date(2027, 6, 1)

FIRST = ORDERS.replace("{new_fields: true}", "{new_fields: true, new_enum_values: true}")
DESK = '- {name: parcel_desk, contact: "team:logistics", relies_on: [order_id, shipped_at], tolerates: {nulls: true}}'
WIDER = (
    FIRST.replace('"1.1.0"', '"1.2.0"')
    .replace("GBP, USD]", "GBP, USD, CHF]")
    .replace("\nkey:", f"\n    {DESK}\nkey:", 1)
)
WORDED = WIDER.replace('"1.2.0"', '"1.2.1"').replace("the parcel left;", "the parcel left our warehouse;")
RENAMED = (
    WORDED.replace('"1.2.1"', '"2.0.0"')
    .replace("amount", "total")
    .replace('type: "decimal(10,2)"', 'renamed_from: amount, type: "decimal(12,2)"')
)
DRAFT = """\
contract: loyalty_points
version: "0.1.0"
domain: sales
description: Points that a customer collects. Nobody relies on them yet.
owners: {producer: {name: web_shop, contact: "team:web-shop"}}
fields:
  - {name: customer_id, type: string, classification: confidential}
  - {name: points, type: integer, min: 0, unit: points}
"""
ENDING = CASES.replace("status: active", "status: deprecated\nsunset: 2027-07-31").replace('"1.0.0"', '"1.1.0"')


def released(registry: FolderRegistry, text: str, on: str, by: str = "anna", **said: object) -> None:
    """Releases a version through the gate, with the approvals that it asks for."""
    moment = datetime.combine(date.fromisoformat(on), datetime.min.time(), UTC)
    contract = parse_contract(text, "contract.yaml")
    published = published_before(registry, contract, moment.date())
    asked = examine(published, contract, moment.date(), Policy())
    approvals = tuple(
        Approval(by=name, changes=asked.digest, on=moment.date(), note="seen") for name, _ in asked.approvals
    )
    record = ChangeRecord(contract=contract.name, version=contract.version, approvals=approvals, **said)
    successor = examine(published, contract, moment.date(), Policy(), record)
    assert successor.passes, successor.missing
    changes = tuple(verdict_document(verdict) for verdict in successor.verdicts)
    registry.add(release_of(contract, text, successor, changes, Statement(by, moment, record)))


def year_of_releases(root: Path) -> FolderRegistry:
    """The registry of the tests, written below `root`."""
    registry = FolderRegistry(root)
    released(registry, FIRST, "2026-10-01")
    released(registry, WIDER, "2026-11-12", "bert")
    released(registry, WORDED, "2026-12-01", meaning={"fields.shipped_at.semantics": "same"})
    released(
        registry,
        RENAMED,
        "2027-03-01",
        "release-job",
        supported_until=date(2027, 8, 31),
        migration="Read total where you read amount; the digits before the point are two more.",
        announcement="Version 2 calls the amount what it is: the total that the customer pays.",
    )
    released(registry, CASES, "2026-10-02")
    released(registry, ENDING, "2027-04-15", "carla")
    released(registry, RUNS, "2026-10-03", "dirk")
    released(registry, DRAFT, "2027-05-02")
    return registry
