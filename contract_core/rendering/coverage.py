"""What became of the last partitions → one sign each, a legend, and JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from contract_core.contract.complaint import few
from contract_core.contract.model import Contract
from contract_core.operations.coverage import Coverage, Covered, PartitionState
from contract_core.rendering.moments import stamp
from contract_core.rendering.styled import Line, Piece

_SHOWN = {PartitionState.REFUSED: "refused, an earlier delivery is shown"}
_WORDS: Mapping[PartitionState, str] = {
    PartitionState.PUBLISHED: "published",
    PartitionState.LATE: "late",
    PartitionState.REFUSED: "refused",
    PartitionState.UNPUBLISHED: "accepted, not published",
    PartitionState.MISSING: "missing",
    PartitionState.WAITING: "waiting",
    PartitionState.NOT_EXPECTED: "none expected",
}
_STYLES: Mapping[PartitionState, str] = {
    PartitionState.PUBLISHED: "green",
    PartitionState.LATE: "yellow",
    PartitionState.REFUSED: "bold red",
    PartitionState.UNPUBLISHED: "magenta",
    PartitionState.MISSING: "bold red",
    PartitionState.WAITING: "dim",
    PartitionState.NOT_EXPECTED: "dim",
}
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Signs:
    """One character for each state, and one for a refused correction of what is shown."""

    states: Mapping[PartitionState, str]
    refused_correction: str

    def of(self, item: Covered) -> str:
        """The sign of one partition."""
        is_correction = item.state is PartitionState.REFUSED and item.is_shown
        return self.refused_correction if is_correction else self.states[item.state]


DRAWN = Signs(dict(zip(PartitionState, "■◧✗□·…–", strict=True)), "▣")
PLAIN = Signs(dict(zip(PartitionState, "#LXo.~-", strict=True)), "x")
"""For whatever cannot show the drawn ones."""


def coverage_words(item: Covered) -> str:
    """How one partition stands."""
    is_correction = item.state is PartitionState.REFUSED and item.is_shown
    return _SHOWN[item.state] if is_correction else _WORDS[item.state]


def coverage_lines(contract: Contract, found: Coverage | None, signs: Signs, width: int) -> Iterator[Line]:
    """The last partitions, the oldest left, in as many lines as they need, each with its first and last key."""
    oldest_first = found.partitions[::-1] if found is not None else ()
    if not oldest_first:
        return
    terms = contract.delivery.partition
    is_span = terms is not None and terms.every is not None
    keys = "" if is_span else few([item.partition for item in oldest_first], _NAMED)
    longest = max(len(item.partition) for item in oldest_first)
    most = max(10, width - len("      to ") - 2 * longest) if is_span else max(10, width - 6 - len(keys))
    for place in range(0, len(oldest_first), most):
        row = oldest_first[place : place + most]
        drawn = tuple(_sign(item, signs) for item in row)
        yield ("    ", ""), *drawn, (f"  {_from_to(row) if is_span else keys}", "dim")


def _sign(item: Covered, signs: Signs) -> Piece:
    return signs.of(item), _STYLES[item.state]


def _from_to(row: tuple[Covered, ...]) -> str:
    first, last = row[0].partition, row[-1].partition
    return first if first == last else f"{first} to {last}"


def legend(signs: Signs) -> tuple[Line, ...]:
    """What each sign means."""
    known = [((signs.states[state], _STYLES[state]), (f" {_WORDS[state]}", "")) for state in PartitionState]
    correction = (
        (signs.refused_correction, _STYLES[PartitionState.REFUSED]),
        (f" {_SHOWN[PartitionState.REFUSED]}", ""),
    )
    return (*known[:3], correction, *known[3:])


def coverage_document(found: Coverage | None) -> dict[str, Any] | None:
    """How the last partitions stand, as JSON: how many in each state, and each of them, the newest first."""
    if found is None:
        return None
    return {
        "is_all": found.is_all,
        "counts": {state.value: found.count(state) for state in PartitionState},
        "partitions": [
            {
                "partition": item.partition,
                "state": item.state.value,
                "shown": item.is_shown,
                "due_at": stamp(item.due_at),
                "received_at": stamp(item.arrived_at),
            }
            for item in found.partitions
        ],
    }
