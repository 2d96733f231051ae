"""What the records of JSON lines hold: every key in order of sight, and which JSON types its values have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contract_core.bootstrap.names import refuse_values
from contract_core.candidate.delivered_paths import shown
from contract_core.candidate.json_text import FractionalNumber, WholeNumber, parsed_json
from contract_core.candidate.text_lines import Unreadable, opened_text, undecodable
from contract_core.errors import CandidateUnreadableError, Problem

_MOST_KEYS = 1000
_ENCODING = "utf-8"


@dataclass(slots=True)
class KeyFacts:
    """The JSON types of one key's values, and the longest whole number among them in digits."""

    kinds: set[type] = field(default_factory=set)
    digits: int = 0
    has_negative: bool = False

    def see(self, value: object) -> None:
        """One value more."""
        self.kinds.add(type(value))
        if type(value) is WholeNumber:
            self.digits = max(self.digits, len(value.lstrip("-")))
            self.has_negative |= value.startswith("-")


def json_layout(files: Sequence[Path]) -> dict[str, KeyFacts]:
    """Every key of every record. Raises CandidateUnreadableError for what is no JSON, no object, or has keys without end."""
    keys: dict[str, KeyFacts] = {}
    for file in files:
        try:
            _read(file, keys)
        except Unreadable as reason:
            raise _refused(file, str(reason)) from None
        except UnicodeError:
            raise _refused(file, undecodable(file, _ENCODING)) from None
    refuse_values(tuple(keys), "delivery", "write such keys as values: one record for each")
    return keys


def _read(file: Path, keys: dict[str, KeyFacts]) -> None:
    for number, record in _records(file):
        if type(record) is not dict:
            raise Unreadable(f"line {number} is no JSON object")
        for name, value in record.items():
            facts = keys.get(name)
            if facts is None:
                facts = keys[name] = KeyFacts()
            facts.see(value)
        if len(keys) > _MOST_KEYS:
            raise Unreadable(f"has more than {_MOST_KEYS:,} different keys, so that keys seem to be values")


def _records(file: Path) -> Iterator[tuple[int, Any]]:
    with opened_text(file, _ENCODING, newline="\n") as text:
        for number, line in enumerate(text, start=1):
            if line.strip(" \t\r\n"):
                yield number, parsed_json(line, number, around=1)


def _refused(file: Path, reason: str) -> CandidateUnreadableError:
    hint = "JSON is read as one object a line; nothing can be inferred from this file as it is"
    return CandidateUnreadableError(Problem(f"delivery {shown(file)}", reason, hint))


def type_of(facts: KeyFacts) -> str | None:
    """The type of the language that takes all values of a key; None where no type does."""
    kinds = facts.kinds - {type(None)}
    if kinds == {WholeNumber}:
        return _whole(facts)
    if kinds and kinds <= {WholeNumber, FractionalNumber}:
        return "number"
    single = {str: "string", bool: "boolean", dict: "object", list: "array"}
    return single.get(next(iter(kinds))) if len(kinds) == 1 else ("string" if not kinds else None)


def _whole(facts: KeyFacts) -> str:
    """Numbers beyond 64 bits keep their digits as decimals, as far as those go."""
    if facts.digits < 19:
        return "integer"
    if facts.digits <= 38:
        return "decimal(38,0)"
    return "number"
