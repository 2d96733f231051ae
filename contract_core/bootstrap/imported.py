"""A contract taken over from another language, and what that language says and a contract cannot hold."""

from dataclasses import dataclass, replace

from contract_core.bootstrap.draft import REVIEW, Draft, FieldDraft, fitting
from contract_core.contract.model import Contract
from contract_core.contract.yaml_document import Path

_OWNERS: dict[Path, str] = {
    ("owners",): f"{REVIEW}owners: name the producer and the consumers; they approve what the values mean"
}


@dataclass(frozen=True, slots=True)
class Imported:
    """The contract, the notes that belong into its text, and a plain sentence about everything that it could not take over."""

    contract: Contract
    notes: dict[Path, str]
    not_carried: tuple[str, ...]


def new_draft(name: str, form: str) -> Draft:
    """An empty draft whose deliveries have this format."""
    notes: dict[Path, str] = {("status",): f"{REVIEW}status: until the owners approve what stands here", **_OWNERS}
    return Draft((), {"contract": name, "version": "0.1.0"}, {} if form == "csv" else {"type": form}, notes)


def with_fields(draft: Draft, fields: tuple[FieldDraft, ...]) -> Draft:
    """The draft with these fields."""
    return replace(draft, fields=fields)


def as_imported(draft: Draft) -> Imported:
    """The draft as a contract; what the language has no place for is left out and named like all else that was."""
    kept, misfits = fitting(draft)
    return Imported(kept.contract, kept.comments, (*kept.told, *misfits))
