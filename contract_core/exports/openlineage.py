"""A contract as facets of an OpenLineage dataset: its schema, and what the table is in words."""

from typing import Any

from contract_core.contract.model import Contract, Field
from contract_core.exports.exported import Exported
from contract_core.exports.json_source import json_source
from contract_core.exports.left_out import sentences
from contract_core.exports.source_text import generated_note
from contract_core.validation.obligations import Obligation

_PRODUCER = "urn:contract-gate:export"
_FACETS = "https://openlineage.io/spec/facets"
_SCHEMA = f"{_FACETS}/1-1-1/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet"
_DOCUMENTATION = f"{_FACETS}/1-0-1/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet"
_CARRIED = frozenset({"description", "fields.description", "fields.semantics", "fields.unit"})


def openlineage_facets(contract: Contract) -> Exported:
    """The facets `schema` and `documentation`, as they stand under `facets` of a dataset."""
    document = {
        "documentation": {"_producer": _PRODUCER, "_schemaURL": _DOCUMENTATION, "description": _description(contract)},
        "schema": {"_producer": _PRODUCER, "_schemaURL": _SCHEMA, "fields": [_field(item) for item in contract.fields]},
    }
    partly = ((f"{item.name}.type", "its inner fields are not known") for item in contract.fields if _is_nested(item))
    return Exported(json_source(document), sentences(contract, _why, _CARRIED, partly))


def _why(obligation: Obligation) -> str:
    return "" if obligation.rule == "type" else "the schema facet holds names, types and words alone"


def _description(contract: Contract) -> str:
    note = generated_note(contract, "openlineage")
    return f"{contract.description}\n\n{note}" if contract.description else note


def _field(field: Field) -> dict[str, Any]:
    words = [text for text in (field.description, field.semantics) if text]
    if field.unit:
        words.append(f"Unit: {field.unit}")
    described = {"description": "\n".join(words)} if words else {}
    return {"name": field.name, "type": str(field.type), **described}


def _is_nested(field: Field) -> bool:
    return field.type.family.value in ("object", "array")
