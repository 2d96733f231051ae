"""The manifest beside the files: what the producer declares about each part, held against the files that are there."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from contract_core.candidate.declared import (
    declared_complete,
    declared_contract,
    declared_count,
    declared_text,
    unknown_keys,
)
from contract_core.candidate.delivery import DeliveredFile
from contract_core.candidate.facts import Declaration, DeliveryProblem, FileFacts, PartFacts
from contract_core.candidate.json_text import parsed_json, unicode_text
from contract_core.candidate.text_lines import Unreadable, opened_text
from contract_core.contract.model import Contract

_KEYS = ("contract", "partition", "parts", "unit", "units", "version")
_PART_KEYS = ("complete", "file", "rows", "sha256")
_WHERE = "manifest"


def read_manifest(manifest: DeliveredFile, contract: Contract, files: Mapping[str, FileFacts]) -> Declaration:
    """The declaration; raises Unreadable where the manifest is no JSON object with well-formed parts."""
    try:
        with opened_text(manifest.path, "utf-8", newline="") as text:
            stated = parsed_json(text.read())
    except UnicodeDecodeError:
        raise Unreadable("is not utf-8 text") from None
    if type(stated) is not dict:
        raise Unreadable("is JSON, but no object")
    name, version, problems = declared_contract(stated, _WHERE)
    stated_version, about_version = declared_text(stated, "version", "contract", _WHERE)
    partition, about_partition = declared_text(stated, "partition", "partition", _WHERE)
    unit, about_unit = _unit(stated, contract)
    parts, about_parts = _parts(stated.get("parts", {}), files)
    problems += [*about_version, *about_partition, *about_unit, *about_parts, *unknown_keys(stated, _KEYS, _WHERE)]
    return Declaration(name, stated_version or version, partition, unit, parts, tuple(problems))


def _unit(stated: Mapping[str, Any], contract: Contract) -> tuple[str | None, list[DeliveryProblem]]:
    """One unit for all, or `units` by field, which are held against the contract's here."""
    unit, problems = declared_text(stated, "unit", "unit", _WHERE)
    units = stated.get("units", {})
    if type(units) is str:
        return unit or units, problems
    if type(units) is not dict:
        return unit, [*problems, DeliveryProblem("unit", f"{_WHERE}: 'units' is neither text nor an object of fields")]
    known = {field.name: field.unit for field in contract.fields}
    for place, (name, declared) in enumerate(units.items(), start=1):
        if name not in known:
            problems.append(DeliveryProblem("unit", f"{_WHERE}: unit {place} is of no field of the contract"))
        elif declared != known[name]:
            promised = f"'{known[name]}'" if known[name] else "none"
            problems.append(
                DeliveryProblem("unit", f"{_WHERE}: the unit of '{name}' is not the promised one, {promised}")
            )
    return unit, problems


def _parts(stated: Any, files: Mapping[str, FileFacts]) -> tuple[tuple[PartFacts, ...], list[DeliveryProblem]]:  # noqa: ANN401
    if type(stated) is not dict:
        return (), [DeliveryProblem("completeness", f"{_WHERE}: 'parts' is no object")]
    return _told_apart([_part(name, part, files) for name, part in stated.items()]), []


def _part(name: str, stated: Any, files: Mapping[str, FileFacts]) -> PartFacts:  # noqa: ANN401 - JSON enters here
    if type(stated) is not dict:
        return PartFacts(unicode_text(name), problems=("is no object",))
    complete, problems = declared_complete(stated)
    declared_rows, about_rows = declared_count(stated)
    unknown = [place for place, key in enumerate(stated, start=1) if key not in _PART_KEYS]
    problems = (*problems, *about_rows, *(f"has an unknown key at place {place}" for place in unknown))
    file, about_file = _file(stated, files)
    if file is None:
        return PartFacts(unicode_text(name), complete, 0, declared_rows, None, (*problems, *about_file))
    return PartFacts(unicode_text(name), complete, file.rows, declared_rows, file.name, (*problems, *about_file))


def _file(stated: Mapping[str, Any], files: Mapping[str, FileFacts]) -> tuple[FileFacts | None, tuple[str, ...]]:
    """The delivered file that a part names, and what is wrong with it."""
    if "file" not in stated:
        return None, ("gives a digest, but no file",) if "sha256" in stated else ()
    name = stated["file"]
    if type(name) is not str:
        return None, ("'file' is no text",)
    if name not in files:
        return None, ("names a file that is not there",)
    digest = stated.get("sha256", files[name].sha256)
    if type(digest) is not str:
        return files[name], ("'sha256' is no text",)
    if digest.lower() != files[name].sha256:
        return files[name], ("names a file whose SHA-256 is another",)
    return files[name], ()


def _told_apart(parts: list[PartFacts]) -> tuple[PartFacts, ...]:
    """The rows of a file that two parts name belong to neither for certain."""
    named = Counter(part.source_file for part in parts if part.source_file)
    problem = "shares its file with another part, so its rows cannot be told apart"
    shared = {file for file, count in named.items() if count > 1}
    return tuple(
        replace(part, problems=(*part.problems, problem)) if part.source_file in shared else part for part in parts
    )
