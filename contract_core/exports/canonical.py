"""A contract as canonical JSON: one text for every order of keys and every spelling of a default, and its digest."""

import json

from contract_core.contract.model import Contract
from contract_core.exports.exported import Exported


def canonical_json(contract: Contract) -> Exported:
    """What the contract states beyond the defaults, and the digest of just that part as it stands in the text."""
    stated = contract.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    document = {"contract": stated, "digest": contract.digest, "generator": "contract-gate"}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Exported(f"{text}\n")
