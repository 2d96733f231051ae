"""Which names of columns a contract can declare, and which look like values that got there for want of a header."""

import re
from collections.abc import Mapping, Sequence

from contract_core.candidate.json_text import is_unicode
from contract_core.errors import CandidateUnreadableError, Problem

_LONGEST = 100
_VALUE = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}.*|[^@\s]+@[^@\s]+\.[^@\s]+")
_OF_A_PERSON = re.compile(
    r".*[^@\s]@[^@\s]+\.[^@\s].*|\+[0-9][0-9 ()/-]{6,}|[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,8}[ A-Z0-9]{0,4}"
)


def _name_fault(name: str, earlier: Mapping[str, int]) -> str | None:
    """Why a contract cannot declare a field of this name, in words that do not tell the name; `earlier` are names in small letters."""
    if not name.strip():
        return "has no name"
    if not is_unicode(name):
        return "has a name that is not Unicode"
    if (
        len(name) > 255
        or name != name.strip()
        or any(ord(character) < 32 or ord(character) == 127 for character in name)
    ):
        return "has a name with outer blanks, control characters or more than 255 characters"
    if name == "*" or (name.startswith("^") and name.endswith("$")) or name.startswith("__"):
        return "has a name that the gate cannot take for a column of its own"
    if name.casefold() in earlier:
        return f"has the name of column {earlier[name.casefold()]} but for case"
    return None


def declarable(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that a contract can declare, and a sentence about each column that it cannot, told by its place."""
    earlier: dict[str, int] = {}
    told = []
    kept = []
    for place, name in enumerate(names, start=1):
        fault = _name_fault(name, earlier)
        if fault is None:
            kept.append(name)
            earlier[name.casefold()] = place
        else:
            told.append(f"column {place} is left out: it {fault}")
    return tuple(kept), tuple(told)


def refuse_values(names: Sequence[str], where: str, hint: str) -> None:
    """Raises CandidateUnreadableError for names that are no names: values would become the names of fields.

    One address, telephone or account number is enough; of numbers and dates, which do head columns, it takes more than half.
    """
    short = [name.strip() for name in names if len(name) <= _LONGEST]
    of_people = sum(_OF_A_PERSON.fullmatch(name) is not None for name in short)
    values = sum(_VALUE.fullmatch(name) is not None or _OF_A_PERSON.fullmatch(name) is not None for name in short)
    if of_people or 2 * values > len(names):
        verb = "looks like a value" if values == 1 else "look like values"
        raise CandidateUnreadableError(Problem(where, f"{values:,} of its {len(names):,} names {verb}", hint))
