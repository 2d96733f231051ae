"""Releases as stored: a text and a record under a seal. What was altered since is told here, for every kind of registry."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from contract_core.contract.parsing import parse_contract
from contract_core.errors import ContractAlteredError, InvalidContractError, Problem, WrongUsageError
from contract_core.publication.markers import digest_of
from contract_core.releases.release import Release

NEVER = "released versions never change"
_SEAL, _TEXT_DIGEST = "seal", "text_digest"


@dataclass(frozen=True, slots=True)
class Stored:
    """The bytes that a registry holds of one version, and the words for the places where they stand."""

    name: str
    version: str
    text: bytes
    record: bytes
    text_place: str
    record_place: str


def shortened(digest: str) -> str:
    """A digest as messages show it."""
    return f"{digest[:12]}…"


def text_digest(text: bytes) -> str:
    """SHA-256 of the bytes of a text, comments and blanks included."""
    return hashlib.sha256(text).hexdigest()


def record_of(release: Release) -> dict[str, Any]:
    """The record of a release as one JSON document, without the text, under a seal over all of it."""
    record = release.model_dump(mode="json", exclude={"text"}) | {_TEXT_DIGEST: text_digest(release.text.encode())}
    return record | {_SEAL: digest_of(record)}


def record_bytes(release: Release) -> bytes:
    """The record as it is written: the same release gives the same bytes."""
    return (json.dumps(record_of(release), indent=2, ensure_ascii=False) + "\n").encode()


def opened(stored: Stored) -> Release:
    """The release that is stored. Raises ContractAlteredError where text or record are not those that were released."""
    about = f"contract '{stored.name}' {stored.version}"
    record = _record(stored, about)
    if (record.get("name"), record.get("version")) != (stored.name, stored.version):
        raise _altered(f"the record of {about} is that of another version", stored.record_place)
    found = text_digest(stored.text)
    if found != record[_TEXT_DIGEST]:
        raise _altered(f"{about} was released with {_both(record, stored, found)}", stored.text_place)
    fields = {key: value for key, value in record.items() if key not in (_SEAL, _TEXT_DIGEST)}
    try:
        return Release.model_validate_json(json.dumps(fields | {"text": stored.text.decode()}))
    except (ValidationError, ValueError):
        what = f"the record of {about} is sealed and holds what this version of contract-gate does not understand"
    raise ContractAlteredError(Problem("", what, "read it with the version of contract-gate that released it"))


def _record(stored: Stored, about: str) -> Mapping[str, Any]:
    try:
        record = json.loads(stored.record)
        is_record = isinstance(record, dict) and isinstance(record.get(_TEXT_DIGEST), str)
    except (ValueError, RecursionError):
        is_record = False
    if not is_record:
        raise _altered(f"the record of {about} is cut short or no record", stored.record_place)
    unsealed = {key: value for key, value in record.items() if key != _SEAL}
    seal = record.get(_SEAL)
    if seal != (found := digest_of(unsealed)):
        sealed = shortened(seal) if isinstance(seal, str) and len(seal) == len(found) and seal.isalnum() else "none"
        what = f"the record of {about} was released with digest {sealed}, it now has {shortened(found)}"
        raise _altered(what, stored.record_place)
    return {**record}


def _both(record: Mapping[str, Any], stored: Stored, found: str) -> str:
    """Both digests: of the contract, or of the bytes where the contract means the same or is none any more."""
    try:
        now = parse_contract(stored.text, stored.text_place).digest
    except InvalidContractError:
        now = None
    was = str(record.get("digest"))
    if now is None:
        return f"digest {shortened(was)}, the file now holds no contract (its bytes have digest {shortened(found)})"
    if now == was:
        was, now = str(record[_TEXT_DIGEST]), found
        return f"a text of digest {shortened(was)}, the file now has {shortened(now)} and means the same"
    return f"digest {shortened(was)}, the file now has {shortened(now)}"


def _altered(what: str, place: str) -> ContractAlteredError:
    hint = f"{NEVER}: restore {place} and release your edit under a new version"
    return ContractAlteredError(Problem("", what, hint))


def refuse_other(found: Release, offered: Release) -> None:
    """Raises ContractAlteredError where the version was released before with another digest."""
    if found.digest != offered.digest:
        what = (
            f"contract '{found.name}' {found.version} was released with digest {shortened(found.digest)}, "
            f"what is to be released has {shortened(offered.digest)}"
        )
        raise ContractAlteredError(Problem("", what, f"{NEVER}: release your edit under a new version"))


def refuse_unfit(release: Release) -> None:
    """Raises WrongUsageError for a release whose text is not the contract that it names, InvalidContractError for no contract."""
    contract = parse_contract(release.text, f"{release.name}@{release.version}")
    stated = (release.name, release.version, release.digest, release.status, release.sunset)
    if stated != (contract.name, contract.version, contract.digest, contract.status, contract.sunset):
        what = "the text to be released is not the contract that the release names"
        hint = "nothing was released; make the release from the contract that was parsed from this very text"
        raise WrongUsageError(Problem(f"contract '{release.name}' {release.version}", what, hint))


def refuse_unknown_predecessor(release: Release, known: Iterable[Release]) -> None:
    """Raises WrongUsageError for a release that replaces a version which was never released."""
    versions = [other.version for other in known]
    if release.replaces is not None and release.replaces not in versions:
        what = f"replaces {release.replaces}, which the registry does not have"
        hint = f"nothing was released; the registry has {', '.join(versions) or 'no version'}"
        raise WrongUsageError(Problem(f"contract '{release.name}' {release.version}", what, hint))


def missing(releases: Iterable[Release], known: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    """A problem for each version that a later one says it replaced and that is not among the `known` names and versions."""
    there = set(known)
    for release in releases:
        if release.replaces is not None and (release.name, release.replaces) not in there:
            what = (
                f"contract '{release.name}' {release.replaces} is missing: {release.version} with digest "
                f"{shortened(release.digest)} was released to replace it"
            )
            hint = f"{NEVER} and never go: restore its text and its record"
            yield Problem("", what, hint)
            there.add((release.name, release.replaces))


def misread(release: Release) -> Problem | None:
    """What is wrong where the unchanged text no longer gives the digest it was released with; None where it does."""
    about = f"contract '{release.name}' {release.version} was released with digest {shortened(release.digest)}"
    hint = "use the version of contract-gate that released it, or release the contract again under a new version"
    try:
        found = parse_contract(release.text, f"{release.name}@{release.version}").digest
    except InvalidContractError:
        return Problem("", f"{about}, its unchanged text is refused by this version of contract-gate", hint)
    if found != release.digest:
        return Problem("", f"{about}, its unchanged text is read here with {shortened(found)}", hint)
    return None
