"""A new version into the registry, through the version gate: what it follows there, and the release that it becomes once it passed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.diff.record import ChangeRecord
from contract_core.diff.release import Published, Successor
from contract_core.diff.versions import is_new_major, major_of, version_of
from contract_core.releases.registry import Registry
from contract_core.releases.release import Release
from contract_core.releases.states import StateKind, states_of


def published_before(registry: Registry, contract: Contract, today: date) -> Published | None:
    """What a version follows: the newest release that is not above it, so that an old major can be mended beside a new one.

    None for the first version of a contract. Raises ContractAlteredError where a release was altered.
    """
    releases = registry.releases(contract.name)
    if not releases:
        return None
    ordered = sorted((release.version for release in releases), key=version_of)
    below = [version for version in ordered if version_of(version) <= version_of(contract.version)]
    last = below[-1] if below else ordered[-1]
    read = {release.version: parse_contract(release.text, f"{release.name} {release.version}") for release in releases}
    states = states_of(releases, today)
    is_out = (StateKind.RETIRED, StateKind.DRAFT)
    return Published(
        last=read[last],
        earlier=tuple(read[version] for version in ordered if version_of(version) < version_of(last)),
        supported=tuple(
            read[version] for version in ordered if version in below and states[version].kind not in is_out
        ),
    )


@dataclass(frozen=True, slots=True)
class Statement:
    """Who releases a version, when, and what was said about it."""

    by: str
    at: datetime
    record: ChangeRecord | None = None


def release_of(
    contract: Contract, text: str, successor: Successor, changes: tuple[Mapping[str, Any], ...], said: Statement
) -> Release:
    """The release that a version becomes; `changes` are the verdicts of its successor as JSON."""
    record = said.record
    before = successor.before
    until = None if record is None else record.supported_until
    ends = before is not None and until is not None and is_new_major(before, contract.version)
    return Release.of(
        contract,
        text,
        released_at=said.at,
        released_by=said.by,
        changes=changes,
        required_version=None if before is None else successor.required_version,
        replaces=before,
        supported_until={major_of(before): until} if ends and before is not None and until is not None else {},
        approvals=() if record is None else tuple(item.model_dump(mode="json") for item in record.approvals),
        announcement=None if record is None else record.announcement,
        note=None if record is None else record.migration,
    )
