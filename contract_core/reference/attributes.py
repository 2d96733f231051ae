"""Every attribute of the contract language, from its JSON Schema: what may stand there, and what holds where nothing does."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from contract_core.contract.delivery_terms import WEEKDAYS
from contract_core.exports.language_schema import language_schema
from contract_core.reference.marks import AS_IT_IS, code, row

_INTRODUCTION = """\
Every attribute that a contract can have, by where it stands. What each means is told in [the language](../language.md); the chapter
is named below each title. Anything else in a contract is refused, with the nearest attribute that there is."""
_CONTRACT = "Contract"
CHAPTERS: Mapping[str, str] = {
    _CONTRACT: "the-contract",
    "Owners": "the-contract",
    "Owner": "the-contract",
    "Consumer": "change",
    "Tolerances": "change",
    "Field": "fields",
    "RowRule": "row-rules",
    "Unique": "the-contract",
    "RowCount": "the-contract",
    "GroupRule": "group-rules",
    "HistoryRule": "history-rules",
    "Delivery": "delivery",
    "Format": "delivery",
    "PartitionTerms": "delivery",
    "PartTerms": "delivery",
    "RequiredFrom": "required-parts-from-another-table",
    "Period": "delivery",
    "Completion": "delivery",
    "Due": "deadlines",
    "Freshness": "freshness",
    "Monitors": "monitors",
    "VolumeMonitor": "monitors",
    "FieldMonitor": "monitors",
    "Enforcement": "enforcement",
    "QuarantineTerms": "enforcement",
    "Publication": "publication",
    "Assumption": "the-contract",
    "ChangeTerms": "change",
}
"""By the part of the model, the chapter of the language that explains it."""
_FORMS: Mapping[str, str] = {
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": "a day: `2026-10-01`",
    "^[0-2][0-9]:[0-5][0-9]$": 'a time of day: `"09:00"`',
    "^[0-9]+([.][0-9]+)? ?%$": "a share: `5%`",
    "^([0-9]{1,6} ?[mhdw]|[0-9]{1,12} ?s)$": "a length of time: `90s`, `15m`, `6h`, `2d`, `1w`",
    "^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$": 'a version: `"1.0.0"`',
    "^[a-z][a-z0-9_]{0,99}$": "a name: small letters, digits and underscores",
}
_DAYS = re.compile(r"P(\d+)D")
_MOST = 1_000_000
"""Above it a bound keeps mistakes away and nobody's table."""
Schema = Mapping[str, Any]


def attributes_page() -> str:
    """The whole page."""
    schema = language_schema()
    places = _places(schema)
    lines = ["# Attributes", "", AS_IT_IS, "", _INTRODUCTION, ""]
    for name in places:
        lines += _section(name, places, schema)
    return "\n".join(lines)


def _places(schema: Schema) -> dict[str, list[str]]:
    """Each part of the model with the paths at which it stands, the outermost first."""
    found: dict[str, list[str]] = {_CONTRACT: [""]}
    for path, name in _held(schema, _CONTRACT, ""):
        found.setdefault(name, []).append(path)
    return found


def _held(schema: Schema, holder: str, path: str) -> Iterator[tuple[str, str]]:
    """Every part that stands inside another: where, and its name; each before those inside it."""
    for attribute, stated in _properties(schema, holder).items():
        for name, mark in _objects(stated, schema):
            inner = f"{path}.{attribute}{mark}".lstrip(".")
            yield inner, name
            yield from _held(schema, name, inner)


def _properties(schema: Schema, name: str) -> Mapping[str, Schema]:
    part: Schema = schema if name == _CONTRACT else schema["$defs"][name]
    properties: Mapping[str, Schema] = part["properties"]
    return properties


def _objects(stated: Schema, schema: Schema) -> Iterator[tuple[str, str]]:
    """The parts of the model that may stand there, with the mark of a list or of a mapping by name."""
    if "$ref" in stated:
        name = stated["$ref"].rpartition("/")[2]
        if "properties" in schema["$defs"][name]:
            yield name, ""
    for choice in stated.get("anyOf", ()):
        yield from _objects(choice, schema)
    for key, mark in (("items", "[]"), ("additionalProperties", ".<name>")):
        if isinstance(stated.get(key), dict):
            yield from ((name, mark) for name, _ in _objects(stated[key], schema))


def _section(name: str, places: Mapping[str, list[str]], schema: Schema) -> Iterator[str]:
    part: Schema = schema if name == _CONTRACT else schema["$defs"][name]
    needed = part.get("required", ())
    yield from (f"## {_title(name, places)}", "")
    yield f"{part['description'].split(chr(10))[0]} [Explained](../language.md{_chapter(name)})."
    yield ""
    yield row("attribute", "what may stand there", "default")
    yield row("---", "---", "---")
    for attribute, stated in _properties(schema, name).items():
        words = _words(stated, schema, places)
        yield row(code(attribute), words, "**needed**" if attribute in needed else _default(stated, words))
    yield ""


def _chapter(name: str) -> str:
    return f"#{CHAPTERS[name]}" if name in CHAPTERS else ""


def _title(name: str, places: Mapping[str, list[str]]) -> str:
    return ", ".join(code(path) for path in places[name]) if name != _CONTRACT else "The contract"


def _anchor(name: str, places: Mapping[str, list[str]]) -> str:
    """As Markdown makes it of the title: small letters, without signs."""
    title = re.sub(r"[^\w\s-]", "", _title(name, places).lower())
    return re.sub(r"\s+", "-", title.strip())


def _words(stated: Schema, schema: Schema, places: Mapping[str, list[str]]) -> str:
    """What may stand there."""
    if "$ref" in stated:
        return _of_part(stated["$ref"].rpartition("/")[2], schema, places)
    if "anyOf" in stated:
        told = [_words(choice, schema, places) for choice in stated["anyOf"] if choice.get("type") != "null"]
        return ", or ".join(told)
    if "enum" in stated or "const" in stated:
        return _listed(stated.get("enum") or [stated["const"]])
    return _of_type(stated, schema, places)


def _of_part(name: str, schema: Schema, places: Mapping[str, list[str]]) -> str:
    part = schema["$defs"][name]
    if "properties" not in part:
        return _words(part, schema, places)
    return f"[{code(places[name][0])}](#{_anchor(name, places)})"


def _listed(values: list[Any]) -> str:
    if values == list(WEEKDAYS):
        return "a weekday: `saturday`"
    return ", ".join(code(_plain(value)) for value in values)


def _of_type(stated: Schema, schema: Schema, places: Mapping[str, list[str]]) -> str:
    match stated.get("type"):
        case "array":
            return f"a list, each {_words(stated.get('items', {}), schema, places)}"
        case "object":
            return f"by name: {_words(stated.get('additionalProperties', {}), schema, places)}"
        case "boolean":
            return "`true` or `false`"
        case "integer" | "number":
            return f"a{' whole' if stated['type'] == 'integer' else ''} number{_span(stated)}"
        case "string":
            return _of_text(stated)
        case list():
            return "a number, or text"
        case _:
            return "a value of the field's own type"


def _of_text(stated: Schema) -> str:
    if stated.get("format") == "date":
        return _FORMS["^[0-9]{4}-[0-9]{2}-[0-9]{2}$"]
    pattern = stated.get("pattern")
    if pattern is None:
        return "text"
    if pattern.startswith("^(decimal"):
        return "`decimal(p,s)`, `timestamp[us]`, `timestamp[us,UTC]`"
    return _FORMS.get(pattern, f"text of the form {code(pattern)}")


def _span(stated: Schema) -> str:
    low, high = stated.get("minimum"), stated.get("maximum")
    if high is not None and high < _MOST:
        return f", {low} to {high}"
    return f", {low} at least" if low is not None else ""


def _default(stated: Schema, words: str) -> str:
    value = stated.get("default")
    if value in (None, [], {}):
        return "none"
    if words.startswith("["):
        return "as there"
    if isinstance(value, dict) and set(value) == {"*"}:
        value = value["*"]
    return code(_plain(value))


def _plain(value: object) -> str:
    if isinstance(value, str):
        days = _DAYS.fullmatch(value)
        return f"{days[1]}d" if days else value
    return json.dumps(value)
