"""Test deliveries for a contract: the sample that keeps it, and one for each promise that it breaks, each judged by the gate itself."""

import json
import os
import re
import tempfile
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from contract_core.bootstrap.broken import Fault, faults_of
from contract_core.bootstrap.samples import Sample, read_sample
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.errors import Problem, WrongUsageError
from contract_core.validation.obligations import obligations_of
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome

EXPECTED = "expected.json"
_MOST_PROMISES = 500  # each is judged as a delivery of its own


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

    The folder appears whole, or not at all; the files hold values of the sample, so they are made for their owner alone.
    Raises WrongUsageError for a sample that does not keep the contract itself, or a folder that holds something already.
    """
    target = Path(os.path.realpath(folder))
    _refuse_taken(target, folder)
    _refuse_many(contract)
    sample = read_sample(contract, path)
    broken = _judged(contract, path, asked)
    if broken:
        what = f"does not keep the contract itself: {', '.join(broken)}"
        raise WrongUsageError(Problem(str(path), what, "give a sample that `check` accepts"))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".contract-gate-fixtures-", dir=target.parent) as beside:
        fresh = Path(beside) / "fixtures"
        fresh.mkdir(mode=0o700)
        found = _all_written(contract, sample, fresh, asked)
        _refuse_taken(target, folder)
        fresh.rename(target)  # over an empty folder, and never over one that holds something
    return found


def refuse_classified(contract: Contract, path: Path) -> None:
    """Raises WrongUsageError for a sample with classified values: fixtures are copied into repositories."""
    classified = [field.name for field in contract.fields if field.classification in ("confidential", "restricted")]
    if classified:
        what = f"may hold classified values ({', '.join(classified)}), and every fixture would be a copy of them"
        raise WrongUsageError(Problem(str(path), what, "invent the sample, and say so: --invented"))


def _refuse_many(contract: Contract) -> None:
    count = len(obligations_of(contract))
    if count > _MOST_PROMISES:
        what = f"makes {count:,} promises, and each of up to {_MOST_PROMISES:,} is broken in a file of its own"
        raise WrongUsageError(Problem(f"contract '{contract.name}'", what, "cut it to the fields that matter most"))


def _refuse_taken(target: Path, folder: Path) -> None:
    if target.is_dir() and not any(target.iterdir()):
        return
    if os.path.lexists(target):
        what = "holds something already" if target.is_dir() else "is no folder"
        raise WrongUsageError(Problem(str(folder), what, "name a new folder"))


def _all_written(contract: Contract, sample: Sample, folder: Path, asked: Asked) -> Fixtures:
    asked = replace(asked, warnings=True)
    found = tuple(
        fixture
        for fault in faults_of(contract, sample)
        if (fixture := _written(contract, fault, folder, asked)) is not None
    )
    shown = {fixture.breaks for fixture in found}
    not_shown = tuple(item.id for item in obligations_of(contract) if item.id not in shown)
    _write(folder / EXPECTED, _document(contract, found, not_shown).encode())
    return Fixtures(found, not_shown)


def _write(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(content)


def _written(contract: Contract, fault: Fault, folder: Path, asked: Asked) -> Fixture | None:
    """The file of one fault; None, and no file, where the gate does not see that it breaks what it was made to break."""
    target = folder / _file_name(fault, folder)
    _write(target, fault.sample.write(fault.sample))
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
