"""The one Definitions object of this repository's example contracts. It only assembles."""

import dagster as dg

from contract_assets.code_location import build_definitions
from contract_assets.examples.run_duration_report import build_run_duration_report
from contract_assets.resources import GateResource, environment_at
from contract_core.contract.registry import read_contracts

__all__ = ["build_definitions", "defs", "example_definitions"]


def example_definitions() -> dg.Definitions:
    """The contracts in the environment's folder, and the report that reads one of the published tables."""
    environment = environment_at()
    contracts = read_contracts(environment.contracts)
    reports = [
        build_run_duration_report(contract, environment.catalog)
        for contract in contracts
        if contract.name == "run_durations"
    ]
    return dg.Definitions.merge(build_definitions(contracts, GateResource()), dg.Definitions(assets=reports))


defs = example_definitions()
