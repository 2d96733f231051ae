"""Test deliveries for a contract: the sample that keeps it, and one for each promise that it breaks, each judged by the gate itself."""

import json
import re
import tempfile
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from contract_core.bootstrap.broken import Fault, faults_of
from contract_core.bootstrap.samples import read_sample
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.errors import Problem, WrongUsageError
from contract_core.validation.obligations import obligations_of
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome

EXPECTED = "expected.json"


@dataclass(frozen=True, slots=True)
class Fixture:
    """One file, the obligation that it was made to break, and all that it breaks."""

    file: str
    breaks: str
    breached: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fixtures:
    """What was written, and the obligations that no file here breaks: those need a row that a person writes."""

    fixtures: tuple[Fixture, ...]
    not_shown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The partition under which a sample is offered, and the moment for which it is judged."""

    partition: str | None
    as_of: datetime
    warnings: bool = False


def write_fixtures(contract: Contract, path: Path, folder: Path, asked: Asked) -> Fixtures:
    """Writes one file for each promise that can be broken, and `expected.json` with what each breaks.

    Raises WrongUsageError for a sample that does not keep the contract itself, or a folder that holds something already.
    """
    sample = read_sample(contract, path)
    broken = _judged(contract, path, asked)
    if broken:
        what = f"does not keep the contract itself: {', '.join(broken)}"
        raise WrongUsageError(Problem(str(path), what, "give a sample that `check` accepts"))
    if folder.exists() and any(folder.iterdir()):
        raise WrongUsageError(Problem(str(folder), "holds something already", "name a new folder"))
    folder.mkdir(parents=True, exist_ok=True)
    asked = replace(asked, warnings=True)
    found = tuple(
        fixture
        for fault in faults_of(contract, sample)
        if (fixture := _written(contract, fault, folder, asked)) is not None
    )
    shown = {fixture.breaks for fixture in found}
    not_shown = tuple(item.id for item in obligations_of(contract) if item.id not in shown)
    (folder / EXPECTED).write_text(_document(contract, found, not_shown), "utf-8")
    return Fixtures(found, not_shown)


def _written(contract: Contract, fault: Fault, folder: Path, asked: Asked) -> Fixture | None:
    """The file of one fault; None, and no file, where the gate does not see that it breaks what it was made to break."""
    target = folder / _file_name(fault, folder)
    target.write_bytes(fault.sample.write(fault.sample))
    breached = _judged(contract, target, asked)
    if fault.breaks in breached:
        return Fixture(target.name, fault.breaks, breached)
    target.unlink()
    return None


def _file_name(fault: Fault, folder: Path) -> str:
    """A name for any field: what is no letter, digit or underscore in it is left out."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "_", fault.name)[:100]
    taken = sum(1 for path in folder.glob(f"{stem}*") if path.is_file())
    return f"{stem}{f'_{taken}' if taken else ''}{fault.sample.suffix}"


def _judged(contract: Contract, path: Path, asked: Asked) -> tuple[str, ...]:
    """The obligations that a file breaks; those that only warn where they are asked for."""
    with tempfile.TemporaryDirectory(prefix="contract-gate-") as kept:
        delivery = collect_delivery(contract, [path], asked.partition)
        candidate = take_candidate(contract, delivery, Path(kept), received_at=asked.as_of)
        report = validate(contract, candidate, asked.as_of)
    held_back = (finding for finding in report.findings if finding.severity is Severity.ERROR or asked.warnings)
    return tuple(finding.id for finding in held_back if finding.outcome is Outcome.BREACHED)


def _document(contract: Contract, found: tuple[Fixture, ...], not_shown: tuple[str, ...]) -> str:
    document = {
        "contract": contract.name,
        "version": contract.version,
        "fixtures": [{"file": item.file, "breaks": item.breaks, "breached": list(item.breached)} for item in found],
        "not_shown": list(not_shown),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
