"""YAML text → `Contract`, or every problem of the file at once, each as file:line:column with what to write instead."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from contract_core.contract.consistency import Complaint, complaints_of
from contract_core.contract.model import Contract
from contract_core.contract.remaining import Remaining, plain_path
from contract_core.contract.scalars import yaml_word
from contract_core.contract.standards import is_odcs
from contract_core.contract.yaml_document import Document, Mark, Path, load_document
from contract_core.errors import InvalidContractError, Problem

_ROUNDS = 100
_TOLD = 500
_SYNONYMS = {  # what other tools call it
    "allowed_values": "enum",
    "date_format": "dates",
    "dtype": "type",
    "maximum": "max",
    "minimum": "min",
    "optional": "required",
    "primary_key": "key",
    "regex": "pattern",
    "sep": "delimiter",
    "separator": "delimiter",
    "values": "enum",
}
_ELSEWHERE = {"unique": "key: or unique:", "primary_key": "key:", "primaryKey": "key:"}
"""What other tools say of one field, and a contract of the whole."""


def parse_contract(text: bytes | str, source: str) -> Contract:
    """The contract that `text` holds; `source` names the file in messages. Raises InvalidContractError with all problems."""
    document = load_document(text.encode(errors="surrogatepass") if isinstance(text, str) else text)
    if document.value is None and document.problems:
        raise InvalidContractError(*_placed(source, document.problems))
    if not isinstance(document.value, dict):
        what = f"a contract is a mapping, this is {yaml_word(document.value)}"
        raise InvalidContractError(Problem(f"{source}:1:1", what, "write contract:, version: and fields:"))
    if is_odcs(document.value):
        from contract_core.contract.odcs import only_contract  # noqa: PLC0415 - most contracts are none of the standard

        return only_contract(text, source)
    contract, problems = _read(document)
    if problems:
        raise InvalidContractError(*_placed(source, document.problems + problems))
    if document.problems or contract is None:
        raise InvalidContractError(*_placed(source, document.problems))
    return contract


def _placed(source: str, problems: list[tuple[Mark, str, str]]) -> Iterator[Problem]:
    ordered = sorted(set(problems), key=lambda problem: (problem[0].line, problem[0].column, problem[1]))
    for mark, what, hint in ordered[:_TOLD]:
        yield Problem(f"{source}:{mark.line}:{mark.column}", what, hint)
    if len(ordered) > _TOLD:
        yield Problem(source, f"has {len(ordered) - _TOLD:,} problems more", "repair these first")


def _read(document: Document) -> tuple[Contract | None, list[tuple[Mark, str, str]]]:
    """Validate; on errors leave out what is broken and go on, so that the rest is checked too."""
    whole = document.value if isinstance(document.value, dict) else {}
    names = _field_names(whole)
    remaining = Remaining(whole)
    told = {mark for mark, _, _ in document.problems}
    problems: list[tuple[Mark, str, str]] = []
    for _ in range(_ROUNDS):
        try:
            contract = Contract.model_validate(remaining.value)
        except ValidationError as error:
            errors = _without_echoes(error)
            described = [_described(document, item, remaining) for item in errors if not remaining.explains(item)]
            problems += [problem for problem in described if problem[0] not in told]
            remaining.leave_out(errors)
        else:
            complaints = [item for item in complaints_of(contract, names) if not remaining.touches(item.depends_on)]
            placed = [_placed_complaint(document, complaint, remaining) for complaint in complaints]
            return contract, [*problems, *(problem for problem in placed if problem[0] not in told)]
    return None, problems


def _field_names(value: dict[str, Any]) -> frozenset[str]:
    fields = value.get("fields")
    entries = fields if isinstance(fields, tuple) else ()
    return frozenset(
        entry["name"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    )


def _without_echoes(error: ValidationError) -> list[Any]:
    """Errors of the model, without "too short" for a list whose broken items are reported themselves."""
    errors = error.errors(include_url=False)
    places = [item["loc"] for item in errors]
    return [
        item
        for item in errors
        if item["type"] != "too_short"
        or not any(len(place) > len(item["loc"]) and place[: len(item["loc"])] == item["loc"] for place in places)
    ]


def _placed_complaint(document: Document, complaint: Complaint, remaining: Remaining) -> tuple[Mark, str, str]:
    path = remaining.original(complaint.path)
    return document.mark(path), f"{_shown(document, path)}{complaint.what}", complaint.hint


def _described(document: Document, error: Any, remaining: Remaining) -> tuple[Mark, str, str]:
    path = remaining.original(plain_path(error["loc"]))
    kind = error["type"]
    if kind == "extra_forbidden":
        what = f"'{path[-1]}' is no attribute of {_holder(document, path[:-1])}"
        is_torn = error["input"] is None and " " in str(path[-1])
        hint = "text with a comma between braces needs quotes" if is_torn else _attributes_like(path)
        return document.key_mark(path), what, hint
    if kind == "missing":
        holder = path[:-1]
        mark = document.mark(holder) if holder and isinstance(holder[-1], int) else document.key_mark(holder)
        return mark, f"{_holder(document, holder)} has no '{path[-1]}'", f"write {path[-1]}:"
    what, hint = _worded(error)
    return document.mark(path), f"{_shown(document, path)}{what}", hint


def _worded(error: Any) -> tuple[str, str]:
    kind, context = error["type"], error.get("ctx", {})
    found = yaml_word(error["input"])
    table = {
        "contract": (context.get("what", ""), context.get("hint", "")),
        "bool_type": (f"is read by YAML as {found}, true or false is needed", "write true or false without quotes"),
        "int_type": (f"is read by YAML as {found}, a whole number is needed", "write it without quotes"),
        "literal_error": ("is not one of the known words", f"one of: {context.get('expected', '')}".replace("'", "")),
        "enum": ("is not one of the known words", f"one of: {context.get('expected', '')}".replace("'", "")),
        "tuple_type": (f"is {found}, a list is needed", "write [a, b] or one item per line, each after a dash"),
        "dict_type": (f"is {found}, a mapping is needed", "write name: value"),
        "model_type": (f"is {found}, a mapping is needed", "write {name: value, …} or one name: value per line"),
        "too_short": ("is empty", "write at least one"),
        "greater_than_equal": (f"is below {context.get('ge')}", f"write {context.get('ge')} or more"),
        "less_than_equal": (f"is above {context.get('le')}", f"write {context.get('le')} or less"),
    }
    return table.get(kind, (str(error["msg"]), ""))


def _shown(document: Document, path: Path) -> str:
    return f"{_dotted(document, path)}: " if path else ""


def _dotted(document: Document, path: Path) -> str:
    """The path as a person reads it: items of a list by their name where they have one."""
    words: list[str] = []
    value: Any = document.value
    for part in path:
        value = value[part] if isinstance(value, dict) and part in value else _item(value, part)
        name = value.get("name") if isinstance(part, int) and isinstance(value, dict) else None
        words.append(str(name if isinstance(name, str) else part))
    return ".".join(words)


def _item(value: Any, part: str | int) -> Any:
    return value[part] if isinstance(value, tuple) and isinstance(part, int) and 0 <= part < len(value) else None


def _holder(document: Document, path: Path) -> str:
    return f"'{_dotted(document, path)}'" if path else "the contract"


def _attributes_like(path: Path) -> str:
    if len(path) == 3 and path[0] == "fields" and (top := _ELSEWHERE.get(str(path[-1]))):
        return f"write {top} at the top of the contract, with the names of its fields"
    known = sorted(_attributes_at(path[:-1]))
    written = str(path[-1])
    close = (
        [_SYNONYMS[written]] if _SYNONYMS.get(written) in known else get_close_matches(written, known, n=1, cutoff=0.6)
    )
    nearest = f"did you mean '{close[0]}'? " if close else ""
    return f"{nearest}known: {', '.join(known)}"


def _attributes_at(path: Path) -> set[str]:
    """The attributes that the model knows at `path`, found by walking the models' annotations."""
    models: list[type[BaseModel]] = [Contract]
    for part in path:
        if isinstance(part, int):
            continue
        models = [
            found
            for model in models
            for name, info in model.model_fields.items()
            if part in (name, info.alias)
            for found in _models_in(info.annotation)
        ] or models
    return {info.alias or name for model in models for name, info in model.model_fields.items()}


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in getattr(annotation, "__args__", ()) for model in _models_in(argument)]
