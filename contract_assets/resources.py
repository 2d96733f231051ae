"""Configuration of the Dagster side: where an environment keeps its things, and which moment is now."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg

from contract_core.environment import Environment
from contract_core.environment_file import find_environment
from contract_core.publication.ledger import Ledger
from contract_core.publication.store import Store
from contract_core.publication.submit import store_of


class GateResource(dg.ConfigurableResource[None]):
    """The places of one environment and its clock.

    An empty `root` leaves the places to environment variables; `as_of` fixes the moment of judgement.
    """

    root: str = ""
    as_of: str = ""

    def environment(self) -> Environment:
        """The folders of this environment."""
        return environment_at(Path(self.root) if self.root else None)

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


def environment_at(root: Path | None = None) -> Environment:
    """The environment that the process's variables and their file describe, below `root` where that is given."""
    return find_environment(os.environ, root)


def variables() -> Mapping[str, str]:
    """The variables of this process, for what is told by name where it stands."""
    return os.environ
