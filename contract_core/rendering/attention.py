"""What is wrong with a contract's table → since when, by which rules, what to do and who must do it; the newest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from contract_core.contract.model import Contract
from contract_core.operations.deadlines import State
from contract_core.operations.incidents import Incident, IncidentKind
from contract_core.operations.standing import Standing
from contract_core.rendering.deadlines import expected_words
from contract_core.rendering.moments import MINUTE, length_words, stamp
from contract_core.rendering.next_steps import steps_for
from contract_core.rendering.people import reached
from contract_core.rendering.reports import some_of
from contract_core.rendering.shown import stale_reasons
from contract_core.rendering.styled import Line, wrapped

_TOLD, _ACTIONS = 5, 3
_OPERATOR = "whoever runs the gate"
_WORST = (IncidentKind.REFUSED, IncidentKind.FAILED, IncidentKind.OVERDUE)
_DELIVER = "deliver the partition: nothing of it has arrived"
_PUBLISH = "publish it: it was accepted and is not visible"


@dataclass(frozen=True, slots=True)
class Told:
    """One incident in words: what is wrong and since when, what to do, and who must."""

    kind: IncidentKind
    what: str
    actions: tuple[str, ...]
    who: str


def attention_lines(standing: Standing, width: int) -> Iterator[Line]:
    """Every open incident, a few by name and the rest by number; what to do and who acts once for those that have it in common."""
    told = _told_apart(standing)
    for (kind, actions, who), alike in groupby(
        (_words(standing, item) for item in told[:_TOLD]), key=lambda item: (item.kind, item.actions, item.who)
    ):
        for item in alike:
            yield from wrapped((("    ", ""), (f"{kind.value:<9}", _style(kind))), item.what, width)
        for action in (*actions, f"to act: {who}"):
            yield from wrapped(((" " * 13, ""),), action, width)
    if len(told) > _TOLD:
        oldest = told[-1]
        yield ((f"    and {len(told) - _TOLD:,} more, the oldest since {oldest.opened_at:{MINUTE}}", ""),)


def told_incidents(standing: Standing) -> tuple[Told, ...]:
    """Every open incident in words, the newest first."""
    return tuple(_words(standing, item) for item in _told_apart(standing))


def _style(kind: IncidentKind) -> str:
    return "bold red" if kind in _WORST else "yellow"


def _told_apart(standing: Standing) -> list[Incident]:
    """Without a partition that is overdue because it was refused or failed: that is one thing to do, and not two."""
    held_back = {item.partition for item in standing.incidents if item.kind in _WORST[:2]}
    return [
        item for item in standing.incidents if item.kind is not IncidentKind.OVERDUE or item.partition not in held_back
    ]


def _words(standing: Standing, item: Incident) -> Told:
    if item.kind is IncidentKind.OVERDUE:
        return _overdue(standing, item)
    since = f"since {item.opened_at:{MINUTE}}, {length_words(item.lasting(standing.at))}"
    return Told(
        item.kind, _what(standing, item, since), _repairs(standing.contract, item), _who(standing.contract, item)
    )


def _what(standing: Standing, item: Incident, since: str) -> str:
    match item.kind:
        case IncidentKind.REFUSED:
            because = f": {some_of(item.rules)}" if item.rules else ""
            return f"{item.partition or 'a delivery'} {since}{_attempts(item)}{because}"
        case IncidentKind.STALE:
            why = next(iter(stale_reasons(standing.status)), "the newest event is older than promised")
            return f"{why}; {since}"
        case IncidentKind.SILENT:
            *_, why = stale_reasons(standing.status)
            return f"{why}; {since}"
        case _:
            return f"{item.partition or 'the table'} {since}{_attempts(item)}"


def _attempts(item: Incident) -> str:
    return f", {len(item.attempts):,} attempts" if len(item.attempts) > 1 else ""


def _who(contract: Contract, item: Incident) -> str:
    match item.kind:
        case IncidentKind.FAILED:
            return _OPERATOR
        case IncidentKind.SILENT:
            return f"{_OPERATOR}, then {_producer(contract)}"
        case _:
            return _producer(contract)


def _overdue(standing: Standing, item: Incident) -> Told:
    partitions = standing.deadlines.partitions if standing.deadlines is not None else ()
    found = next(expected for expected in partitions if expected.partition == item.partition)
    is_accepted = found.state is State.UNPUBLISHED
    action, who = (_PUBLISH, _OPERATOR) if is_accepted else (_DELIVER, _producer(standing.contract))
    return Told(item.kind, expected_words(found), (action,), who)


def _repairs(contract: Contract, item: Incident) -> tuple[str, ...]:
    """What to do, each thing once, and what the contract itself says of recovery where its rules held the delivery back."""
    actions = dict.fromkeys(step for _, step in steps_for(contract, item))
    said = [f"the contract says: {contract.recovery}"] if contract.recovery and item.rules else []
    return (*list(actions)[:_ACTIONS], *said)


def _producer(contract: Contract) -> str:
    if contract.owners is None:
        return "nobody is named: the contract has no owners"
    return f"the producer, {reached(contract.owners.producer)}"


def incident_document(item: Incident) -> dict[str, Any]:
    """One incident as JSON."""
    return {
        "kind": item.kind.value,
        "partition": item.partition,
        "since": item.opened_at.isoformat(),
        "until": stamp(item.resolved_at),
        "rules": list(item.rules),
        "attempts": list(item.attempts),
        "error": item.error,
        "identity": item.identity,
    }
