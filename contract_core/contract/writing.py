"""A contract → native YAML as a person would write it: in the order of the language, defaults left out, notes as comments.

Reading the text again gives the same contract with the same digest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from contract_core.contract.delivery_terms import ANY_FIELD
from contract_core.contract.model import Contract
from contract_core.contract.yaml_document import Path
from contract_core.contract.yaml_text import (
    comment_lines,
    duration_text,
    moment_text,
    number_text,
    share_text,
    text_after_key,
    text_in_braces,
    text_on_lines,
)

_WIDTH, _SHORT = 120, 90
_ORDER = {
    Contract.__name__: (
        "contract", "version", "status", "sunset", "description", "purpose", "domain", "grain", "population", "owners",
        "key", "extra_fields", "fields",
    ),
    "PartitionTerms": ("every", "column"),
}  # fmt: skip
_ONE_FOR_ALL = ("severity", "null_values", "true_values", "false_values")
_NO_NOTES: Mapping[Path, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Written:
    """A value that is YAML already: a number, a date, a text in the quotes that it always has."""

    text: str


_Tree = str | _Written | dict[str, Any] | list[Any]


def contract_text(contract: Contract, notes: Mapping[Path, str] = _NO_NOTES) -> str:
    """The contract as YAML; `notes` become comments at the line of their path, and an attribute with a note is written out.

    A note about an attribute that the contract does not have stands where the attribute would.
    """
    lines = [line for note in (notes.get(()),) if note for line in comment_lines(note)]
    for key, value in _mapping(contract, (), notes).items():
        lines += _Page(notes).attribute(key, value, (key,), "")
    return "\n".join(lines) + "\n"


def _mapping(term: BaseModel, path: Path, notes: Mapping[Path, str]) -> dict[str, Any]:
    """The attributes that are not at their default or have a note, under the names of the language and in its order."""
    infos = type(term).model_fields
    first = _ORDER.get(type(term).__name__, ())
    names = sorted(infos, key=lambda name: first.index(name) if name in first else len(first))
    found: dict[str, Any] = {}
    for name in names:
        info, value = infos[name], getattr(term, name)
        key = info.alias or name
        inner = (*path, key)
        is_noted = any(noted[: len(inner)] == inner for noted in notes)
        if is_noted or info.is_required() or value != info.get_default(call_default_factory=True):
            found[key] = _tree(value, info, inner, notes)
    return found


def _tree(value: Any, info: FieldInfo, path: Path, notes: Mapping[Path, str]) -> _Tree | None:  # noqa: ANN401 - any attribute
    match value:
        case None:
            return None
        case BaseModel():
            return _mapping(value, path, notes)
        case dict():
            return _by_field(path[-1], {key: _tree(item, info, (*path, key), notes) for key, item in value.items()})
        case list() | tuple():
            return [_tree(item, info, (*path, place), notes) for place, item in enumerate(value)]
        case Decimal() if _holds_shares(info.annotation):
            return _Written(share_text(value))
        case _:
            return _scalar(value, path)


def _scalar(value: object, path: Path) -> _Tree:
    match value:
        case bool():
            return _Written("true" if value else "false")
        case int() | float() | Decimal():
            return _Written(repr(value) if isinstance(value, float) else number_text(value))
        case date():
            return _Written(moment_text(value))
        case time():
            return _Written(f'"{value:%H:%M}"')
        case timedelta():
            return _Written(duration_text(value))
        case _ if path == ("version",):
            return _Written(f'"{value}"')
        case "unicode" if path[-1] == "not_blank":
            return _Written("true")
        case _:
            return str(value)


def _holds_shares(annotation: object) -> bool:
    """True where a decimal is a share: bounds are of any type, and nothing else is a decimal."""
    return annotation is Decimal or any(_holds_shares(inner) for inner in get_args(annotation))


def _by_field(name: str | int, values: dict[str, Any]) -> _Tree:
    """One value for all fields without their names, one format for a field without brackets."""
    if name in _ONE_FOR_ALL and set(values) == {ANY_FIELD}:
        return values[ANY_FIELD]  # type: ignore[no-any-return]  # a list of texts, or a severity
    if name == "dates":
        return {key: formats[0] if len(formats) == 1 else formats for key, formats in values.items()}
    return values


class _Page:
    """Lays values out in lines of a readable width, each with the notes that belong to it."""

    def __init__(self, notes: Mapping[Path, str]) -> None:
        self._notes = notes

    def attribute(self, key: str, value: _Tree | None, path: Path, indent: str) -> list[str]:
        """`key: value` in one line or several; only the note where there is no value."""
        if value is None:
            return self._noted([], path, indent)
        head = f"{indent}{text_after_key(key)}:"
        if isinstance(value, str):
            return self._noted([f"{head} {text}" for text in [self._text(value, head, indent)]], path, indent)
        if isinstance(value, _Written) or self._fits_braces(value, path, head):
            return self._noted([f"{head} {_in_braces(value)}"], path, indent)
        if isinstance(value, dict):
            lines = [line for name, item in value.items() for line in self._inside(name, item, path, indent)]
        elif not any(isinstance(item, dict) for item in value):
            return self._noted(_wrapped(head, value), path, indent)
        else:
            lines = [line for place, item in enumerate(value) for line in self._item(item, (*path, place), indent)]
        return [*self._own(head, path, indent), *lines]

    def _inside(self, name: str, item: _Tree | None, path: Path, indent: str) -> list[str]:
        return self.attribute(name, item, (*path, name), f"{indent}  ")

    def _text(self, text: str, head: str, indent: str) -> str:
        written = text_after_key(text)
        is_long = len(head) + 1 + len(written) > _WIDTH
        on_lines = text_on_lines(text, f"{indent}  ", _WIDTH) if is_long or "\n" in text else None
        return on_lines or written

    def _fits_braces(self, value: dict[str, Any] | list[Any], path: Path, head: str) -> bool:
        inner = list(value.values()) if isinstance(value, dict) else value
        if not inner:
            return True
        if isinstance(value, list) and any(isinstance(item, dict) for item in inner):
            return False
        has_parts = any(isinstance(item, dict | list) for item in inner)
        if has_parts and (any(noted[:-1] == path for noted in self._notes) or _holds_mappings(inner)):
            return False
        return len(head) + 1 + len(_in_braces(value)) <= (_SHORT if has_parts else _WIDTH)

    def _item(self, item: _Tree, path: Path, indent: str) -> list[str]:
        line = f"{indent}  - {_in_braces(item)}"
        if not isinstance(item, dict) or (len(line) <= _WIDTH and not _holds_mappings(list(item.values()))):
            return self._noted([line], path, f"{indent}  ")
        lines = [line for name, value in item.items() for line in self._inside(name, value, path, f"{indent}  ")]
        first = next(place for place, line in enumerate(lines) if not line.lstrip().startswith("#"))
        lines[first] = f"{indent}  - {lines[first].lstrip()}"
        return [*(f"{indent}  {text}" for text in self._comments(path)), *lines]

    def _own(self, line: str, path: Path, indent: str) -> list[str]:
        """A line with the note of just its own path, since those inside it have lines of their own."""
        return _with_comments([line], self._comments(path), indent)

    def _comments(self, path: Path) -> list[str]:
        return list(comment_lines(self._notes[path])) if path in self._notes else []

    def _noted(self, lines: list[str], path: Path, indent: str) -> list[str]:
        """Lines with all notes at their path and inside it."""
        told = [note for noted, note in self._notes.items() if noted[: len(path)] == path]
        return _with_comments(lines, [line for note in told for line in comment_lines(note)], indent)


def _with_comments(lines: list[str], comments: list[str], indent: str) -> list[str]:
    """One comment at the end of one line where there is room, else all of them above."""
    if len(lines) == len(comments) == 1 and "\n" not in lines[0] and len(lines[0]) + len(comments[0]) + 2 <= _WIDTH:
        return [f"{lines[0]}  {comments[0]}"]
    return [*(f"{indent}{comment}" for comment in comments), *lines]


def _wrapped(head: str, values: Sequence[_Tree]) -> list[str]:
    """A long list of plain values between brackets, in as many lines as it needs."""
    lines, line = [], f"{head} ["
    indent = " " * len(line)
    for place, text in enumerate(map(_in_braces, values), start=1):
        piece = f"{text}," if place < len(values) else f"{text}]"
        if line.strip() and not line.endswith("[") and len(line) + len(piece) + 1 > _WIDTH:
            lines.append(line)
            line = indent
        line += piece if line.endswith(("[", indent)) else f" {piece}"
    return [*lines, line]


def _holds_mappings(values: Sequence[Any]) -> bool:
    """True where a list of mappings stands somewhere inside, which takes lines of its own."""
    lists = [value for value in values if isinstance(value, list)]
    inner = [value for value in values if isinstance(value, dict)]
    return any(isinstance(item, dict) for value in lists for item in value) or any(
        _holds_mappings(list(value.values())) for value in inner
    )


def _in_braces(value: _Tree | None) -> str:
    match value:
        case _Written(text):
            return text
        case str():
            return text_in_braces(value)
        case dict():
            shown = (f"{text_in_braces(key)}: {_in_braces(item)}" for key, item in value.items() if item is not None)
            return f"{{{', '.join(shown)}}}"
        case list():
            return f"[{', '.join(map(_in_braces, value))}]"
        case _:
            return "null"
