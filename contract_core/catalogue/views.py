"""Three views of one contract: what of a delivery is rejected, what readers are guaranteed, which failures need somebody."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from contract_core.catalogue.fates import Fate, fate_of
from contract_core.catalogue.fields import is_of_its_field, told_rule
from contract_core.catalogue.released import ReleasedVersion
from contract_core.contract.model import Contract
from contract_core.contract.unsupported import unsupported
from contract_core.rendering.reports import next_step, quarantine_place
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import (
    Fresh,
    GroupsHold,
    HistoryHolds,
    KeysReturn,
    NoDuplicateRows,
    RowCountBetween,
    Steady,
    UniqueKey,
)
from contract_core.validation.report import Finding, Outcome

_ABOUT_THE_HANDOVER = ("unreadable", "not_object", "contract", "unit", "partition")
_WHOLE = ""
_FAILURES = {
    "unreadable": "a file, the manifest or the envelope cannot be read",
    "not_object": "a record is no object",
    "extra_field": "a column is not declared",
    "missing": "a required field is not there",
    "type": "a column or a value has another type",
    "key": "a key is held by several rows",
    "key.published": "a key is published already",
    "unique": "values that tell rows apart are held by several",
    "duplicate_rows": "rows stand more than once",
    "group": "what is promised of each group of rows does not hold for all of them",
    "history": "what is promised of rows beside those published before does not hold",
    "row_count": "there are too few rows, or too many",
    "partition": "rows belong to another partition",
    "partition.declared": "the declaration is about another partition",
    "contract": "the declaration names another contract",
    "unit": "the declaration names another unit",
    "coverage.missing": "a required part is missing",
    "coverage.unexpected": "a part is there that nobody required",
    "completeness": "a part is not declared complete, or the declaration does not agree with the files",
    "deadline": "the delivery comes after it was due",
    "freshness": "the newest event is older than promised",
    "volume": "the number of rows moved far from that of the accepted partitions before",
    "drift": "the profile of a field moved far from that of the accepted partitions before",
}
_VALUES = "a value or a row breaks a rule"


@dataclass(frozen=True, slots=True)
class Lines:
    """What is promised about each of some fields, or about the whole where none is named."""

    subjects: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """The producer's view: what a breach of each promise does to the delivery."""

    refused: tuple[Lines, ...]
    quarantined: tuple[Lines, ...]
    told: tuple[Lines, ...]


@dataclass(frozen=True, slots=True)
class Guaranteed:
    """The consumer's view: what holds for all that is published, and what is only hoped for."""

    always: tuple[Lines, ...]
    only_told: tuple[Lines, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """The operator's view of one kind of failure: what the gate does by itself, and what somebody has to do."""

    what: str
    promises: tuple[str, ...]
    fate: Fate
    happens: str
    step: str

    @property
    def needs_somebody(self) -> bool:
        """True where consumers miss something until a person acts."""
        return self.fate is not Fate.TOLD


def rejected(version: ReleasedVersion) -> Rejected:
    """What the gate does with a delivery, promise by promise."""
    fates = [(fate_of(item, version.contract), item) for item in version.obligations]
    by_fate = {fate: _lines(item for found, item in fates if found is fate) for fate in Fate}
    return Rejected(by_fate[Fate.REFUSED], by_fate[Fate.QUARANTINED], by_fate[Fate.TOLD])


def guaranteed(version: ReleasedVersion) -> Guaranteed:
    """What a reader of the published table may rely on: the promises of which no breach is ever published."""
    contract = version.contract
    about_rows = [item for item in version.obligations if item.rule not in _ABOUT_THE_HANDOVER]
    return Guaranteed(
        always=_lines((item for item in about_rows if fate_of(item, contract) is not Fate.TOLD), contract),
        only_told=_lines(item for item in about_rows if fate_of(item, contract) is Fate.TOLD),
    )


def not_enforced(contract: Contract) -> tuple[str, ...]:
    """What the contract asks for and this version refuses to do by half."""
    return tuple(complaint.what for complaint in unsupported(contract))


def failures(version: ReleasedVersion) -> tuple[Failure, ...]:
    """Every kind of failure of this contract: those that refuse the delivery first."""
    contract = version.contract
    groups: dict[tuple[Fate, str], list[Obligation]] = {}
    for item in version.obligations:
        groups.setdefault((fate_of(item, contract), _kind(item)), []).append(item)
    found = [_failure(contract, fate, items) for (fate, _), items in groups.items()]
    order = list(Fate)
    return (*sorted(found, key=lambda failure: order.index(failure.fate)), *_of_the_budget(contract))


def _failure(contract: Contract, fate: Fate, items: list[Obligation]) -> Failure:
    step = next_step(Finding(items[0], Outcome.BREACHED))
    happens = {
        Fate.REFUSED: "nothing of the delivery is published; consumers keep what they see now",
        Fate.QUARANTINED: f"the rows go to {quarantine_place(contract.name)}, the others are published",
        Fate.TOLD: "it is told, and all rows are published",
    }[fate]
    if fate is Fate.TOLD:
        step = "nobody has to act at once; tell the producer if it stays"
    what = _FAILURES.get(items[0].id) or _FAILURES.get(items[0].rule, _VALUES)
    return Failure(what, tuple(item.id for item in items), fate, happens, step)


def _of_the_budget(contract: Contract) -> Iterator[Failure]:
    """The failure that only quarantine knows: too many rows of one delivery break a rule."""
    if contract.enforcement.on_breach != "quarantine":
        return
    terms = contract.enforcement.quarantine
    most = [f"{terms.max_rows:,} rows"] if terms.max_rows is not None else []
    most += [f"{terms.max_rate:.4%} of the rows".replace(".0000%", "%")] if terms.max_rate is not None else []
    limit = f"more than {' or more than '.join(most)} break a rule" if most else "every row breaks a rule"
    yield Failure(
        what=limit,
        promises=(),
        fate=Fate.REFUSED,
        happens="nothing of the delivery is published; consumers keep what they see now",
        step="correct the rows at the source and deliver again, or release a contract version with a larger budget",
    )


def _kind(obligation: Obligation) -> str:
    """Failures that ask for the same step stand together."""
    is_of_a_value = obligation.layer is Layer.ROWS and obligation.rule not in _FAILURES
    return "values" if is_of_a_value else obligation.rule if obligation.field is not None else obligation.id


def _reach(obligation: Obligation, contract: Contract) -> str:
    """How far a guarantee reaches where that is not the whole table: the gate judges delivery by delivery."""
    match obligation.promise:
        case UniqueKey() if obligation.id == "key" and contract.publication.mode in ("append", "upsert"):
            return ""  # a key that is published already is refused, or its row replaced
        case UniqueKey() | NoDuplicateRows() | GroupsHold() | RowCountBetween():
            return " within one delivery"
        case Fresh() | HistoryHolds() | KeysReturn() | Steady():
            return " when it is published"
        case _:
            return ""


def _lines(obligations: Iterable[Obligation], reaches_in: Contract | None = None) -> tuple[Lines, ...]:
    """The promises field by field; fields of which just the same is promised stand together."""
    found: dict[str, list[str]] = {}
    for item in obligations:
        reach = _reach(item, reaches_in) if reaches_in is not None else ""
        subject = item.field if is_of_its_field(item) and item.field is not None else _WHOLE
        found.setdefault(subject, []).append(told_rule(item).words + reach)
    together: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for subject, words in found.items():
        together.setdefault((subject == _WHOLE, tuple(words)), []).append(subject)
    return tuple(Lines(() if is_whole else tuple(subjects), words) for (is_whole, words), subjects in together.items())
