"""Configuration of the Dagster side: where an environment keeps its things, and which moment is now."""

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from dagster._config.pythonic_config.resource import (
    ConfigurableResourceFactoryResourceDefinition as Definition,
)  # the public name is missing in 1.13
from dagster._utils.cached_method import cached_method  # as Dagster's own: one definition for each resource

from contract_core.environment import CHOSEN, Environment
from contract_core.environment_file import find_environment
from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.ledger import Ledger
from contract_core.publication.store import Store
from contract_core.publication.submit import store_of


class GateResource(dg.ConfigurableResource[None]):
    """The places of one environment and its clock.

    What is empty is left to environment variables and their file: `root` are the places, `environment_name` is one of
    environments.yaml, `catalog` begins the keys of assets. `as_of` fixes the moment of judgement. All of it is said where the
    definitions are written: the configuration of a run, which whoever may launch one can edit, changes nothing of it.
    """

    root: str = ""
    environment_name: str = ""
    catalog: str = ""
    as_of: str = ""

    @cached_method
    def get_resource_definition(self) -> Definition:
        """The resource as it was written; a run's configuration that names one of its fields is refused before the run begins.

        Environment variables that stand for a field are read when a run begins.
        """
        return Definition(
            type(self),
            lambda _: self.process_config_and_initialize(),
            {},
            "Where the gate keeps its things.",
            nested_resources={},
            nested_partial_resources={},
        )

    def environment(self) -> Environment:
        """The folders of this environment."""
        found = environment_at(Path(self.root) if self.root else None, self.environment_name)
        return replace(found, catalog=self.catalog) if self.catalog else found

    def now(self) -> datetime:
        """The moment that records carry."""
        return datetime.now(UTC)

    def moment_of_judgement(self) -> datetime:
        """The moment for which freshness is judged: now, unless the configuration fixes another one."""
        if not self.as_of:
            return self.now()
        moment = datetime.fromisoformat(self.as_of)
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)

    def ledger(self) -> Ledger:
        """The record of decisions."""
        return Ledger(self.environment().ledger)

    def store(self) -> Store:
        """The published tables."""
        return store_of(self.environment())


def environment_at(root: Path | None = None, name: str = "") -> Environment:
    """The environment that the process's variables and their file describe, below `root` and under `name` where they are given.

    Raises WrongUsageError where CONTRACT_GATE_ENV chooses another name: neither of the two may win in silence.
    """
    if not name:
        return find_environment(os.environ, root)
    chosen = os.environ.get(CHOSEN)
    if chosen and chosen != name:
        what = f"is '{chosen}', and the definitions are written for '{name}'"
        raise WrongUsageError(Problem(CHOSEN, what, "leave the variable out, or the environment in the definitions"))
    return find_environment({**os.environ, CHOSEN: name}, root)


def variables() -> Mapping[str, str]:
    """The variables of this process, for what is told by name where it stands."""
    return os.environ
