"""Which rules of a field hold publication back: those that a format without warnings may enforce."""

from contract_core.contract.field_rules import declared_rules
from contract_core.contract.model import Field
from contract_core.contract.promises import Severity


def holds_back(field: Field, rule: str) -> bool:
    """True where the field has the rule and a breach of it holds publication back."""
    return rule in declared_rules(field) and field.severity_of(rule) is Severity.ERROR


def takes_null(field: Field) -> bool:
    """True where a null does not hold a row back."""
    return not holds_back(field, "null")
