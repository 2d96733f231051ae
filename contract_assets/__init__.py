"""The same story, told to Dagster: contracts become landing, candidate and published assets, reports become asset checks."""

from contract_assets.component import ContractGate

__all__ = ["ContractGate"]
