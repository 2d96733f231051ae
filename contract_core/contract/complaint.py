"""A complaint about a contract: which attribute, what is wrong with it, what to write instead."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from contract_core.contract.yaml_document import Path

_COMPARED = 500  # names that a misspelt one is held against: more would take minutes where many are misspelt
_LISTED = 100


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that does not fit, at a path inside the contract, and the other attributes that it is judged by."""

    path: Path
    what: str
    hint: str = ""
    depends_on: tuple[Path, ...] = ()


def unknown_field(path: Path, name: str, known: Iterable[str]) -> Complaint:
    """The complaint about a name that is no field, with the nearest one that is."""
    names = sorted(known)
    close = get_close_matches(name, names, n=1, cutoff=0.6) if len(names) <= _COMPARED else []
    nearest = f"did you mean '{close[0]}'? " if close else ""
    return Complaint(path, f"'{name}' is no field of this contract", f"{nearest}fields: {few(names, _LISTED)}")


def few(names: Iterable[str], limit: int = 10) -> str:
    """The first names of a list, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - limit} more" if len(listed) > limit else ""
    return ", ".join(listed[:limit]) + more


def unknown_fields(path: Path, used: Iterable[str], known: frozenset[str]) -> Iterator[Complaint]:
    """A complaint for each used name that is no field."""
    return (unknown_field(path, name, known) for name in used if name not in known)
