"""A contract as an Avro record schema: names, types, nulls and lists of values; rules about values have no place in Avro."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract, Field
from contract_core.exports.exported import Exported
from contract_core.exports.field_weights import holds_back, takes_null
from contract_core.exports.json_source import json_source
from contract_core.exports.left_out import beyond_one_record, sentences
from contract_core.exports.source_text import generated_note, plain_names
from contract_core.validation.obligations import Obligation

_SYMBOL = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_CARRIED = frozenset({"description", "domain", "fields.description", "fields.semantics", "fields.unit"})
_TAKEN = frozenset(
    {
        "null",
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "bytes",
        "string",
        "record",
        "enum",
        "array",
        "map",
        "union",
        "fixed",
    }
)
"""Words of the format, which name no record."""
_TIMES = {"ms": "millis", "us": "micros", "ns": "nanos"}
_PLAIN: Mapping[Family, Any] = {
    Family.STRING: "string",
    Family.BOOLEAN: "boolean",
    Family.DATE: {"type": "int", "logicalType": "date"},
    Family.TIME: {"type": "long", "logicalType": "time-micros"},
    Family.DURATION: "long",
    Family.BINARY: "bytes",
    Family.OBJECT: "string",
    Family.ARRAY: "string",
}
_STAND_INS = {
    Family.DURATION: "it stands as a number of microseconds: Avro's duration counts months and milliseconds",
    Family.OBJECT: "it stands as its JSON text, since its inner types are not known",
    Family.ARRAY: "it stands as its JSON text, since its inner types are not known",
}


def avro_schema(contract: Contract) -> Exported:
    """The schema of one record, named after the contract; a field whose name Avro does not take has one made of it."""
    names = plain_names(contract.field_names)
    document = {
        "type": "record",
        "name": f"{contract.name}_record" if contract.name in _TAKEN else contract.name,
        **({"namespace": contract.domain} if contract.domain else {}),
        "doc": _doc(contract.description, generated_note(contract, "avro")),
        "contractVersion": contract.version,
        "fields": [_field(names[field.name], field, contract) for field in contract.fields],
    }
    partly = [*_renamed(names), *_partly(contract)]
    return Exported(json_source(document), sentences(contract, lambda item: _why(item, contract), _CARRIED, partly))


def _why(obligation: Obligation, contract: Contract) -> str:
    if reason := beyond_one_record(obligation):
        return reason
    if obligation.rule in ("missing", "type"):
        return ""
    if obligation.rule == "enum" and obligation.field is not None and _symbols(contract.field(obligation.field)):
        return ""
    if obligation.rule == "null":
        return _why_null(contract.field(obligation.field or ""))
    return "Avro has types and no rules about values"


def _why_null(field: Field) -> str:
    if takes_null(field):
        return "it only warns, and the format can only refuse"
    return "" if field.required else "a field that may be absent is null where it is"


def _partly(contract: Contract) -> Iterator[tuple[str, str]]:
    for field in contract.fields:
        if field.type.family in _STAND_INS:
            yield f"{field.name}.type", _STAND_INS[field.type.family]
        elif (field.type.bits or 64) < 32:
            yield f"{field.name}.type", "Avro has no narrower whole number than 32 bits"
        elif field.type.timezone not in (None, "UTC"):
            yield f"{field.name}.type", "Avro keeps the moment and not its time zone"
        elif field.type.bits == 32 and not field.type.signed:
            yield f"{field.name}.type", "Avro has no whole numbers without a sign"


def _renamed(names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, given in names.items():
        if name != given:
            yield name, f"Avro does not take the name; it stands as {given}"


def _field(name: str, field: Field, contract: Contract) -> dict[str, Any]:
    kind = _type(name, field, contract)
    is_nullable = takes_null(field) or not field.required
    words = [text for text in (field.description, field.semantics) if text]
    if field.unit:
        words.append(f"Unit: {field.unit}")
    return {
        "name": name,
        **({"doc": "\n".join(words)} if words else {}),
        **({"fieldName": field.name} if name != field.name else {}),
        "type": ["null", kind] if is_nullable else kind,
        **({"default": None} if is_nullable else {}),
    }


def _doc(*texts: str | None) -> str:
    return "\n\n".join(text for text in texts if text)


def _type(name: str, field: Field, contract: Contract) -> Any:  # noqa: ANN401 - an Avro type is a text or a mapping
    promised = field.type
    if promised.precision is not None:
        return _decimal(promised.precision, promised.scale or 0)
    match promised.family:
        case Family.INTEGER:
            return _integer(field)
        case Family.NUMBER:
            return "float" if promised.bits == 32 else "double"
        case Family.TIMESTAMP:
            local = "" if promised.timezone else "local-"
            return {"type": "long", "logicalType": f"{local}timestamp-{_TIMES[promised.unit or 'us']}"}
        case Family.STRING if symbols := _symbols(field):
            return {"type": "enum", "name": f"{contract.name}_{name}", "symbols": symbols}
        case family:
            return _PLAIN[family]


def _integer(field: Field) -> Any:  # noqa: ANN401 - an Avro type is a text or a mapping
    bits, signed = field.type.bits or 64, field.type.signed
    if bits == 64 and not signed:
        return _decimal(20, 0)
    return "int" if bits < 32 or (bits == 32 and signed) else "long"


def _decimal(precision: int, scale: int) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}


def _symbols(field: Field) -> list[str]:
    """The listed values, where Avro takes each of them for the name of a symbol."""
    values = [value for value in field.enum or () if isinstance(value, str) and _SYMBOL.fullmatch(value)]
    is_whole = holds_back(field, "enum") and len(values) == len(field.enum or ())
    return values if is_whole else []
