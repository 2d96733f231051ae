"""Contracts, candidates, validation and publication; knows nothing of Dagster.

The names below are the library's own interface. They load on first use, so that linting a contract loads no dataframe.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "Candidate": "contract_core.candidate.snapshot",
    "Contract": "contract_core.contract.model",
    "ContractCoreError": "contract_core.errors",
    "Decision": "contract_core.publication.decision",
    "Environment": "contract_core.environment",
    "Finding": "contract_core.validation.report",
    "Ledger": "contract_core.publication.ledger",
    "Outcome": "contract_core.validation.report",
    "Severity": "contract_core.contract.promises",
    "Store": "contract_core.publication.store",
    "ValidationReport": "contract_core.validation.report",
    "Verdict": "contract_core.publication.decision",
    "collect_delivery": "contract_core.candidate.delivery",
    "decide": "contract_core.publication.decision",
    "find_contract": "contract_core.contract.registry",
    "obligations_of": "contract_core.validation.obligations",
    "pandera_schema": "contract_core.exports.pandera_schema",
    "parse_contract": "contract_core.contract.parsing",
    "publish": "contract_core.publication.publish",
    "read_contract": "contract_core.contract.registry",
    "record_decision": "contract_core.publication.publish",
    "take_candidate": "contract_core.candidate.snapshot",
    "validate": "contract_core.validation.plan",
}

__all__ = sorted(_HOME)  # noqa: PLE0605 - one list of names, not two


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the interface's own objects
    if name not in _HOME:
        raise AttributeError(f"module 'contract_core' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)
