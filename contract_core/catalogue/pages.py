"""The registry as files of a static site: every page, its style, and the same facts as JSON. Writes nothing itself."""

import json
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from contract_core.catalogue import fields, people, terms, views
from contract_core.catalogue.changes import (
    ChangeGroup,
    ToldChange,
    approval_lines,
    changes_between,
    counts_words,
    grouped,
    recorded_changes,
)
from contract_core.catalogue.page_writer import PageWriter, script_json
from contract_core.catalogue.places import (
    INDEX,
    RECORD,
    STYLE,
    consumer_page,
    contract_page,
    owner_page,
    record_file,
    since_page,
    text_file,
    version_page,
)
from contract_core.catalogue.plain_text import hides_something
from contract_core.catalogue.released import (
    ReleasedContract,
    ReleasedVersion,
    ends_soon,
    released_contracts,
    sunset_words,
)
from contract_core.catalogue.search import search_entries
from contract_core.releases.release import Release
from contract_core.releases.states import StateKind
from contract_core.rendering.changes import NOT_SEEN
from contract_core.rendering.releases import Listed, release_document
from contract_core.validation.unverified import unverified_claims

File = tuple[str, bytes]


def catalogue_files(releases: Iterable[Release], today: date) -> Iterator[File]:
    """Every file of the catalogue by its place; the same releases on the same day give the same bytes.

    Raises InvalidContractError where this version of the language cannot read a released text.
    """
    contracts = released_contracts(releases, today)
    consumers, owners = people.told_consumers(contracts), people.told_owners(contracts)
    writer = PageWriter(today, (consumer.name for consumer in consumers))
    yield STYLE, writer.style()
    yield RECORD, _json({"as_of": today.isoformat(), "contracts": [_summary(contract) for contract in contracts]})
    entries = script_json(search_entries(contracts, consumers, owners))
    rows = [_row(contract, today) for contract in contracts]
    yield writer.page(INDEX, "index.html", rows=rows, entries=entries, consumers=consumers, owners=owners)
    for contract in contracts:
        yield from _of_contract(writer, contract)
    for consumer in consumers:
        yield writer.page(consumer_page(consumer.name), "consumer.html", consumer=consumer)
    for owner in owners:
        rows = [_row(contract, today) for contract in owner.contracts]
        yield writer.page(owner_page(owner.name), "owner.html", owner=owner, rows=rows)


def _of_contract(writer: PageWriter, contract: ReleasedContract) -> Iterator[File]:
    current, today = contract.current, writer.today
    since = _since(contract, today)
    yield writer.page(
        contract_page(contract.name),
        "contract.html",
        contract=contract,
        has_since=bool(since),
        failures=views.failures(current),
        rejected=views.rejected(current),
        guaranteed=views.guaranteed(current),
        history=[_told_version(version) for version in contract.versions],
        pins=_pins(current),
        **_body(current, today),
    )
    if since:
        yield writer.page(since_page(contract.name), "since.html", contract=contract, since=since, not_seen=NOT_SEEN)
    yield record_file(contract.name), _json([_document(version) for version in reversed(contract.versions)])
    for version in contract.versions:
        yield text_file(contract.name, version.version), version.release.text.encode()
        yield _version_page(writer, contract, version)


def _since(contract: ReleasedContract, today: date) -> list[tuple[ReleasedVersion, tuple[ChangeGroup, ...]]]:
    """The older versions, newest first, each with what separates it from the current one."""
    current = contract.current
    recorded: list[ToldChange] = []
    found = []
    for version in contract.versions:
        if version.release.number < current.release.number:
            changes = changes_between(version.contract, current.contract, today, recorded)
            found.append((version, grouped(changes)))
        if version.release.number <= current.release.number:
            recorded += recorded_changes(version.release)
    return found


def _version_page(writer: PageWriter, contract: ReleasedContract, version: ReleasedVersion) -> File:
    return writer.page(
        version_page(contract.name, version.version),
        "version.html",
        contract=contract,
        told=_told_version(version),
        hides_something=hides_something(version.release.text),
        not_seen=NOT_SEEN,
        **_body(version, writer.today),
    )


def _body(version: ReleasedVersion, today: date) -> dict[str, Any]:
    """What a page about one version of a contract tells of it, whether it is the current one or not."""
    contract = version.contract
    return {
        "version": version,
        "sunset": sunset_words(version.state, today),
        "about": terms.about(contract),
        "delivery": terms.delivery(contract),
        "promises": terms.promises(contract),
        "change": terms.change(contract),
        "fields": fields.told_fields(version, today),
        "not_verified": unverified_claims(contract),
        "not_enforced": views.not_enforced(contract),
    }


def _told_version(version: ReleasedVersion) -> dict[str, Any]:
    changes = recorded_changes(version.release)
    return {
        "version": version,
        "counts": counts_words(changes),
        "broken": tuple(dict.fromkeys(name for change in changes for name in change.consumers)),
        "groups": grouped(changes),
        "approvals": approval_lines(version.release),
    }


def _row(contract: ReleasedContract, today: date) -> dict[str, Any]:
    current = contract.current
    return {
        "contract": contract,
        "sunset": sunset_words(current.state, today),
        "is_near": ends_soon(current.state, today),
        "owner": current.producer.name if current.producer is not None else "",
        "domain": current.contract.domain or "",
    }


def _pins(version: ReleasedVersion) -> tuple[tuple[str, str], ...]:
    """References that mean this version, and how far each follows later ones."""
    name, number = version.release.name, version.release.number
    exact = (f"{name}@{version.version}", "this version and no other")
    if version.state.kind in (StateKind.DRAFT, StateKind.RETIRED):
        return (exact,)
    follows = f"0.{number[1]}.x" if number[0] == 0 else f"{number[0]}.x"
    return (f"{name}@^{number[0]}.{number[1]}", f"this version and every later {follows}"), exact


def _summary(contract: ReleasedContract) -> dict[str, Any]:
    versions = {version.version: version.state.kind.value for version in reversed(contract.versions)}
    page, record = contract_page(contract.name), record_file(contract.name)
    return {
        "contract": contract.name,
        "version": contract.current.version,
        "versions": versions,
        "page": page,
        "releases": record,
    }


def _document(version: ReleasedVersion) -> dict[str, Any]:
    document = release_document(Listed(version.release, version.state))
    return document | {"text": text_file(version.release.name, version.version).rpartition("/")[2]}


def _json(document: object) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()
