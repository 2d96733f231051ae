"""A JSON Schema (2020-12) of one record → a contract on JSON lines. What it says beyond a contract is named, not dropped."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from contract_core.bootstrap.bounds import above, below
from contract_core.bootstrap.draft import Draft, FieldDraft
from contract_core.bootstrap.imported import Imported, as_imported, new_draft, with_fields
from contract_core.bootstrap.json_schema_types import typed
from contract_core.bootstrap.names import declarable
from contract_core.bootstrap.patterns import is_wider, whole_pattern
from contract_core.errors import Problem, WrongUsageError

_MAX_BYTES = 4 << 20
_ANNOTATIONS = (
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "$comment",
    "type",
    "properties",
    "required",
    "title",
    "description",
)
_TAKEN = {
    "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "title", "description", "anyOf", "oneOf", "format", "$comment", "deprecated",
}  # fmt: skip


def read_json_schema(path: Path, name: str) -> Imported:
    """The contract that this schema states. Raises WrongUsageError where it is no JSON Schema of a record with properties."""
    document = _document(path)
    record = _record(document, path)
    properties = record.get("properties")
    if not isinstance(properties, dict) or not properties:
        _refuse(path, "describes no record: it has no properties", "give the schema of one record, type: object")
    names, told = declarable(tuple(properties))
    extra = {} if record.get("additionalProperties") is False and not told else {"extra_fields": "ignore"}
    draft = new_draft(name, "jsonl").telling(*told)
    draft = draft.having(**extra) if extra else draft
    if "additionalProperties" not in record:
        note = "extra_fields: the schema lets undeclared keys pass without saying so"
        draft = draft.having(note, extra_fields="ignore")
    if isinstance(text := record.get("description") or record.get("title"), str) and text.strip():
        draft = draft.having(description=text)
    draft = _naming(draft, record)
    return as_imported(_with_properties(draft, {key: properties[key] for key in names}, document, _required(record)))


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        _refuse(path, f"cannot be read: {error.strerror}", "check the path and your rights")
    if len(content) > _MAX_BYTES:
        _refuse(path, f"is larger than {_MAX_BYTES:,} bytes", "give the schema of one record")
    try:
        document = json.loads(content, parse_float=Decimal)
        json.dumps(document, ensure_ascii=False, default=str).encode()
    except (ValueError, RecursionError):
        _refuse(path, "is no JSON", "give a JSON Schema")
    if not isinstance(document, dict):
        _refuse(path, "is JSON, but no object", "give a JSON Schema")
    return document


def _record(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """The schema of one record: the document, what it refers to, or the items of its array."""
    record = resolved(document, document)
    if record.get("type") == "array" and isinstance(record.get("items"), dict):
        record = resolved(record["items"], document)
    if record.get("type", "object") != "object":
        _refuse(path, "describes no record: its type is not object", "give the schema of one record")
    return record


def _required(record: Mapping[str, Any]) -> frozenset[str]:
    named = record.get("required")
    return frozenset(key for key in named if isinstance(key, str)) if isinstance(named, list) else frozenset()


def _naming(draft: Draft, record: Mapping[str, Any]) -> Draft:
    known = (*_ANNOTATIONS, "additionalProperties")
    others = [key for key in record if key not in known]
    if isinstance(record.get("additionalProperties"), dict):
        others.append("additionalProperties")
    return draft.telling(*(f"`{key}`: rules for the record as a whole are not taken over" for key in others))


def resolved(schema: Any, document: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - JSON enters here
    """The schema that a chain of local references ends at, with what stands beside the references; others stay as they are."""
    found = schema if isinstance(schema, dict) else {}
    for _ in range(20):
        reference = found.get("$ref")
        target = _target(reference, document) if isinstance(reference, str) else None
        if target is None:
            return dict(found)
        found = {**target, **{key: value for key, value in found.items() if key != "$ref"}}
    return {key: value for key, value in found.items() if key != "$ref"}


def _target(reference: str, document: Mapping[str, Any]) -> dict[str, Any] | None:
    if not reference.startswith("#"):
        return None
    found: Any = document
    for part in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
        key = part.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def _with_properties(
    draft: Draft, properties: Mapping[str, Any], document: Mapping[str, Any], required: frozenset[str]
) -> Draft:
    fields: list[FieldDraft] = []
    rules: list[dict[str, Any]] = []
    for key, stated in properties.items():
        schema = resolved(stated, document)
        found = typed(key, schema, lambda inner: resolved(inner, document))
        draft = draft.telling(*found.told)
        if found.type is None:
            draft = draft.having(extra_fields="ignore")
            continue
        item = FieldDraft(key, {"type": found.type, **({"nullable": True} if found.is_nullable else {})})
        item = item if key in required else item.having(required=False)
        item, own, told = _ruled(item, found.schema)
        fields.append(item)
        rules += own
        draft = draft.telling(*told)
    if not fields:
        raise WrongUsageError(
            Problem("schema", "has no property that a contract could declare", "give the schema of one record")
        )
    draft = with_fields(draft, tuple(fields))
    return draft.having(rules=rules) if rules else draft


def _ruled(item: FieldDraft, schema: Mapping[str, Any]) -> tuple[FieldDraft, list[dict[str, Any]], list[str]]:
    """The field with its rules, the row rules that stand for open bounds, and what is not taken over."""
    plain = {"minLength": "min_length", "maxLength": "max_length", "minimum": "min", "maximum": "max"}
    for theirs, ours in plain.items():
        if theirs in schema:
            item = item.having(**{ours: schema[theirs]})
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(listed, list) and (values := tuple(value for value in listed if value is not None)):
        item = item.having(enum=values)
        item = item.having(nullable=True) if None in listed else item
    words = [schema.get("title"), schema.get("description")]
    told = [word for word in words if isinstance(word, str) and word.strip()]
    item = item.having(description=". ".join(word.rstrip(".") for word in told) + ".") if told else item
    if isinstance(pattern := schema.get("pattern"), str):
        item = item.having(pattern=whole_pattern(pattern))
    rules: list[dict[str, Any]] = []
    for theirs, make in (("exclusiveMinimum", above), ("exclusiveMaximum", below)):
        if theirs in schema:
            item, rule = make(item, schema[theirs])
            rules += rule
    others = {key: _WHY.get(key, "a contract has no such rule") for key in schema if key not in _TAKEN}
    if isinstance(pattern, str) and is_wider(pattern):
        others["pattern"] = (
            r"\d, \w, \s and \b take the letters and digits of every script here, and of ASCII alone there"
        )
    return item, rules, [f"`{item.name}.{key}`: {reason}" for key, reason in others.items()]


_INSIDE = "what stands inside an object or array is not described by a contract"
_WHY = dict.fromkeys(
    ("properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    _INSIDE,
) | {
    "default": "a contract fills nothing in",
    "examples": "examples are not kept",
    "$ref": "only references inside the same document are followed",
}


def _refuse(path: Path, what: str, hint: str) -> NoReturn:
    raise WrongUsageError(Problem(str(path), what, hint))
