"""Small releases for the tests of this folder."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from contract_core.contract.parsing import parse_contract
from contract_core.releases.folder_registry import FolderRegistry
from contract_core.releases.registry import Registry
from contract_core.releases.release import Release
from contract_core.releases.table_registry import TableRegistry

TEXT = """\
# what the shop sells
contract: {name}
version: "{version}"
status: {status}
{more}fields:
  - {{name: amount, type: integer}}
"""
DRAFT, RETIRED = {"status": "draft"}, {"status": "retired"}
KINDS = {"folder": FolderRegistry, "table": TableRegistry}


def day(text: str) -> date:
    return date.fromisoformat(text)


def text_of(version: str = "1.0.0", name: str = "orders", status: str = "draft", more: str = "") -> str:
    return TEXT.format(name=name, version=version, status=status, more=more)


ACTIVE = """\
grain: One row per order.
key: [amount]
owners: {producer: {name: shop}, consumers: [{name: report}]}
"""


def release(
    version: str = "1.0.0",
    on: str = "2026-10-01",
    *,
    name: str = "orders",
    status: str = "active",
    more: str = "",
    **about: Any,
) -> Release:
    """A release of a small contract, active unless said."""
    text = text_of(version, name, status, more + ("" if status == "draft" else ACTIVE))
    moment = datetime.combine(day(on), datetime.min.time(), UTC)
    return Release.of(
        parse_contract(text, "orders.yaml"), text, **{"released_at": moment, "released_by": "anna", **about}
    )


def registry_of(kind: str, root: Path, *releases: Release) -> Registry:
    """A registry that holds the releases, added in order."""
    registry: Registry = KINDS[kind](root)
    for each in releases:
        registry.add(each)
    return registry


BREAKING = {
    "kind": "field_removed",
    "path": "fields.note",
    "what": "is gone",
    "class": "breaking",
    "breaks": ["consumer"],
    "consumers": ["weekly_report"],
    "reason": "queries that name the field fail",
}
COMPATIBLE = {
    "kind": "bound_relaxed",
    "path": "fields.amount.max",
    "class": "compatible",
    "breaks": [],
    "consumers": [],
}
WORDS = {"kind": "description_edited", "path": "description", "class": "patch", "reason": "words only"}
