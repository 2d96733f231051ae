"""The registry: every released version of every contract, kept for good, in a folder or in a Delta table."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from contract_core.errors import Problem, WrongUsageError
from contract_core.releases.failures import told_reading
from contract_core.releases.folder_registry import FolderRegistry
from contract_core.releases.release import Release
from contract_core.releases.sealed import misread

_TABLE = "delta:"


class Registry(Protocol):
    """Where releases are kept. Reading verifies all that it gives; adding is all or nothing."""

    def versions(self) -> Mapping[str, tuple[str, ...]]:
        """The versions of every contract by its name, in order, unread."""

    def releases(self, name: str | None = None) -> tuple[Release, ...]:
        """All releases, of one contract where it is named. Raises ContractAlteredError with all that was altered or is missing."""

    def add(self, release: Release) -> Release:
        """The release as it is kept; the same digest again changes nothing. Raises ContractAlteredError for another one."""

    def problems(self, name: str | None = None) -> tuple[Problem, ...]:
        """Everything that was altered or is missing."""


def open_registry(place: Path | str) -> Registry:
    """The registry in a place: a Delta table where there is one or where `delta:` stands before the folder, else a folder.

    Raises WrongUsageError for `delta:` before nothing, or where both would be in one place, ContractCoreError where it cannot be read.
    """
    folder, is_table = _named(Path(place))
    with told_reading(folder):
        is_table = is_table or (folder / "_delta_log").exists() or any(folder.glob("*.parquet"))
    as_folder = FolderRegistry(folder)
    if not is_table:
        return as_folder
    if as_folder.versions():
        what = "holds releases as files, and would be a table too"
        raise WrongUsageError(Problem(f"registry {folder}", what, "name another folder for the table"))
    from contract_core.releases.table_registry import TableRegistry  # noqa: PLC0415 - loads dataframes, which few need

    return TableRegistry(folder)


def _named(place: Path) -> tuple[Path, bool]:
    """The folder, and whether it is said to be a table. A configured place may have been made absolute before the prefix."""
    for number, part in enumerate(place.parts):
        if part.startswith(_TABLE):
            first, rest = part.removeprefix(_TABLE), place.parts[number + 1 :]
            if not first and not rest:
                raise WrongUsageError(Problem(str(place), "names no folder", "write for example delta:data/registry"))
            before = place.parts[:number] if first else ("/",)
            return Path(*before, first, *rest), True
    return place, False


def verify(registry: Registry, name: str | None = None) -> tuple[Problem, ...]:
    """Everything that is wrong with the releases: altered, missing, or read with another digest by this version of contract-gate."""
    problems = registry.problems(name)
    if problems:
        return problems
    found = (misread(release) for release in registry.releases(name))
    return tuple(problem for problem in found if problem is not None)
