"""The shape of an Open Data Contract Standard document (3.0 and 3.1): which attributes stand where, and what kind of value each has.

What the attributes mean to a contract is left to `odcs_table` and its neighbours.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from difflib import get_close_matches

from contract_core.contract.scalars import yaml_word
from contract_core.contract.yaml_document import Document, Mark, Path, Value

NEWEST = "v3.1.0"
READ_VERSIONS = ("v3.0.0", "v3.0.1", "v3.0.2", NEWEST)
LOGICAL_TYPES = ("string", "date", "timestamp", "time", "number", "integer", "object", "array", "boolean")
METRICS = ("nullValues", "missingValues", "invalidValues", "duplicateValues", "rowCount")

_ELEMENT = {
    "id": "text", "name": "text!", "physicalType": "text", "physicalName": "text", "businessName": "text",
    "description": "text", "authoritativeDefinitions": "[definition]", "tags": "[text]",
    "customProperties": "[custom]", "quality": "[quality]",
}  # fmt: skip
SHAPES: Mapping[str, Mapping[str, str]] = {
    "document": {
        "apiVersion": "text!", "kind": "text!", "id": "text!", "version": "text!", "status": "text!", "name": "text",
        "tenant": "text", "tags": "[text]", "servers": "[server]", "dataProduct": "text", "domain": "text",
        "description": "{description}", "schema": "[table]", "support": "[support]", "price": "{price}",
        "team": "{team}|[member]", "roles": "[role]", "slaDefaultElement": "text", "slaProperties": "[sla]",
        "authoritativeDefinitions": "[definition]", "customProperties": "[custom]", "contractCreatedTs": "day",
    },
    "description": {
        "usage": "text", "purpose": "text", "limitations": "text", "authoritativeDefinitions": "[definition]",
        "customProperties": "[custom]",
    },
    "table": {
        **_ELEMENT, "logicalType": "text", "dataGranularityDescription": "text", "properties": "[column]",
        "relationships": "[relationship]",
    },
    "column": {
        **_ELEMENT, "primaryKey": "yes", "primaryKeyPosition": "whole", "logicalType": "logical type",
        "logicalTypeOptions": "{options}", "required": "yes", "unique": "yes", "partitioned": "yes",
        "partitionKeyPosition": "whole", "classification": "text", "encryptedName": "text",
        "transformSourceObjects": "[text]", "transformLogic": "text", "transformDescription": "text",
        "examples": "[any]", "criticalDataElement": "yes", "relationships": "[relationship]",
        "items": "{item}", "properties": "[column]",
    },
    "options": {
        "minLength": "whole", "maxLength": "whole", "pattern": "text", "format": "text", "minimum": "any",
        "maximum": "any", "exclusiveMinimum": "any", "exclusiveMaximum": "any", "multipleOf": "number",
        "timezone": "yes", "defaultTimezone": "text", "minItems": "whole", "maxItems": "whole", "uniqueItems": "yes",
        "minProperties": "whole", "maxProperties": "whole", "required": "[text]",
    },
    "quality": {
        "id": "text", "name": "text", "description": "text", "type": "kind of quality", "metric": "metric",
        "rule": "text", "arguments": "{arguments}", "unit": "text", "dimension": "text", "method": "text",
        "severity": "text", "businessImpact": "text", "schedule": "text", "scheduler": "text", "tags": "[text]",
        "query": "text", "engine": "text", "implementation": "any", "mustBe": "any", "mustNotBe": "any",
        "mustBeGreaterThan": "number", "mustBeGreaterOrEqualTo": "number", "mustBeLessThan": "number",
        "mustBeLessOrEqualTo": "number", "mustBeBetween": "[number]", "mustNotBeBetween": "[number]",
        "validValues": "[any]", "authoritativeDefinitions": "[definition]", "customProperties": "[custom]",
    },
    "custom": {"id": "text", "property": "text!", "value": "any", "description": "text"},
    "definition": {"id": "text", "url": "text!", "type": "text!", "description": "text"},
    "relationship": {"type": "text", "from": "any", "to": "any!", "customProperties": "[custom]"},
    "support": {
        "id": "text", "channel": "text!", "url": "text", "description": "text", "tool": "text", "scope": "text",
        "invitationUrl": "text", "customProperties": "[custom]",
    },
    "price": {"id": "text", "priceAmount": "number", "priceCurrency": "text", "priceUnit": "text"},
    "team": {
        "id": "text", "name": "text", "description": "text", "members": "[member]", "tags": "[text]",
        "customProperties": "[custom]", "authoritativeDefinitions": "[definition]",
    },
    "member": {
        "id": "text", "username": "text", "name": "text", "description": "text", "role": "text", "dateIn": "day",
        "dateOut": "day", "replacedByUsername": "text", "tags": "[text]", "customProperties": "[custom]",
        "authoritativeDefinitions": "[definition]",
    },
    "role": {
        "id": "text", "role": "text!", "description": "text", "access": "text", "firstLevelApprovers": "text",
        "secondLevelApprovers": "text", "customProperties": "[custom]",
    },
    "sla": {
        "id": "text", "property": "text!", "value": "any", "valueExt": "any", "unit": "text", "element": "text",
        "driver": "text", "description": "text", "scheduler": "text", "schedule": "text",
    },
}  # fmt: skip
_OPEN = {"server": {"server": "text!", "type": "text!"}, "arguments": {}}
"""What may hold more attributes than are listed: a server has those of its type, a metric those of its own."""
_ALIASES = {"item": "column"}
_NAMELESS = frozenset({"item"})
_KINDS: Mapping[str, tuple[Callable[[Value], bool], str]] = {
    "text": (lambda value: isinstance(value, str), "text is needed: write it in quotes"),
    "day": (lambda value: isinstance(value, str | date), "a date is needed: 2026-10-01"),
    "whole": (lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number is needed"),
    "number": (lambda value: isinstance(value, int | Decimal) and not isinstance(value, bool), "a number is needed"),
    "yes": (lambda value: isinstance(value, bool), "write true or false without quotes"),
    "any": (lambda _: True, ""),
    "logical type": (lambda value: value in LOGICAL_TYPES, f"one of: {', '.join(LOGICAL_TYPES)}"),
    "metric": (lambda value: value in METRICS, f"one of: {', '.join(METRICS)}"),
    "kind of quality": (lambda value: value in ("text", "library", "sql", "custom"), "one of: text, library, sql, custom"),
}  # fmt: skip

Found = tuple[Mark, str, str]


def shape_problems(document: Document) -> Iterator[Found]:
    """Everything in which the document is not of the standard's shape: where, what, and what to write instead."""
    value = document.value
    version = value.get("apiVersion") if isinstance(value, dict) else None
    if isinstance(value, dict) and value.get("kind") != "DataContract":
        yield document.mark(("kind",)), "kind: is not DataContract", "write kind: DataContract"
    if isinstance(version, str) and version not in READ_VERSIONS:
        hint = f"versions that are read: {', '.join(READ_VERSIONS)}"
        yield document.mark(("apiVersion",)), f"apiVersion: '{version}' is not read", hint
    yield from _mapping(document, (), value, "document")


def shown(document: Document, path: Path) -> str:
    """The path as a person reads it: items of a list by their name where they have one."""
    words: list[str] = []
    value: Value = document.value
    for part in path:
        value = _below(value, part)
        name = value.get("name") if isinstance(part, int) and isinstance(value, dict) else None
        words.append(str(name) if isinstance(name, str) else str(part))
    return ".".join(words)


def _below(value: Value, part: str | int) -> Value:
    if isinstance(value, dict) and isinstance(part, str):
        return value.get(part)
    if isinstance(value, tuple) and isinstance(part, int) and 0 <= part < len(value):
        return value[part]
    return None


def _mapping(document: Document, path: Path, value: Value, shape: str) -> Iterator[Found]:
    if not isinstance(value, dict):
        yield document.mark(path), f"{shown(document, path)}: is {yaml_word(value)}, a mapping is needed", ""
        return
    known = SHAPES.get(_ALIASES.get(shape, shape)) or _OPEN[shape]
    for key, item in value.items():
        if key in known:
            yield from _value(document, (*path, key), item, known[key].removesuffix("!"))
        elif shape not in _OPEN:
            close = get_close_matches(key, known, n=1, cutoff=0.6)
            nearest = f"did you mean '{close[0]}'? " if close else ""
            what = f"'{key}' is no attribute of {_holder(document, path)} in the standard"
            yield document.key_mark((*path, key)), what, f"{nearest}known: {', '.join(sorted(known))}"
    for key, kind in known.items():
        if kind.endswith("!") and value.get(key) is None and shape not in _NAMELESS:
            yield document.mark(path), f"{_holder(document, path)} has no '{key}'", f"write {key}:"


def _holder(document: Document, path: Path) -> str:
    return f"'{shown(document, path)}'" if path else "the document"


def _value(document: Document, path: Path, value: Value, kind: str) -> Iterator[Found]:
    if "|" in kind:
        of_list = next(choice for choice in kind.split("|") if choice.startswith("["))
        of_mapping = next(choice for choice in kind.split("|") if choice.startswith("{"))
        kind = of_list if isinstance(value, tuple) else of_mapping
    if value is None:  # an attribute without a value says nothing
        return
    if kind.startswith("["):
        yield from _list(document, path, value, kind[1:-1])
    elif kind.startswith("{"):
        yield from _mapping(document, path, value, kind[1:-1])
    else:
        fits, hint = _KINDS[kind]
        if not fits(value):
            found = (
                "is not one of the known words" if isinstance(value, str) else f"is read by YAML as {yaml_word(value)}"
            )
            yield document.mark(path), f"{shown(document, path)}: {found}", hint


def _list(document: Document, path: Path, value: Value, item: str) -> Iterator[Found]:
    if not isinstance(value, tuple):
        yield document.mark(path), f"{shown(document, path)}: is {yaml_word(value)}, a list is needed", ""
        return
    for index, entry in enumerate(value):
        if item in _KINDS:
            yield from _value(document, (*path, index), entry, item)
        else:
            yield from _mapping(document, (*path, index), entry, item)
