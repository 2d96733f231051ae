"""What a published table is to enforce for one obligation, and which of its columns hold no null: told without reading SQL."""

import re
from dataclasses import dataclass

from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.validation.obligations import Obligation

RULE_NAME = re.compile(r"gate_[a-z0-9_]{1,80}_[0-9a-f]{8}")
"""What the name of every constraint of ours looks like, and of no other."""


@dataclass(frozen=True, slots=True)
class TargetRule:
    """What the published table is to enforce for one obligation: a named predicate, or None and why not."""

    obligation: Obligation
    name: str
    predicate: str | None
    why_not: str = ""


def not_null_fields(contract: Contract) -> tuple[str, ...]:
    """The fields whose published column never holds null, in the contract's order."""
    if contract.enforcement.on_breach == "warn":
        return ()
    return tuple(field.name for field in contract.fields if is_never_null(field))


def is_never_null(field: Field) -> bool:
    """True where the gate lets no null of the field through, absent values included."""
    return field.required and not field.nullable and field.severity_of("null") is Severity.ERROR
