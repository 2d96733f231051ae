"""The component of `dg` users: `type: contract_assets.ContractGate` in a defs.yaml, and the same definitions as for everybody."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, get_args

import dagster as dg

from contract_assets.code_location import Job, Schedule, Sensor, Wanted, assemble
from contract_assets.resources import GateResource
from contract_core.bootstrap.project import first_contract
from contract_core.contract.model import Contract
from contract_core.contract.registry import read_contract, read_contracts
from contract_core.environment import CHOSEN
from contract_core.errors import InvalidContractError, Problem, UnknownContractError, WrongUsageError

_CATALOG = re.compile(r"[A-Za-z0-9_-]+")


def _told(description: str, *examples: object) -> dg.Resolver:
    """An attribute as it is written, with what an editor says of it."""
    resolver: dg.Resolver = dg.Resolver.default(description=description, examples=list(examples))
    return resolver


class FirstContract(dg.Scaffolder):
    """Writes defs.yaml and, where there is none yet, a first contract beside it, named as the folder."""

    def scaffold(self, request: dg.ScaffoldRequest) -> None:
        """Adds the component to the folder, or to the file of several that it is asked for."""
        dg.scaffold_component(request, {"contracts": ["contract.yaml"], "root": "{{ context.project_root }}"})
        folder = request.target_path.parent if request.append else request.target_path
        contract = folder / "contract.yaml"
        if not contract.exists():
            contract.write_text(first_contract(folder.name), "utf-8")


@dg.scaffold_with(FirstContract)
@dataclass
class ContractGate(dg.Component, dg.Resolvable):
    """Contracts that decide what is published: landing, candidate and published assets, their checks, and what runs them."""

    contracts: Annotated[
        str | Sequence[str] | None,
        _told(
            "A folder of contracts, or a list of contract files, relative to this file. Without it: contracts/ of the environment.",
            "contracts",
            ["contract.yaml"],
        ),
    ] = None
    root: Annotated[
        str | None,
        _told(
            "The folder with landing/, candidates/, published/, quarantine/ and ledger/, relative to this file. Without it: as "
            "CONTRACT_GATE_ROOT and environments.yaml say, else ./data.",
            "{{ context.project_root }}",
        ),
    ] = None
    environment: Annotated[
        str | None, _told("One of environments.yaml. Without it: the one that CONTRACT_GATE_ENV names.", "production")
    ] = None
    catalog: Annotated[
        str | None, _told("What the keys of all assets begin with. Without it: as environments.yaml says.", "prod")
    ] = None
    jobs: Annotated[
        Sequence[Job],
        _told("Which jobs are built; metrics and notify are for all contracts together.", ["publish", "recheck"]),
    ] = get_args(Job)
    schedules: Annotated[
        Sequence[Schedule] | None,
        _told("Which schedules are built, each for its job. Without it: those of the jobs.", ["publish"]),
    ] = None
    sensors: Annotated[
        Sequence[Sensor] | None,
        _told("Which sensors are built. Without it: landed, where the job publish is.", ["landed"]),
    ] = None

    candidates: Annotated[
        Mapping[str, str] | None,
        _told(
            "Your own assets as candidates, each by the name of its contract, as module and name: what they return is the delivery.",
            {"orders": "shop.assets.orders"},
        ),
    ] = None

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """The definitions for these contracts; what is wrong is told with the line of its attribute, or of the contract."""
        place = _Place(context)
        wanted = self._wanted(place)
        if self.catalog is not None and not _CATALOG.fullmatch(self.catalog):
            raise place.wrong("catalog", "cannot begin the key of an asset", "write letters, digits, _ and - only")
        root = "" if self.root is None else str(place.path(self.root))
        gate = _gate(root, self.environment or "", self.catalog or "")
        contracts = self._contracts(place, gate)
        try:
            return assemble(contracts, gate, wanted)
        except WrongUsageError as error:
            raise place.told_of("candidates", error) if self.candidates else error from None

    def _wanted(self, place: "_Place") -> Wanted:
        schedules = [name for name in get_args(Schedule) if name in self.jobs]
        sensors = [name for name in get_args(Sensor) if "publish" in self.jobs]
        wanted = Wanted(
            tuple(dict.fromkeys(self.jobs)),
            tuple(dict.fromkeys(schedules if self.schedules is None else self.schedules)),
            tuple(dict.fromkeys(sensors if self.sensors is None else self.sensors)),
            "" if self.contracts is None else place.suffix(),
            {name: _own_asset(place, name, written) for name, written in (self.candidates or {}).items()},
        )
        started = {"schedules": wanted.schedules, "sensors": ["publish" for _ in wanted.sensors]}
        for attribute, jobs in started.items():
            for job in [name for name in jobs if name not in wanted.jobs]:
                raise place.wrong(attribute, f"starts the job '{job}', which is not built", f"add {job} to jobs")
        return wanted

    def _contracts(self, place: "_Place", gate: GateResource) -> tuple[Contract, ...]:
        try:
            folder = gate.environment().contracts
        except WrongUsageError as error:
            raise place.told_again("environment", error) if self.environment else error from None
        if self.contracts is not None and not isinstance(self.contracts, str):
            return _each([place.path(name) for name in self.contracts])
        folder = folder if self.contracts is None else place.path(self.contracts)
        contracts = read_contracts(folder)
        if not contracts:
            written = [name for name in ("contracts", "root", "environment") if getattr(self, name) is not None]
            hint = "write one there, or name its file under contracts: [...]"
            raise place.wrong((written or ["contracts"])[0], f"no contract (*.yaml) lies in {folder}", hint)
        return contracts


def _own_asset(place: "_Place", contract: str, written: str) -> dg.AssetsDefinition:
    """The asset that stands in a module under a name."""
    module, _, name = written.rpartition(".")
    hint = "write module.name of a function with @dg.asset, such as shop.assets.orders"
    try:
        found = getattr(import_module(module), name, None) if module else None
    except ImportError as error:
        what = f"'{contract}' names {module}, which cannot be imported ({type(error).__name__})"
        raise place.wrong("candidates", what, hint) from None
    if not isinstance(found, dg.AssetsDefinition):
        raise place.wrong("candidates", f"'{contract}' names {written}, which is no asset", hint)
    return found


@cache
def _gate(root: str, environment: str, catalog: str) -> GateResource:
    """One object for the same terms: Dagster merges components only where their resource is the same."""
    return GateResource(root=root, environment_name=environment, catalog=catalog)


def _each(paths: Sequence[Path]) -> tuple[Contract, ...]:
    """The contracts of these files, in their order. Raises the problems of all that cannot be read, or say the same twice."""
    contracts: dict[str, Contract] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            contract = read_contract(path)
        except (InvalidContractError, UnknownContractError) as error:
            problems += error.problems
            continue
        if contract.name in contracts:
            what = f"contract '{contract.name}' stands in another file of the list too"
            problems.append(Problem(str(path), what, "keep one"))
        contracts[contract.name] = contract
    if problems:
        raise InvalidContractError(*problems)
    return tuple(contracts.values())


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a component is written: its folder, and the line of each attribute."""

    context: dg.ComponentLoadContext

    def path(self, written: str) -> Path:
        """A path as it is written, relative to the folder of the component."""
        here = self.context.path
        return (here if here.is_dir() else here.parent) / written

    def suffix(self) -> str:
        """What tells the component from the others of its project: its folder below defs/, and its number in a file of several."""
        here = self.context.component_path
        below = here.file_path.relative_to(self.context.defs_module_path).parts
        words = (*below, str(here.instance_key)) if here.instance_key else below
        return "".join("_" + re.sub(r"[^A-Za-z0-9]+", "_", word) for word in words)

    def wrong(self, attribute: str, what: str, hint: str) -> WrongUsageError:
        """What is wrong with an attribute, with its file, line and column."""
        return WrongUsageError(Problem(self._where(attribute), f"{attribute}: {what}", hint))

    def told_of(self, attribute: str, error: WrongUsageError) -> WrongUsageError:
        """What is wrong with what an attribute names, with the attribute's place before it."""
        where = self._where(attribute)
        return WrongUsageError(
            *(Problem(where, f"{attribute}: {item.where}: {item.what}", item.hint) for item in error.problems)
        )

    def told_again(self, attribute: str, error: WrongUsageError) -> WrongUsageError:
        """What is wrong with the environment that an attribute names, told where it is named."""
        where = self._where(attribute)
        told = (
            Problem(where, f"{attribute}: {item.what}", item.hint) if item.where == CHOSEN else item
            for item in error.problems
        )
        return WrongUsageError(*told)

    def _where(self, attribute: str) -> str:
        """The line of the attribute, or of the component where it is not written; its path where Python made it."""
        written = getattr(self.context.component_decl, "source_tree", None)
        if written is None:
            return str(self.context.path)
        position, _ = written.source_position_tree.lookup_closest_and_path(["attributes", attribute], None)
        return f"{position.filename}:{position.start.line}:{position.start.col}"
