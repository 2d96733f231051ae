"""A contract as JSON Schema (draft 2020-12) of one record: as it is delivered in JSON, or would be.

A schema lets through every record that the gate lets through. What only warns, and what has no keyword, stands in it under
`x-contract-gate-…` for people to read.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.exports.exported import Exported
from contract_core.exports.json_source import json_source
from contract_core.exports.json_values import value_schema, why_partly
from contract_core.exports.left_out import beyond_one_record, only_warns, sentences
from contract_core.exports.source_text import generated_note
from contract_core.validation.obligations import Obligation

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_OWN = "x-contract-gate-"
_FIELD_TERMS = ("unit", "classification", "renamed_from", "sunset")
_CARRIED = frozenset(
    {"description", "status", "sunset", "domain", "purpose", "grain", "population",
     *(f"fields.{name}" for name in (*_FIELD_TERMS, "description", "semantics"))}
)  # fmt: skip


def json_schema(contract: Contract) -> Exported:
    """The schema of one record, with its properties in the contract's order."""
    document = {
        "$schema": _DIALECT,
        "$comment": generated_note(contract, "json-schema"),
        "title": contract.name,
        **({"description": contract.description} if contract.description else {}),
        f"{_OWN}version": contract.version,
        **_own_terms(contract),
        "type": "object",
        "properties": {field.name: _property(field, contract) for field in contract.fields},
        "required": [field.name for field in contract.fields if field.required],
        "additionalProperties": contract.extra_fields != "reject",
    }
    return Exported(
        json_source(document), sentences(contract, lambda item: _why(item, contract), _CARRIED, _partly(contract))
    )


def _why(obligation: Obligation, contract: Contract) -> str:
    if obligation.rule == "row_rule":
        return "a condition in SQL has no keyword; it stands in x-contract-gate-rules"
    if obligation.rule == "missing":
        return ""
    reason = beyond_one_record(obligation) or only_warns(obligation)
    if reason or obligation.field is None:
        return reason
    return why_partly(contract.field(obligation.field), contract).get(obligation.rule, "")


def _partly(contract: Contract) -> Iterator[tuple[str, str]]:
    for field in contract.fields:
        if reason := why_partly(field, contract).get("type"):
            yield f"{field.name}.type", reason


def _property(field: Field, contract: Contract) -> dict[str, Any]:
    words = "\n".join(text for text in (field.description, field.semantics) if text)
    return {
        **({"description": words} if words else {}),
        f"{_OWN}type": str(field.type),
        **_own_field_terms(field, contract),
        **value_schema(field, contract),
    }


def _own_terms(contract: Contract) -> dict[str, Any]:
    stated = contract.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    names = ("status", "sunset", "domain", "purpose", "grain", "population", "key", "rules", "unique", "duplicate_rows")
    return {f"{_OWN}{_with_dashes(name)}": stated[name] for name in names if name in stated}


def _own_field_terms(field: Field, contract: Contract) -> dict[str, Any]:
    """What is said of a field and has no keyword, or has one that would refuse what the gate lets through."""
    stated = field.model_dump(mode="json", exclude_defaults=True)
    told: list[str] = list(_FIELD_TERMS)
    reasons: Mapping[str, str] = why_partly(field, contract)
    for rule, names in _NAMES_OF_RULES.items():
        if rule in reasons or field.severity_of(rule) is Severity.WARN:
            told += names
    return {f"{_OWN}{_with_dashes(name)}": stated[name] for name in told if name in stated}


_NAMES_OF_RULES = {
    "null": ("nullable",), "not_finite": ("allow_nan",), "enum": ("enum",), "pattern": ("pattern",), "range": ("min", "max"),
    "length": ("min_length", "max_length"), "blank": ("not_blank",), "untrimmed": ("trimmed",),
}  # fmt: skip


def _with_dashes(name: str) -> str:
    return name.replace("_", "-")
