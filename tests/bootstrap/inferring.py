"""What the tests of this folder share: a contract inferred from files, and what the gate says of the same files."""

from datetime import UTC, datetime
from pathlib import Path

from contract_core.bootstrap.draft import FieldDraft
from contract_core.bootstrap.inference import Inferred, Source, inferred
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.writing import contract_text
from contract_core.validation.plan import validate

AT = datetime(2026, 10, 3, tzinfo=UTC)


def infer(folder: Path, *paths: Path, column: str | None = None) -> Inferred:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return inferred(Source(paths or (folder / "landing",), "cases", work, folder / "landing", AT, column))


def infer_text(folder: Path, content: str | bytes, name: str = "cases.csv") -> Inferred:
    place = folder / name
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    return infer(folder, place)


def types(found: Inferred) -> dict[str, str]:
    return {item.name: str(item.terms["type"]) for item in found.draft.fields}


def field(found: Inferred, name: str) -> FieldDraft:
    return found.draft.field(name)


def written(found: Inferred) -> Contract:
    """The contract as it is read again from the text that a person is given."""
    return parse_contract(contract_text(found.draft.contract, found.draft.comments), "inferred.yaml")


def broken(found: Inferred, folder: Path, *paths: Path, partition: str | None = None) -> list[str]:
    """What the written contract says of a delivery, by the way that every delivery takes."""
    contract = written(found)
    delivery = collect_delivery(contract, list(paths), partition)
    candidate = take_candidate(contract, delivery, folder / "judged", received_at=AT)
    return [finding.id for finding in validate(contract, candidate, AT).breached()]
