"""The file beside a contract that lists its required parts: the names, and for which days each is required, become the contract's own.

So the digest covers them, and a list that changes is a change of the contract.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError, model_validator

from contract_core.contract.delivery_terms import PartTerms, Period, refuse_backwards
from contract_core.contract.manifest_schema import SUFFIX, required_by_schema
from contract_core.contract.model import Contract
from contract_core.contract.scalars import Day, NamedText, Term
from contract_core.contract.yaml_document import MAX_BYTES, load_document
from contract_core.errors import InvalidContractError, Problem

Read = Callable[[str], bytes]
"""What stands in a file, named relative to the contract's folder."""
_DAYS = ("valid_from", "valid_until")
_Entry = tuple[int, dict[str, Any]]


def with_listed_parts(contract: Contract, read: Read, place: str) -> Contract:
    """The contract with the parts that its `required_file` lists in place of the file; itself where it names none.

    `place` is the folder of the contract as messages begin with it, its slash included. Raises InvalidContractError with all
    problems of the list.
    """
    parts = contract.delivery.parts
    if parts is None or parts.required_file is None:
        return contract
    where = f"{place}{parts.required_file}"
    entries, problems = _entries(read(parts.required_file), parts.required_file, where)
    listed = [part for entry in entries if (part := _part(entry, where, problems)) is not None]
    problems += _repeated(listed, where)
    if any(part.period is not None for _, part in listed) and not _has_days(contract):
        what = "says for which days parts are required, and the contract has no partitions that are spans of time"
        problems.append(Problem(where, what, "leave valid_from and valid_until out, or write every: in its partition"))
    if not listed and not problems:
        problems.append(Problem(where, "lists no part", "write one name at least"))
    if problems:
        raise InvalidContractError(*problems)
    return _of(contract, parts, [part for _, part in listed])


def _of(contract: Contract, parts: PartTerms, listed: "list[ListedPart]") -> Contract:
    periods = {part.name: part.period for part in listed if part.period is not None}
    known = {"required_file": None, "required": tuple(part.name for part in listed), "periods": periods}
    delivery = contract.delivery.model_copy(update={"parts": parts.model_copy(update=known)})
    return contract.model_copy(update={"delivery": delivery})


def _has_days(contract: Contract) -> bool:
    terms = contract.delivery.partition
    return terms is not None and terms.every is not None


def _repeated(listed: "list[tuple[int, ListedPart]]", where: str) -> Iterator[Problem]:
    counts = Counter(part.name for _, part in listed)
    seen: set[str] = set()
    for line, part in listed:
        if counts[part.name] > 1 and part.name in seen:
            yield Problem(f"{where}:{line}", "lists a part again", "write each name once")
        seen.add(part.name)


def _part(entry: _Entry, where: str, problems: list[Problem]) -> "tuple[int, ListedPart] | None":
    line, stated = entry
    try:
        return line, ListedPart.model_validate(stated)
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)
        problems.extend(Problem(f"{where}:{line}", *_told(item)) for item in told)
        return None


def _told(item: Any) -> tuple[str, str]:  # noqa: ANN401 - pydantic's own errors
    name, context = ".".join(map(str, item["loc"])), item.get("ctx", {})
    about = f"{name}: " if name else ""
    match item["type"]:
        case "contract":
            return f"{about}{context.get('what', '')}", context.get("hint", "")
        case "extra_forbidden":
            return f"{about}is unknown", "known: name, valid_from, valid_until"
        case "missing":
            return "a part has no name", "write name:"
    return f"{about}does not fit here", "write a name, or {name: …, valid_until: 2026-12-31}"


def _entries(content: bytes, name: str, where: str) -> tuple[list[_Entry], list[Problem]]:
    """What a list holds, each entry with its line; a name alone counts as {name: …}."""
    problems: list[Problem] = []
    if len(content) > MAX_BYTES:
        return [], [Problem(where, "is larger than 1 MiB", "a list of parts is short")]
    if name.endswith(SUFFIX):
        return required_by_schema(content, where)
    if not name.endswith(".csv"):
        return _document_entries(content, where)
    try:
        rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        return list(_table_entries(rows, where, problems)), problems
    except UnicodeDecodeError:
        return [], [Problem(where, "is no text in UTF-8", "save it as UTF-8")]
    except csv.Error:
        return [], [
            Problem(where, "is no CSV", "write one name in each line below a header, and commas between columns")
        ]


def _table_entries(rows: Any, where: str, problems: list[Problem]) -> Iterator[_Entry]:  # noqa: ANN401 - csv names no type
    header: list[str] = next(rows, [])
    named = [column for column in header if column not in _DAYS]
    if len(named) != 1 or len(set(header)) != len(header):
        what = "does not have one column of names, and beside it valid_from and valid_until alone"
        problems.append(Problem(f"{where}:1", what, "write a header such as name,valid_from,valid_until"))
        return
    columns = ["name" if column in named else column for column in header]
    for row in rows:
        if len(row) != len(columns):
            what = "has another number of values than the header has columns"
            problems.append(Problem(f"{where}:{rows.line_num}", what, "write one value for each column"))
            continue
        stated = dict(zip(columns, row, strict=True))
        yield rows.line_num, {key: text for key, text in stated.items() if key == "name" or text}


def _document_entries(content: bytes, where: str) -> tuple[list[_Entry], list[Problem]]:
    document = load_document(content)
    problems = [Problem(f"{where}:{mark.line}:{mark.column}", what, hint) for mark, what, hint in document.problems]
    if not problems and not isinstance(document.value, tuple):
        problems = [Problem(f"{where}:1", "is no list", "write one name per line, each after a dash")]
    if problems or not isinstance(document.value, tuple):
        return [], problems
    items = enumerate(document.value)
    return [
        (document.mark((place,)).line, item if isinstance(item, dict) else {"name": item}) for place, item in items
    ], []


class ListedPart(Term):
    """One part as a list names it."""

    name: NamedText
    valid_from: Day | None = None
    valid_until: Day | None = None

    @model_validator(mode="after")
    def _is_a_span(self) -> "ListedPart":
        refuse_backwards(self.valid_from, self.valid_until)
        return self

    @property
    def period(self) -> Period | None:
        """For which days it is required; None where it always is."""
        if self.valid_from is None and self.valid_until is None:
            return None
        return Period(valid_from=self.valid_from, valid_until=self.valid_until)
