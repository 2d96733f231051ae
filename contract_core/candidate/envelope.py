"""An envelope document → records with the part each belongs to, and what the producer declares about them.

The whole document is read into memory, as one JSON text has to be.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contract_core.candidate.declared import declared_complete, declared_contract, declared_text, unknown_keys
from contract_core.candidate.facts import Declaration, DeliveryProblem, PartFacts
from contract_core.candidate.json_records import RecordTable, spool_records
from contract_core.candidate.json_text import parsed_json, unicode_text
from contract_core.candidate.text_lines import Unreadable, opened_text, undecodable
from contract_core.contract.model import Contract

_KEYS = ("contract", "day", "partitions", "unit", "version")
_WHERE = "envelope"


def read_envelope(path: Path, name: str, contract: Contract, spool: Path) -> tuple[RecordTable, Declaration]:
    """Rows and declaration; raises Unreadable where the outer structure does not even say where the rows are."""
    encoding = contract.delivery.format.encoding
    try:
        with opened_text(path, encoding, newline="") as text:
            document = parsed_json(text.read(), around=5)
    except UnicodeError:
        raise Unreadable(undecodable(path, encoding)) from None
    if type(document) is not dict:
        raise Unreadable("is JSON, but no object")
    partitions = document.get("partitions")
    if type(partitions) is not dict:
        raise Unreadable("has no 'partitions' object")
    table = spool_records(_records(partitions), contract, spool)
    return table, _declaration(document, partitions, name, contract)


def _records(partitions: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for part, stated in partitions.items():
        rows = stated.get("rows") if type(stated) is dict else None
        if type(rows) is list:
            yield from ((unicode_text(part), record) for record in rows)


def _declaration(document: dict[str, Any], partitions: dict[str, Any], file: str, contract: Contract) -> Declaration:
    name, version, problems = declared_contract(document, _WHERE)
    partition, about_day = declared_text(document, "day", "partition", _WHERE)
    unit, about_unit = declared_text(document, "unit", "unit", _WHERE)
    stated_version, about_version = declared_text(document, "version", "contract", _WHERE)
    problems += [*about_day, *about_unit, *about_version, *unknown_keys(document, _KEYS, _WHERE)]
    problems += _unsaid(document, contract)
    parts = [_part(part, stated, file) for part, stated in partitions.items()]
    return Declaration(name, version or stated_version, partition, unit, tuple(parts), tuple(problems))


def _unsaid(document: dict[str, Any], contract: Contract) -> list[DeliveryProblem]:
    """Declarations that an envelope must make where the contract has something to hold them against."""
    needed = {
        "contract": ("contract", True),
        "day": ("partition", contract.delivery.partition is not None),
        "unit": ("unit", contract.unit is not None),
    }
    return [
        DeliveryProblem(rule, f"{_WHERE}: '{key}' is not declared")
        for key, (rule, is_needed) in needed.items()
        if is_needed and key not in document
    ]


def _part(name: str, stated: Any, file: str) -> PartFacts:  # noqa: ANN401 - JSON enters here
    if type(stated) is not dict:
        return PartFacts(unicode_text(name), source_file=file, problems=("is no object",))
    complete, problems = declared_complete(stated)
    rows = stated.get("rows")
    if type(rows) is not list:
        problems = (*problems, "has no list of rows")
    unknown = [place for place, key in enumerate(stated, start=1) if key not in ("complete", "rows")]
    problems = (*problems, *(f"has an unknown key at place {place}" for place in unknown))
    return PartFacts(unicode_text(name), complete, len(rows) if type(rows) is list else 0, None, file, problems)
