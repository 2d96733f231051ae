"""Where each promise of a contract is enforced → text and a JSON document: at the gate, on the published table too, or by nobody."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.contract.unsupported import unsupported
from contract_core.diff.wording import shown
from contract_core.rendering.people import correction_words, receiver_words
from contract_core.validation.obligations import Layer, Obligation, obligations_of
from contract_core.validation.promise_kinds import (
    Fresh,
    HasType,
    InTime,
    NewKey,
    NoDuplicateRows,
    Steady,
    UniqueKey,
)
from contract_core.validation.unverified import unverified_claims

_GATE = "gate, before publication"
_NOT_A_ROW = "it is about the delivery and no single row"
_NOT_A_TABLE = "it is about when a delivery comes; where none comes, `status` and the scheduled check `deadline` tell"
_NOT_A_NEW_EVENT = (
    "it is about the age of the newest event; while none comes, `status` and the scheduled check `freshness` tell"
)
_MONITOR = "it is a monitor of the published table: it compares a candidate with the accepted partitions before it"
_WATCHED = "`status` and the scheduled check `silence`"
_ONLY_WARNS = "it only warns, and what only warns is published"
_WATCHED_TOO: Mapping[type, str] = {Fresh: _NOT_A_NEW_EVENT, InTime: _NOT_A_TABLE, Steady: _MONITOR}


@dataclass(frozen=True, slots=True)
class OnTarget:
    """What the published table enforces of one obligation: the constraint by its name, or None and why not."""

    constraint: str | None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class TargetChanges:
    """What separates a published table from its contract, by the names of constraints and columns."""

    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    tighten: tuple[str, ...] = ()
    relax: tuple[str, ...] = ()
    is_altered: bool = False
    raises_protocol: bool = False
    other_writers: tuple[str, ...] = ()


def change_lines(contract: Contract, changes: TargetChanges, *, is_done: bool) -> Iterator[str]:
    """What is done to the table, or would be; that other writers must know of it stands before it is done."""
    said = list(_changes(changes))
    if not said:
        yield f"{contract.name}: the table is as the contract says"
        return
    yield f"{contract.name}: {'changed' if is_done else 'would change'}"
    yield from (f"    {line}" for line in said)


def _changes(changes: TargetChanges) -> Iterator[str]:
    if changes.is_altered:
        yield "somebody else changed the constraints that were recorded; they are made anew"
    named = {
        "add column": changes.columns,
        "make NOT NULL": changes.tighten,
        "let be null": changes.relax,
        "drop constraint": changes.drop,
        "add constraint": changes.add,
    }
    yield from (f"{verb} {name}" for verb, names in named.items() for name in names)
    if changes.raises_protocol:
        yield "raise the writer protocol: who writes to the table must know CHECK constraints (writer version 3)"
    if changes.other_writers:
        yield f"others write to it: {', '.join(changes.other_writers)}; see that they can, then allow the upgrade"


def change_document(contract: Contract, changes: TargetChanges, *, is_done: bool) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "contract": contract.name,
        "changed": is_done,
        **{name: _plain(value) for name, value in asdict(changes).items()},
    }


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def enforcement_lines(contract: Contract, rules: Mapping[str, OnTarget]) -> Iterator[str]:
    """One line for each obligation, in the report's order, and one for each claim that nobody checks; `rules` by obligation id."""
    yield f"{contract.name} {contract.version}: where each promise is enforced"
    for obligation in obligations_of(contract):
        weight = "" if obligation.severity is Severity.ERROR else " (only warns)"
        yield f"  {obligation.id}: {_GATE}{weight}{_target_words(obligation, rules)}"
    yield from (f"  {name}: the published table, by {_WATCHED}" for name in _of_the_table(contract))
    yield from (f"  changes: the version gate, before a release: {term}" for term in _change_terms(contract))
    yield from (f"  people: {term}" for term in _people(contract))
    yield from (f"  nobody yet: {complaint.what}" for complaint in unsupported(contract))
    yield from (f"  nobody: {claim}" for claim in unverified_claims(contract))


def enforcement_document(contract: Contract, rules: Mapping[str, OnTarget]) -> dict[str, Any]:
    """The same as JSON; `target` is constraint, type, informational or none."""
    return {
        "contract": contract.name,
        "version": contract.version,
        "on_breach": contract.enforcement.on_breach,
        "obligations": [_obligation(item, rules) for item in obligations_of(contract)],
        "published_table": list(_of_the_table(contract)),
        "changes": list(_change_terms(contract)),
        "people": list(_people(contract)),
        "not_enforced": [complaint.what for complaint in unsupported(contract)],
        "unverified": list(unverified_claims(contract)),
    }


def _of_the_table(contract: Contract) -> Iterator[str]:
    """The promises that no delivery can break, because they are about the time in which none comes."""
    if contract.freshness is not None and contract.freshness.max_silence is not None:
        yield "freshness.max_silence"


def _change_terms(contract: Contract) -> Iterator[str]:
    """What a later version is held to, and what a person has to say or do because no program can."""
    terms = contract.changes
    yield f"judged under the profile {terms.profile}" + (
        ", against every supported version" if terms.transitive else ""
    )
    yield f"a breaking change leaves this version supported for {shown(terms.window)}"
    agreeing = ", ".join(("every consumer whom it breaks", *terms.approvals))
    yield f"a breaking change is approved, on record, by {agreeing}"
    yield f"what protects consumers is loosened only with the approval of {terms.authority or 'nobody: no authority is named'}"
    yield "whether a new wording of semantics or population means the same is said by its author, on record"
    if terms.migration is not None:
        yield f"consumers of the old behaviour: {terms.migration}"


def _people(contract: Contract) -> Iterator[str]:
    """What is left to people: they are told, and one of them is asked."""
    yield f"told by `contract-gate notify` of what is refused, failed, overdue, stale or silent: {receiver_words(contract)}"
    yield f"a correction of what is published is authorised by: {correction_words(contract)}"


def _obligation(obligation: Obligation, rules: Mapping[str, OnTarget]) -> dict[str, Any]:
    kind, place = _target(obligation, rules)
    return {
        "id": obligation.id,
        "rule": obligation.rule,
        "field": obligation.field,
        "severity": obligation.severity.value,
        "gate": "before publication",
        "target": kind,
        "constraint": place.constraint,
        "why_not": place.why_not or None,
    }


def _target(obligation: Obligation, rules: Mapping[str, OnTarget]) -> tuple[str, OnTarget]:
    place = rules.get(obligation.id)
    if isinstance(obligation.promise, UniqueKey | NewKey | NoDuplicateRows):
        return "informational", OnTarget(None, place.why_not if place is not None else "")
    if isinstance(obligation.promise, HasType):
        return "type", OnTarget(None)
    if place is not None:
        return ("constraint" if place.constraint is not None else "none"), place
    otherwise = _ONLY_WARNS if obligation.layer is Layer.ROWS else _NOT_A_ROW
    return "none", OnTarget(None, _WATCHED_TOO.get(type(obligation.promise), otherwise))


def _target_words(obligation: Obligation, rules: Mapping[str, OnTarget]) -> str:
    kind, place = _target(obligation, rules)
    match kind:
        case "constraint":
            return f" + target constraint {place.constraint}"
        case "type":
            return " + the type of the target's column"
        case "informational":
            return "; informational on the target; the gate itself enforces it"
        case _:
            return f"; not on the target: {place.why_not}"
