"""The parts that a JSON Schema of a manifest requires. Read are three forms that require names; no other is guessed at.

An object that requires its keys; a list whose items are all of an `enum`, each of which must be there; a list that `contains` names.
"""

from typing import Any

from contract_core.contract.yaml_document import Document, Path, load_document
from contract_core.errors import Problem

SUFFIX = ".schema.json"
_PLACES = ("parts", "partitions")
_FORMS = "write required: [names] for an object, or for a list allOf: [{contains: {const: name}}, …]"

Found = tuple[list[tuple[int, dict[str, Any]]], list[Problem]]
"""The names with their lines, and what is wrong."""


def required_by_schema(content: bytes, where: str) -> Found:
    """The parts that a schema requires of `parts` or `partitions`, in its order, or every reason why none can be told."""
    document = load_document(content)
    problems = [Problem(f"{where}:{mark.line}:{mark.column}", what, hint) for mark, what, hint in document.problems]
    if problems:
        return [], problems
    properties = document.value.get("properties") if isinstance(document.value, dict) else None
    there = [name for name in _PLACES if isinstance(properties, dict) and name in properties]
    if not isinstance(properties, dict) or len(there) != 1:
        what = (
            "describes both parts and partitions"
            if there
            else "describes neither properties.parts nor properties.partitions"
        )
        return [], [Problem(f"{where}:1", what, "describe the manifest, and its parts under one of the two names")]
    path: Path = ("properties", there[0])
    names = _names(properties[there[0]])
    if isinstance(names, str):
        return [], [Problem(f"{where}:{document.mark(path).line}", f"'{there[0]}' {names}", _FORMS)]
    lines, whole = _lines(document, path), document.mark(path).line
    return [(lines.get(name, whole) if isinstance(name, str) else whole, {"name": name}) for name in names], []


def _names(schema: Any) -> list[Any] | str:  # noqa: ANN401 - any JSON
    """What one schema requires, or why that cannot be told."""
    if not isinstance(schema, dict):
        return "is no schema of an object or a list"
    if "$ref" in schema:
        return "refers elsewhere, and references are not followed"
    if schema.get("type", "object") == "object" and isinstance(schema.get("required"), tuple):
        return list(schema["required"])
    if schema.get("type") == "object":
        return "requires no key"
    if schema.get("type") != "array":
        return "is of no single type, object or array"
    return _listed(schema)


def _listed(schema: dict[str, Any]) -> list[Any] | str:
    """The names that a list must hold. An `enum` alone says what may be there, and nothing about what must."""
    items = schema.get("items")
    choices = items.get("enum") if isinstance(items, dict) else None
    if isinstance(choices, tuple) and schema.get("uniqueItems") is True and schema.get("minItems") == len(choices):
        return list(choices)
    every = [schema, *(item for item in _items(schema, "allOf") if isinstance(item, dict))]
    held = [
        _contained(item["contains"]) if item.get("minContains", 1) else None for item in every if "contains" in item
    ]
    if held and all(name is not None for name in held):
        return held
    if choices is not None and not held:
        return "says which names may be listed, and not that all must: uniqueItems: true and minItems of their number would"
    return "does not say by which names it must hold an item"


def _contained(schema: Any) -> Any:  # noqa: ANN401 - any JSON
    """The one name that an item must have, as a text or as its `name`; None where there is not one."""
    if not isinstance(schema, dict):
        return None
    named = schema.get("properties", {}).get("name") if isinstance(schema.get("properties"), dict) else schema
    if not isinstance(named, dict):
        return None
    if named is not schema and "name" not in _items(schema, "required"):
        return None
    choices = _items(named, "enum")
    return named.get("const", choices[0] if len(choices) == 1 else None)


def _items(schema: dict[str, Any], keyword: str) -> tuple[Any, ...]:
    """What a keyword lists; nothing where it is no list."""
    stated = schema.get(keyword)
    return stated if isinstance(stated, tuple) else ()


def _lines(document: Document, path: Path) -> dict[str, int]:
    """For each text below `path` the line of the first place that holds it, which is where a person looks for it."""
    lines: dict[str, int] = {}
    for place in document.values_at:
        if place[: len(path)] == path and isinstance(text := _at(document, place), str):
            lines.setdefault(text, document.mark(place).line)
    return lines


def _at(document: Document, path: Path) -> Any:  # noqa: ANN401 - any JSON
    value: Any = document.value
    for step in path:
        value = value[step]
    return value
