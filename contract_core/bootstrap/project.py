"""A Dagster project around a folder of contracts, as files to write; nothing of what is there already is touched."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from contract_core.candidate.landing import landed_partitions
from contract_core.contract.model import Contract
from contract_core.contract.partition import first_key
from contract_core.contract.registry import contract_files, read_contracts
from contract_core.errors import Problem, WrongUsageError

_EXAMPLE = "orders"
_GOOD, _BAD = "2026-01-05", "2026-01-06"
_LAUNCH = f"dg launch --job publish_{_EXAMPLE} --partition"
_HOME = "export DAGSTER_HOME=$PWD/.dagster CONTRACT_GATE_ROOT=$PWD"
_AROUND_EXAMPLE = (
    _HOME,
    f"{_LAUNCH} {_GOOD}   # keeps its contract: published",
    f"{_LAUNCH} {_BAD}   # breaks it: refused",
    "dg dev",
)
_IS_CONTRACT = re.compile(rb"^contract:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a project by their path in its folder, and the commands to go on with."""

    folder: Path
    files: Mapping[str, str]
    next_commands: tuple[str, ...]

    def missing(self) -> tuple[str, ...]:
        """The files that are not there yet."""
        return tuple(name for name in self.files if not (self.folder / name).exists())


def plan_project(folder: Path) -> Project:
    """The project for the contracts in `folder`, or for an example where there are none.

    Raises WrongUsageError with everything that is in the way, InvalidContractError where a contract is wrong.
    """
    _refuse_loose_contracts(folder)
    contracts = read_contracts(folder / "contracts")
    is_example = all(_is_the_example(path) for path in contract_files(folder / "contracts"))
    commands = _AROUND_EXAMPLE if is_example else tuple(_around(contracts[0], folder))
    name = _words(Path(os.path.realpath(folder)).name)
    module = f"gate_{name or 'project'}"
    terms = {"project": module.replace("_", "-"), "module": module, "next": "\n".join(commands)}
    wanted = {
        "pyproject.toml": _filled("pyproject.toml.txt", terms),
        f"{module}/__init__.py": _filled("package.py.txt", terms),
        f"{module}/definitions.py": _filled("definitions.py.txt", terms),
        f"{module}/defs/gate/defs.yaml": _filled("defs.yaml.txt", terms),
        ".dagster/dagster.yaml": _text("dagster.yaml.txt"),
        ".gitignore": _filled("gitignore.txt", terms),
        ".github/workflows/contracts.yml": _filled("workflow.yml.txt", terms),
        "README.md": _filled("readme.md.txt", terms),
    }
    project = Project(folder, _with_example(wanted) if is_example else wanted, commands)
    problems = tuple(_in_the_way(project))
    if problems:
        raise WrongUsageError(*problems)
    return project


def write_project(project: Project) -> tuple[str, ...]:
    """Writes every file that is not there yet, and gives their names; what somebody else makes meanwhile is not overwritten."""
    missing = project.missing()
    for name in missing:
        path = project.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(project.files[name])
    (project.folder / "landing").mkdir(exist_ok=True)
    return missing


def first_contract(name: str) -> str:
    """A small contract to begin with; `name` is cut to what a contract can be called."""
    words = _words(name)
    return _filled("contract.yaml.txt", {"contract": words if words[:1].isalpha() else _EXAMPLE})


def _around(contract: Contract, folder: Path) -> Iterator[str]:
    """How to go on with contracts that were there: one of them all the way, for a partition that has landed or else the first.

    Partitions by value are not known to Dagster before its sensor has seen them.
    """
    yield _HOME
    yield "contract-gate lint contracts"
    terms = contract.delivery.partition
    if terms is None:
        yield f"dg launch --job publish_{contract.name}"
    elif terms.every is not None:
        key = next(reversed(landed_partitions(contract, folder / "landing")), None) or first_key(terms)
        yield f"dg launch --job publish_{contract.name} --partition {key}"
    yield "dg dev"


def _with_example(wanted: Mapping[str, str]) -> dict[str, str]:
    landing = f"landing/{_EXAMPLE}"
    return {
        **wanted,
        ".gitignore": wanted[".gitignore"] + _text("gitignore_example.txt"),
        f"contracts/{_EXAMPLE}.yaml": first_contract(_EXAMPLE),
        f"{landing}/{_GOOD}/{_EXAMPLE}.csv": _text("good.csv"),
        f"{landing}/{_BAD}/{_EXAMPLE}.csv": _text("bad.csv"),
    }


def _in_the_way(project: Project) -> Iterator[Problem]:
    """What is there and would have to be another thing. A file with the same text is none: a second attempt completes the first."""
    folders = {parent for name in project.files for parent in Path(name).parents} | {Path("landing")}
    for place in (project.folder / name for name in sorted(folders)):
        if os.path.lexists(place) and not place.is_dir():
            yield Problem(str(place), "is no folder", "move it away, or name another folder; nothing was written")
    for name, text in project.files.items():
        path = project.folder / name
        if os.path.lexists(path) and not _says(path, text):
            yield Problem(str(path), "is there already", "move it away, or name another folder; nothing was written")


def _is_the_example(path: Path) -> bool:
    """True for what an attempt before this one wrote, and nobody has edited."""
    return path.name == f"{_EXAMPLE}.yaml" and _says(path, first_contract(_EXAMPLE))


def _says(path: Path, text: str) -> bool:
    return path.is_file() and path.stat().st_size == len(text.encode()) and path.read_bytes() == text.encode()


def _refuse_loose_contracts(folder: Path) -> None:
    loose = [path for path in contract_files(folder) if path.is_file() and _IS_CONTRACT.search(path.read_bytes())]
    if loose:
        hint = f"move it into {folder / 'contracts'}; nothing was written"
        raise WrongUsageError(*(Problem(str(path), "is a contract outside of contracts/", hint) for path in loose))


def _words(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _filled(template: str, terms: Mapping[str, str]) -> str:
    return Template(_text(template)).substitute(terms)


def _text(name: str) -> str:
    return (files("contract_core.bootstrap") / "templates" / name).read_text("utf-8")
