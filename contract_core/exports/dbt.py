"""A contract as a dbt model file: columns with types, constraints in DuckDB's SQL, and tests that warn.

The conditions are those that a target table gets from the same obligations. What dbt would read as Jinja is left out and named.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.exports.dbt_constraints import (
    JINJA,
    Constraint,
    constraints_of,
    data_type,
    is_jinja,
    partly_kept,
    why_unnamed,
)
from contract_core.exports.exported import Exported
from contract_core.exports.left_out import only_warns, sentences
from contract_core.exports.source_text import generated_note
from contract_core.validation.obligations import Obligation

_META = ("status", "sunset", "domain", "purpose", "grain", "population", "owners", "unverified")
_FIELD_META = ("unit", "classification", "renamed_from", "sunset")
_CARRIED = frozenset(
    {"description", *_META, *(f"fields.{name}" for name in (*_FIELD_META, "description", "semantics"))}
)


def dbt_model(contract: Contract) -> Exported:
    """The properties of one model, named after the contract, with an enforced contract where every column can be named."""
    constraints = {item.obligation.id: item for item in constraints_of(contract)}
    named = [field for field in contract.fields if not why_unnamed(field.name)]
    model = {
        "name": contract.name,
        **_described(contract.description),
        "config": {"contract": {"enforced": len(named) == len(contract.fields)}, "meta": _meta(contract)},
        "columns": [_column(field, constraints) for field in named],
        **_constraints([item for item in constraints.values() if item.column is None]),
    }
    document = {"version": 2, "models": [model]}
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    left_out = sentences(
        contract, lambda item: _why(item, constraints), _CARRIED, [*partly_kept(contract), *_unreadable(contract)]
    )
    return Exported(f"# {generated_note(contract, 'dbt')}\n{text}", left_out)


def _why(obligation: Obligation, constraints: Mapping[str, Constraint]) -> str:
    if obligation.rule in ("missing", "type", "extra_field"):
        return ""
    if obligation.id in constraints:
        return constraints[obligation.id].why_not
    if obligation.rule == "null" and obligation.severity is Severity.WARN:
        return ""
    return only_warns(obligation) or "it is about a whole delivery, which the gate alone sees"


def _column(field: Field, constraints: Mapping[str, Constraint]) -> dict[str, Any]:
    meta = _without_jinja(_stated(field, _FIELD_META))
    mine = [item for item in constraints.values() if item.column == field.name]
    tests = _tests(field)
    return {
        "name": field.name,
        "quote": True,
        **_described(field.description, field.semantics),
        "data_type": data_type(field),
        **({"config": {"meta": meta}} if meta else {}),
        **_constraints(mine),
        **({"data_tests": tests} if tests else {}),
    }


def _constraints(items: list[Constraint]) -> dict[str, Any]:
    written = [dict(item.entry) for item in items if item.entry]
    return {"constraints": written} if written else {}


def _tests(field: Field) -> list[dict[str, Any]]:
    """What only warns, as far as dbt has a test for it that takes no arguments."""
    is_told = not field.nullable and field.severity_of("null") is Severity.WARN
    return [{"not_null": {"config": {"severity": "warn"}}}] if is_told else []


def _described(*texts: str | None) -> dict[str, str]:
    words = "\n".join(text for text in texts if text and not is_jinja(text))
    return {"description": words} if words else {}


def _meta(contract: Contract) -> dict[str, Any]:
    stated = _without_jinja(_stated(contract, _META))
    return {"contract": contract.name, "contract_version": contract.version, **stated}


def _stated(term: Contract | Field, names: tuple[str, ...]) -> dict[str, Any]:
    stated = term.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {name: stated[name] for name in names if name in stated}


def _without_jinja(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not is_jinja(str(value))}


def _unreadable(contract: Contract) -> Iterator[tuple[str, str]]:
    """Names and words that dbt would read as Jinja."""
    for name in ("description", *_META):
        if is_jinja(str(getattr(contract, name))):
            yield name, JINJA
    for field in contract.fields:
        if reason := why_unnamed(field.name):
            yield from ((f"{field.name}.{part}", reason) for part in ("missing", "type"))
        for name in ("description", "semantics", *_FIELD_META):
            if is_jinja(str(getattr(field, name))):
                yield f"{field.name}.{name}", JINJA
