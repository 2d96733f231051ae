"""The JSON Schema of the contract language, generated from the model, for editors that complete and check as one types."""

from typing import Any

from contract_core.contract.model import Contract

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def language_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a native contract file; cross-references between parts are the parser's to check."""
    schema = Contract.model_json_schema(by_alias=True, mode="validation")
    schema["title"] = "contract-gate contract"
    schema["description"] = "What a producer promises about one table."
    return {"$schema": _DIALECT, **schema}
