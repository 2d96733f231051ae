"""The contracts, and the policy, as they stood at a commit: what the version gate holds a branch against."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.part_list import Read, with_listed_parts
from contract_core.contract.registry import SUFFIXES
from contract_core.contract.term_file import read_terms
from contract_core.diff.policy import Policy
from contract_core.errors import ContractCoreError, InvalidContractError, Problem, WrongUsageError

POLICY = "changes/policy.yaml"
"""Where the policy stands, below the folder of contracts."""
_PATIENCE = 60
_FILE, _LINK = "blob", "120000"
_EXCLUDED = b"^"
_OTHER_BASE = "name another commit as --base, or what was released: --registry"


@dataclass(frozen=True, slots=True)
class Base:
    """What one commit promised: its contracts by name, the file each of them stood in, and the policy that was in force."""

    contracts: dict[str, Contract]
    files: dict[str, Path]
    policy: Policy


@dataclass(frozen=True, slots=True)
class _Entry:
    """One name in a folder at a commit, and the object that git keeps under it."""

    mode: str
    kind: str
    object: str
    name: str


def read_base(reference: str, folder: Path) -> Base:
    """The contracts of `folder` at the commit that `reference` names; a folder that was not there then had none.

    Raises WrongUsageError where there is no such commit or git cannot be asked, InvalidContractError where a contract of that
    commit cannot be read.
    """
    if not folder.is_dir():
        raise WrongUsageError(Problem(str(folder), "is no folder of contracts", _elsewhere(folder)))
    commit = _commit(reference, folder)
    entries = [entry for entry in _listed(commit, "./", folder) if _is_contract(entry)]
    contracts: dict[str, Contract] = {}
    files: dict[str, Path] = {}
    problems = [*_links(entries, reference, folder)]
    for entry, content in zip(entries, _contents(entries, folder), strict=True):
        file = folder / entry.name
        try:
            stated = parse_contract(content, f"{reference}:{file}")
            contract = with_listed_parts(stated, _lists(commit, reference, folder), f"{reference}:{folder}/")
        except InvalidContractError as error:
            problems.extend(error.problems)
            continue
        if contract.name in contracts:
            what = f"contract '{contract.name}' stood in another file of the folder too"
            problems.append(Problem(f"{reference}:{file}", what))
        contracts[contract.name], files[contract.name] = contract, file
    if problems:
        what = "the contracts of that commit cannot be read, so nothing can be held against them"
        raise InvalidContractError(*problems, Problem("--base", what, _OTHER_BASE))
    return Base(contracts, files, _policy(commit, reference, folder))


def _elsewhere(folder: Path) -> str:
    is_here = Path("contracts").is_dir() and folder != Path("contracts")
    return "contracts/ is here: add --root ." if is_here else "name another --root: the folder above contracts/"


def _commit(reference: str, folder: Path) -> str:
    given = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}"]
    found = _git(given, folder)
    if found.returncode == 0 and not found.stdout.startswith(_EXCLUDED):
        return found.stdout.decode("ascii").strip()
    is_repository = _git(["rev-parse", "--git-dir"], folder).returncode == 0
    if not is_repository:
        hint = "put the contracts into one that you own (or name it as safe.directory in git's configuration), or name --registry"
        raise WrongUsageError(Problem(str(folder), "is in no git repository that can be read", hint))
    hint = "name a branch, a tag or a commit that is here; a shallow clone has few: fetch the whole history"
    raise WrongUsageError(Problem("--base", f"git knows no commit '{reference}'", hint))


def _is_contract(entry: _Entry) -> bool:
    return entry.kind == _FILE and Path(entry.name).suffix in SUFFIXES and not entry.name.startswith(".")


def _links(entries: Sequence[_Entry], reference: str, folder: Path) -> Iterator[Problem]:
    for entry in entries:
        if entry.mode == _LINK:
            what = "was a link at that commit, and links are not followed there"
            yield Problem(f"{reference}:{folder / entry.name}", what, "put the contract itself there")


def _listed(commit: str, path: str, folder: Path) -> tuple[_Entry, ...]:
    """What stood at a path below the folder, sorted by name."""
    listed = _answer(["ls-tree", "-z", commit, "--", path], folder)
    return tuple(
        sorted((_entry(line) for line in listed.split(b"\0") if line), key=lambda entry: entry.name),
    )


def _entry(line: bytes) -> _Entry:
    facts, _, name = line.partition(b"\t")
    mode, kind, key = facts.decode("ascii").split()
    return _Entry(mode, kind, key, os.fsdecode(name))


def _contents(entries: Sequence[_Entry], folder: Path) -> Iterator[bytes]:
    """The bytes of each entry, in order, from one process."""
    if not entries:
        return
    asked = "".join(f"{entry.object}\n" for entry in entries).encode("ascii")
    answer = _answer(["cat-file", "--batch"], folder, asked)
    place = 0
    for _ in entries:
        head, _, _ = answer[place : place + 200].partition(b"\n")
        if head.count(b" ") != 2:
            raise _unanswered("cat-file", folder)
        begin = place + len(head) + 1
        place = begin + int(head.split()[2]) + 1
        yield answer[begin : place - 1]


def _lists(commit: str, reference: str, folder: Path) -> Read:
    """How a list of required parts is read that lay below the folder at a commit."""

    def read(name: str) -> bytes:
        entries = [entry for entry in _listed(commit, f"./{name}", folder) if entry.kind == _FILE]
        if not entries or entries[0].mode == _LINK:
            what = "the list of required parts was not there at that commit, or was a link"
            raise InvalidContractError(Problem(f"{reference}:{folder}/{name}", what))
        return next(_contents(entries, folder))

    return read


def _policy(commit: str, reference: str, folder: Path) -> Policy:
    entries = _listed(commit, f"./{POLICY}", folder)
    content = next(_contents(entries, folder), None)
    return Policy() if content is None else read_terms(Policy, content, f"{reference}:{folder / POLICY}")


def _answer(arguments: list[str], folder: Path, given: bytes = b"") -> bytes:
    """What git says. Raises WrongUsageError where it fails: no answer is not the same as nothing there."""
    found = _git(arguments, folder, given)
    if found.returncode:
        raise _unanswered(arguments[0], folder)
    return found.stdout


def _unanswered(command: str, folder: Path) -> WrongUsageError:
    what = f"git {command} could not read that commit in {folder}"
    return WrongUsageError(Problem("--base", what, "fetch the whole history, with all of its objects, and try again"))


def _git(arguments: list[str], folder: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - a list of arguments, no shell
            ["git", *arguments],  # noqa: S607 - whichever git the user has
            cwd=folder, check=False, capture_output=True, timeout=_PATIENCE, env=_surroundings(), input=given,
        )  # fmt: skip
    except (FileNotFoundError, PermissionError):
        error: ContractCoreError = WrongUsageError(
            Problem("--base", "there is no git here that can be run", "install git, or name --registry")
        )
    except subprocess.TimeoutExpired:
        error = WrongUsageError(Problem("--base", f"git did not answer within {_PATIENCE} seconds", "try it by hand"))
    raise error


def _surroundings() -> dict[str, str]:
    """Without what a git hook sets for its own repository: the folder alone says which repository is meant."""
    own = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | own
