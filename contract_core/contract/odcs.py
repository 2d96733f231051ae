"""Open Data Contract Standard documents → contracts of our own model, one for each table, and what the model cannot hold."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from contract_core.contract.consistency import complaints_of
from contract_core.contract.model import Contract
from contract_core.contract.odcs_draft import Account, Draft, leaves
from contract_core.contract.odcs_shape import Found, shape_problems, shown
from contract_core.contract.odcs_tables import Obstacle, read_table
from contract_core.contract.scalars import yaml_word
from contract_core.contract.standards import is_odcs
from contract_core.contract.yaml_document import Document, Path, Value, load_document
from contract_core.errors import InvalidContractError, Problem

_ROUNDS = 100
_TOLD = 500
_CAN_BE_LEFT = frozenset(
    {
        "delivery",
        "freshness",
        "sunset",
        "owners",
        "unverified",
        "pattern",
        "enum",
        "renamed_from",
        "min",
        "max",
        "rules",
    }
)
"""Attributes without which the contract still means what the document says of the rest."""


@dataclass(frozen=True, slots=True)
class OdcsReading:
    """The contracts that a document holds, what of it they do not hold, in words and by place, and how many values it has.

    `obstacles` say why no contract could be made of a table.
    """

    contracts: tuple[Contract, ...]
    not_carried: tuple[str, ...]
    not_held: tuple[Path, ...]
    total: int
    obstacles: tuple[Problem, ...] = ()

    @property
    def kept(self) -> int:
        """How many values of the document the contracts hold as they stand."""
        return self.total - len(self.not_held)


def read_odcs(text: str | bytes, source: str) -> OdcsReading:
    """The contracts of an Open Data Contract Standard document, and each thing in it that the model cannot hold.

    Raises InvalidContractError with all problems where the text is no such document. A table of which no contract can be made
    is named among what is not carried.
    """
    document = load_document(text.encode(errors="surrogatepass") if isinstance(text, str) else text)
    if document.value is None and document.problems:
        raise InvalidContractError(*_placed(source, document.problems))
    if not isinstance(document.value, dict):
        what = f"a document of the standard is a mapping, this is {yaml_word(document.value)}"
        raise InvalidContractError(Problem(f"{source}:1:1", what, "write apiVersion:, kind: and schema:"))
    problems = [*document.problems, *shape_problems(document)]
    if problems:
        raise InvalidContractError(*_placed(source, problems))
    return _reading(document, document.value, source)


def notes_of(text: bytes, source: str) -> tuple[str, ...]:
    """What a document of the standard says that its contracts do not hold; nothing for a native contract."""
    document = load_document(text)
    return read_odcs(text, source).not_carried if is_odcs(document.value) else ()


def only_contract(text: str | bytes, source: str) -> Contract:
    """The contract of a document with one table. Raises InvalidContractError where there is none, or a choice."""
    reading = read_odcs(text, source)
    if len(reading.contracts) == 1 and not reading.obstacles:
        return reading.contracts[0]
    if not reading.contracts:
        none = Problem(f"{source}:1:1", "the document describes no table with columns", "write schema: and properties:")
        raise InvalidContractError(*(reading.obstacles or (none,)))
    names = ", ".join(contract.name for contract in reading.contracts)
    what = f"the document describes several tables, and a contract is about one: {names}"
    hint = f"choose one: contract-gate import {source} --from odcs --table {reading.contracts[0].name}"
    raise InvalidContractError(Problem(f"{source}:1:1", what, hint), *reading.obstacles)


def _reading(document: Document, value: dict[str, Value], source: str) -> OdcsReading:
    account = Account(document)
    tables = value.get("schema")
    contracts: dict[str, Contract] = {}
    obstacles: list[Found] = []
    problems: list[Found] = []
    for index in range(len(tables) if isinstance(tables, tuple) else 0):
        draft, in_the_way = read_table(account, value, index)
        contract, found = (None, []) if in_the_way else _settled(draft, account)
        obstacles += [_found(document, obstacle) for obstacle in in_the_way]
        problems += found
        if contract is not None and contract.name in contracts:
            mark = document.mark(("schema", index, "name"))
            problems.append((mark, f"a second table would be the contract '{contract.name}'", "rename one of them"))
        if contract is not None:
            contracts[contract.name] = contract
    if problems:
        raise InvalidContractError(*_placed(source, problems))
    if not contracts:
        account.hold_nothing("no contract is made of the document")
    total = sum(1 for _ in leaves(value))
    left = tuple(f"`{source}:{mark.line}`: no contract is made of this table: {what}" for mark, what, _ in obstacles)
    if not contracts and not obstacles:
        left = ("`schema`: the document describes no table, and a contract is about one",)
    placed = tuple(_placed(source, obstacles))
    return OdcsReading(tuple(contracts.values()), (*left, *account.sentences()), account.not_held(), total, placed)


def _found(document: Document, obstacle: Obstacle) -> Found:
    path, what, hint = obstacle
    return document.mark(path), f"{shown(document, path)}: {what}", hint


def _placed(source: str, problems: list[Found]) -> Iterator[Problem]:
    ordered = sorted(set(problems), key=lambda problem: (problem[0].line, problem[0].column, problem[1]))
    for mark, what, hint in ordered[:_TOLD]:
        yield Problem(f"{source}:{mark.line}:{mark.column}", what, hint)
    if len(ordered) > _TOLD:
        yield Problem(source, f"has {len(ordered) - _TOLD:,} problems more", "repair these first")


def _settled(draft: Draft, account: Account) -> tuple[Contract | None, list[Found]]:
    """The contract of a draft; what does not fit is left out with its reason, or is a problem where that changes the rest."""
    for _ in range(_ROUNDS):
        contract, complaints = _tried(draft)
        if not complaints:
            return contract, []
        if _is_too_active(draft, account, complaints):
            continue
        problems = []
        for path, what, hint in complaints:
            origin = draft.origin(path)
            if not _leave_out(draft, account, path, what):
                mark = account.document.mark(origin)
                problems.append((mark, f"{shown(account.document, origin)}: {what}", hint))
        if problems:
            return None, problems
    return None, [(account.document.mark(()), "the document has too many parts that do not fit together", "")]


def _tried(draft: Draft) -> tuple[Contract | None, list[tuple[Path, str, str]]]:
    try:
        contract = Contract.model_validate(draft.whole())
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        return None, [(item["loc"], *_worded(item["type"], item["msg"], item.get("ctx", {}))) for item in found]
    complaints = complaints_of(contract, frozenset(draft.names()))
    return contract, [(complaint.path, complaint.what, complaint.hint) for complaint in complaints]


def _worded(kind: str, message: str, context: dict[str, object]) -> tuple[str, str]:
    if kind == "contract":
        return str(context.get("what", "")), str(context.get("hint", ""))
    return f"does not fit the language: {message[:1].lower()}{message[1:]}", ""


def _is_too_active(draft: Draft, account: Account, complaints: list[tuple[Path, str, str]]) -> bool:
    """Whether the document says active and lacks what an active contract says; it is read as a draft then."""
    lacking = [what for path, what, _ in complaints if path in (("status",), ("owners",))]
    if draft.value.get("status") != "active" or not lacking or "customProperties" in draft.origin(("status",)):
        return False
    account.leave(("status",), f"is read as 'draft': {'; '.join(lacking)}")
    draft.put("status", "draft", ("status",))
    return True


def _leave_out(draft: Draft, account: Account, path: Path, what: str) -> bool:
    """Take out the part that a complaint is about, where the contract means the same without it."""
    origin = draft.origin(path)
    if "customProperties" in origin:
        return False
    attribute = path[2] if path[0] == "fields" and len(path) > 2 else path[0]
    if attribute not in _CAN_BE_LEFT or "is above" in what:
        return False
    account.leave(origin, what)
    _remove(draft, path)
    return True


def _remove(draft: Draft, path: Path) -> None:
    match path:
        case ("fields", int(index), str(name), *_):
            draft.fields[index].pop(name, None)
        case (str(section), int(index), *_):
            listed = draft.value[section]
            assert isinstance(listed, tuple), "sections hold lists"
            draft.value[section] = (*listed[:index], *listed[index + 1 :])
            moved = {place: origin for place, origin in draft.origins.items() if place[0] == section and len(place) > 1}
            for place, origin in moved.items():
                del draft.origins[place]
                if isinstance(place[1], int) and place[1] != index:
                    draft.origins[(section, place[1] - (place[1] > index), *place[2:])] = origin
        case (str(section), *_):
            draft.value.pop(section, None)
