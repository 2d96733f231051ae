"""A contract in the making: fields and terms as frozen values, and beside each guess what it rests on.

Notes are kept by the name of the field, so that a field can be left out without moving the notes of others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from contract_core.contract.consistency import complaints_of
from contract_core.contract.model import Contract
from contract_core.contract.remaining import plain_path
from contract_core.contract.yaml_document import Path
from contract_core.errors import Problem, WrongUsageError

REVIEW = "review: "
_BY_FIELD = ("null_values", "true_values", "false_values", "dates")


@dataclass(frozen=True, slots=True)
class FieldDraft:
    """One field: its attributes as the contract writes them, how its text is decoded, and a note by attribute."""

    name: str
    terms: Mapping[str, Any]
    decoding: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    def having(self, note: str | None = None, **terms: object) -> "FieldDraft":
        """The field with more attributes; the note is about the first of them."""
        notes = {**self.notes, next(iter(terms)): note} if note else self.notes
        return replace(self, terms={**self.terms, **terms}, notes=notes)

    def without(self, *names: str) -> "FieldDraft":
        """The field without these attributes and their notes."""
        terms = {name: value for name, value in self.terms.items() if name not in names}
        notes = {name: note for name, note in self.notes.items() if name not in names}
        return replace(self, terms=terms, notes=notes)


@dataclass(frozen=True, slots=True)
class Draft:
    """A whole contract; `terms` are all attributes but the fields, `told` is what a person is told beside the text."""

    fields: tuple[FieldDraft, ...]
    terms: Mapping[str, Any]
    format: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[Path, str] = field(default_factory=dict)
    told: tuple[str, ...] = ()

    @property
    def contract(self) -> Contract:
        """The contract as it stands; raises pydantic's ValidationError where an attribute is none."""
        return Contract.model_validate(self._document())

    @property
    def comments(self) -> dict[Path, str]:
        """Every note under its path in the contract."""
        inside: dict[Path, str] = {
            ("fields", place, attribute): f"{REVIEW}{attribute}: {note}"
            for place, item in enumerate(self.fields)
            for attribute, note in item.notes.items()
        }
        return {**self.notes, **inside}

    def having(self, note: str | None = None, **terms: object) -> "Draft":
        """The draft with more terms; the note is about the first of them."""
        name = next(iter(terms))
        notes = {**self.notes, (name,): f"{REVIEW}{note}"} if note else self.notes
        return replace(self, terms={**self.terms, **terms}, notes=notes)

    def without(self, name: str) -> "Draft":
        """The draft without one term and the notes about it."""
        terms = {key: value for key, value in self.terms.items() if key != name}
        return replace(
            self, terms=terms, notes={path: note for path, note in self.notes.items() if path[:1] != (name,)}
        )

    def with_field(self, changed: FieldDraft) -> "Draft":
        """The draft with one field put in the place of its namesake."""
        return replace(self, fields=tuple(changed if item.name == changed.name else item for item in self.fields))

    def without_field(self, name: str) -> "Draft":
        """The draft without a field; what is undeclared is let pass and dropped from then on, and a key that names it goes too."""
        kept = replace(self, fields=tuple(item for item in self.fields if item.name != name))
        kept = kept.having(extra_fields="ignore")
        return kept.without("key") if name in self.terms.get("key", ()) else kept

    def telling(self, *sentences: str) -> "Draft":
        """The draft with more to tell."""
        return replace(self, told=(*self.told, *sentences))

    def field(self, name: str) -> FieldDraft:
        """The field of that name; raises KeyError where there is none."""
        return {item.name: item for item in self.fields}[name]

    def _document(self) -> dict[str, Any]:
        fields = [{"name": item.name, **item.terms} for item in self.fields]
        decodings: dict[str, Any] = {
            kind: found
            for kind in _BY_FIELD
            if (found := {item.name: item.decoding[kind] for item in self.fields if kind in item.decoding})
        }
        delivery = {**self.terms.get("delivery", {}), "format": {**self.format, **decodings}}
        return {**self.terms, "fields": fields, "delivery": delivery}


def fitting(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft without what the language has no place for, and a sentence about each thing that is left out.

    Raises WrongUsageError where no field is left.
    """
    told: list[str] = []
    while misfit := next(_misfits(draft), None):
        path, what = misfit
        told.append(f"`{_shown(draft, path)}` is left out: {what}")
        draft = _without(draft, path)
        if not draft.fields:
            raise WrongUsageError(Problem("schema", "has no column that a contract could declare", told[-1]))
    return draft, tuple(told)


def _misfits(draft: Draft) -> Iterator[tuple[Path, str]]:
    try:
        contract = draft.contract
    except ValidationError as error:
        for item in error.errors(include_url=False, include_input=False):
            yield plain_path(item["loc"]), "its value is none that the language has"
        return
    for complaint in complaints_of(contract, frozenset(contract.field_names)):
        yield complaint.path, complaint.what


def _shown(draft: Draft, path: Path) -> str:
    first, *rest = path
    if first == "fields" and rest:
        return ".".join([draft.fields[int(rest[0])].name, *(str(part) for part in rest[1:2])])
    return str(first)


def _without(draft: Draft, path: Path) -> Draft:
    """The draft without the attribute of a field, the item of a list or the term at the path."""
    first, *rest = path
    if first == "fields" and rest:
        item = draft.fields[int(rest[0])]
        is_whole = len(rest) == 1 or rest[1] in ("name", "type")
        return draft.without_field(item.name) if is_whole else draft.with_field(item.without(str(rest[1])))
    listed = draft.terms.get(str(first))
    if first in ("rules", "unique") and rest and len(listed or ()) > 1:
        kept = [item for place, item in enumerate(listed or ()) if place != rest[0]]
        return replace(draft, terms={**draft.terms, str(first): kept})
    return draft.without(str(first))
