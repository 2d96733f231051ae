"""The contracts of a working folder, held against what is published: a commit, or a registry. Reads files and decides nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import contract_files, read_file, with_parts_beside
from contract_core.contract.writing import contract_text
from contract_core.diff.policy import Policy
from contract_core.diff.record import ChangeRecord
from contract_core.diff.release import Published, Successor, examine, farewell
from contract_core.errors import InvalidContractError, Problem, WrongUsageError
from contract_core.operations.git_base import Base, read_base
from contract_core.operations.record_files import POLICY, RECORDS, policy_of, record_at
from contract_core.releases.folder_registry import FolderRegistry
from contract_core.releases.publishing import published_before
from contract_core.releases.registry import Registry, open_registry

_POLICY_EDITED = (
    "this branch edits the policy: the one that is published judges it, and the new one judges what comes after"
)


@dataclass(frozen=True, slots=True)
class Working:
    """One contract of the working folder, with the file that it stands in."""

    contract: Contract
    file: Path
    text: bytes

    @property
    def whole_text(self) -> str:
        """The contract as a text that needs no other file: as it stands, unless a list of parts was read into it."""
        stated = parse_contract(self.text, str(self.file))
        return self.text.decode() if stated == self.contract else contract_text(self.contract)


@dataclass(frozen=True, slots=True)
class Held:
    """One contract held against what is published; `working` is None for one that is gone from `file`."""

    successor: Successor
    file: Path
    working: Working | None = None


def working_contracts(folder: Path) -> tuple[Working, ...]:
    """Every contract of the folder with its file. Raises InvalidContractError with the problems of all files."""
    found: dict[str, Working] = {}
    problems: list[Problem] = []
    for path in contract_files(folder):
        try:
            working = working_contract(path)
        except InvalidContractError as error:
            problems.extend(error.problems)
            continue
        if working.contract.name in found:
            what = f"contract '{working.contract.name}' stands in another file of the folder too"
            problems.append(Problem(str(path), what, "keep one"))
        found[working.contract.name] = working
    if problems:
        raise InvalidContractError(*problems)
    return tuple(found[name] for name in sorted(found))


def working_contract(path: Path) -> Working:
    """The contract of one file. Raises InvalidContractError, or UnknownContractError where the file cannot be read."""
    text = read_file(path)
    return Working(with_parts_beside(parse_contract(text, str(path)), path), path, text)


def folder_against_commit(reference: str, folder: Path, today: date) -> tuple[Held, ...]:
    """Every contract of the folder, and every one that is gone from it, against the folder at a commit.

    Raises WrongUsageError where there is nothing to hold, since that is no answer, and as `read_base` does.
    """
    working, base = working_contracts(folder), read_base(reference, folder)
    if not working and not base.contracts:
        raise _nothing(folder)
    return (*_against(base, working, today), *_gone(base, set(base.contracts) - _names(working), today))


def files_against_commit(reference: str, files: Iterable[Path], today: date) -> tuple[Held, ...]:
    """The contracts of these files, each against its own folder at a commit; and what one of the files held then, if that is gone.

    Raises as `read_base` does.
    """
    folders: dict[Path, list[Working]] = {}
    for file in files:
        folders.setdefault(file.parent, []).append(working_contract(file))
    found: list[Held] = []
    for folder, working in folders.items():
        base = read_base(reference, folder)
        found += _against(base, working, today)
        found += _gone(base, _taken_away(base, working, folder), today)
    return tuple(found)


def against_registry(place: Path, working: Sequence[Working], today: date) -> tuple[Held, ...]:
    """These contracts against the newest release that each of them follows.

    Raises WrongUsageError where there is no registry: that a name is misspelled does not mean that nothing was ever released.
    """
    registry = existing_registry(place)
    policy = registry_policy(registry)
    return tuple(hold(item, published_before(registry, item.contract, today), policy, today) for item in working)


def existing_registry(place: Path) -> Registry:
    """The registry in a place. Raises WrongUsageError where there is none, so that a misspelled name is no new registry."""
    registry = open_registry(place)
    if not registry_root(registry).is_dir():
        hint = "name the folder in which releases are kept; make it, empty, where nothing was released yet"
        raise WrongUsageError(Problem(f"registry {place}", "is not there", hint))
    return registry


def registry_root(registry: Registry) -> Path:
    """The folder in which a registry of either kind lies."""
    if isinstance(registry, FolderRegistry):
        return registry.root
    from contract_core.releases.table_registry import TableRegistry  # noqa: PLC0415 - loads dataframes, which few need

    assert isinstance(registry, TableRegistry)
    return registry.root


def registry_policy(registry: Registry) -> Policy:
    """The policy that lies in the registry's folder; the default where there is none. Raises WrongUsageError for a wrong file."""
    return policy_of(registry_root(registry) / POLICY)


def hold(working: Working, published: Published | None, policy: Policy, today: date) -> Held:
    """One contract against what is published of it, with the record that stands beside it. Raises as `record_of` does."""
    return Held(examine(published, working.contract, today, policy, record_of(working)), working.file, working)


def _against(base: Base, working: Sequence[Working], today: date) -> list[Held]:
    published = {name: Published(contract) for name, contract in base.contracts.items()}
    held = [hold(item, published.get(item.contract.name), base.policy, today) for item in working]
    is_edited = any(
        policy_of(folder / RECORDS / POLICY) != base.policy for folder in {item.file.parent for item in working}
    )
    return [_with_note(item, _POLICY_EDITED) for item in held] if is_edited else held


def _with_note(held: Held, note: str) -> Held:
    return replace(held, successor=replace(held.successor, notes=(*held.successor.notes, note)))


def _gone(base: Base, names: Iterable[str], today: date) -> list[Held]:
    return [Held(farewell(Published(base.contracts[name]), today), base.files[name]) for name in sorted(names)]


def _taken_away(base: Base, working: Sequence[Working], folder: Path) -> set[str]:
    """The contracts that one of the files held at the base, and that no file of the folder holds any more."""
    files = {item.file.name for item in working}
    lost = {name for name, file in base.files.items() if file.name in files} - _names(working)
    return lost - _names(working_contracts(folder)) if lost else lost


def _names(working: Iterable[Working]) -> set[str]:
    return {item.contract.name for item in working}


def _nothing(folder: Path) -> WrongUsageError:
    return WrongUsageError(
        Problem(str(folder), "holds no contract, and held none at the base", "name another --root, or contract files")
    )


def record_path(working: Working) -> Path:
    """Where the record of the contract's version belongs."""
    contract = working.contract
    return working.file.parent / RECORDS / contract.name / f"{contract.version}.yaml"


def record_of(working: Working) -> ChangeRecord | None:
    """What people said about the version; None where nobody said anything. Raises WrongUsageError for a file that is wrong."""
    path = record_path(working)
    if not path.exists():
        return None
    return record_at(path, working.contract.name, working.contract.version)
