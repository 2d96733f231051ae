"""The types of JSON Schema → the types of the language: unions with null, formats of text, and what no type takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_TYPES = {
    "string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "object": "object", "array": "array",
}  # fmt: skip
_FORMATS = {"date": "date", "date-time": "timestamp[us,UTC]", "duration": "duration"}
_WIDTHS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_NULL = "null"


@dataclass(frozen=True, slots=True)
class Typed:
    """The type that takes a property's values, or None; `schema` is what is left to read, `told` what is not taken over."""

    type: str | None
    is_nullable: bool
    schema: Mapping[str, Any]
    told: tuple[str, ...] = ()


def typed(name: str, schema: Mapping[str, Any], resolve: Callable[[Any], dict[str, Any]]) -> Typed:
    """The type of one property; a choice between one schema and null is that schema, nullable."""
    for word in ("anyOf", "oneOf"):
        choices = [resolve(item) for item in schema.get(word, ())] if isinstance(schema.get(word), list) else []
        others = [item for item in choices if item.get("type") != _NULL]
        if len(others) == 1:
            rest = {key: value for key, value in schema.items() if key != word}
            found = typed(name, {**others[0], **rest}, resolve)
            return Typed(found.type, found.is_nullable or len(choices) > 1, found.schema, found.told)
        if choices:
            return Typed(None, False, schema, (f"`{name}` is left out: {word} lets it be one of several things",))
    kinds = _kinds(schema)
    named = [kind for kind in kinds if kind != _NULL]
    if len(named) != 1 or named[0] not in _TYPES:
        what = "has no one type" if named else "has no type"
        return Typed(None, False, schema, (f"`{name}` is left out: it {what}",))
    return _formatted(name, _TYPES[named[0]], schema, is_nullable=_NULL in kinds)


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    stated = schema.get("type")
    if isinstance(stated, list):
        return [kind for kind in stated if isinstance(kind, str)]
    if isinstance(stated, str):
        return [stated]
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return sorted({_kind_of(value) for value in values}) if isinstance(values, list) else []


def _kind_of(value: object) -> str:
    kinds = {str: "string", bool: "boolean", int: "integer", type(None): _NULL, dict: "object", list: "array"}
    return kinds.get(type(value), "number")


def _formatted(name: str, type_: str, schema: Mapping[str, Any], *, is_nullable: bool) -> Typed:
    form = schema.get("format")
    told: tuple[str, ...] = ()
    if form in _WIDTHS and type_ == "integer":
        return Typed(form, is_nullable, schema)
    if type_ != "string" or not isinstance(form, str):
        told = (f"`{name}.format`: '{type_}' has no formats",) if isinstance(form, str) else ()
        return Typed(type_, is_nullable, schema, told)
    if form not in _FORMATS:
        told = (f"`{name}.format`: it stays text; write a pattern if its form is to be promised",)
        return Typed("string", is_nullable, schema, told)
    rules = ("pattern", "minLength", "maxLength", "enum", "const")
    told = tuple(f"`{name}.{rule}`: a {_FORMATS[form]} has no such rule" for rule in rules if rule in schema)
    rest = {key: value for key, value in schema.items() if key not in rules}
    return Typed(_FORMATS[form], is_nullable, rest, told)
