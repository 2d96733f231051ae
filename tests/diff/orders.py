"""What the tests of the version gate share: one contract, edits of its text, and what is missing of a version."""

from datetime import date
from typing import Any

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.diff.policy import Policy
from contract_core.diff.record import Approval, ChangeRecord
from contract_core.diff.release import Published, Successor, examine

TODAY = date(2026, 10, 2)
IN_TIME = date(2026, 11, 1)
TEXT = """\
contract: orders
version: "1.2.3"
status: active
grain: One row per order.
population: Orders of the day.
owners:
  producer: {name: shop}
  consumers:
    - {name: report, relies_on: [id, amount], tolerates: {new_fields: true}}
    - {name: stock, relies_on: [id, status], tolerates: {new_fields: true}}
key: [id]
fields:
  - {name: id, type: string}
  - {name: amount, type: integer, min: 0, semantics: Tax included., classification: internal}
  - {name: status, type: string, enum: [open, shipped]}
  - {name: note, type: string, nullable: true}
changes: {window: 30d, authority: data_office}
"""
Edit = tuple[str, str]

PATCH: Edit = ("grain:", "description: All orders.\ngrain:")
MINOR: Edit = ("min: 0", "min: -1")
BREAKING: Edit = ("min: 0", "min: 1")
BREAKS_STOCK: Edit = ("[open, shipped]", "[open, shipped, cancelled]")
REMOVED: Edit = ("  - {name: note, type: string, nullable: true}\n", "")


def orders(version: str = "1.2.3", *edits: Edit) -> Contract:
    """The contract in a version, with edits of its text that each apply once."""
    text = TEXT.replace('"1.2.3"', f'"{version}"')
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return parse_contract(text, "orders.yaml")


def held(new: Contract, old: Contract | None = None, policy: Policy | None = None, **said: Any) -> Successor:
    """The new version against the old one; `said` is what the record of the new version says."""
    return on(TODAY, new, old, policy, **said)


def on(today: date, new: Contract, old: Contract | None = None, policy: Policy | None = None, **said: Any) -> Successor:
    """As `held`, on another day."""
    record = ChangeRecord(contract=new.name, version=new.version, **said)
    return examine(Published(old or orders()), new, today, policy or Policy(), record)


def agreed(new: Contract, *names: str, old: Contract | None = None, policy: Policy | None = None) -> dict[str, Any]:
    """What a record says where these agree to just these changes, and the old version stays for as long as was promised."""
    digest = held(new, old, policy).digest
    return {"approvals": tuple(Approval(by=name, changes=digest) for name in names), "supported_until": IN_TIME}


def missing(successor: Successor) -> list[str]:
    """What is missing, without what to do about it."""
    return [item.what for item in successor.missing]


def kinds(successor: Successor) -> list[tuple[str, str]]:
    """The kind and class of each change."""
    return [(verdict.change.kind.value, verdict.verdict.value) for verdict in successor.verdicts]
