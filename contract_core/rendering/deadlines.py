"""Which partitions came late or have not come, as text and as a JSON document."""

from collections.abc import Iterator
from typing import Any

from contract_core.operations.deadlines import Deadlines, Expected, State
from contract_core.rendering.moments import MINUTE, length_words, stamp

_RECENT = 30
_STANDS = {
    State.PUBLISHED: "came in time",
    State.LATE: "came late",
    State.UNPUBLISHED: "was accepted and is not published",
    State.REFUSED: "was refused",
    State.MISSING: "is missing",
    State.WAITING: "is not there yet",
}


def deadlines_document(found: Deadlines | None) -> dict[str, Any] | None:
    """How the partitions of a contract stand, as JSON: all that are overdue with since when, and the newest of all."""
    if found is None:
        return None
    return {
        "looked_at": len(found.partitions),
        "is_all": found.is_all,
        "overdue": [_document(item) for item in found.overdue],
        "next_due": _document(found.next_due) if found.next_due is not None else None,
        "newest": [_document(item) for item in found.partitions[:_RECENT]],
    }


def deadline_lines(found: Deadlines | None) -> Iterator[str]:
    """What came late of late and what is due next; nothing where all is well and none is waited for. What is overdue is an incident."""
    if found is None:
        return
    yield from _late_lines(found.partitions[:_RECENT])
    if found.next_due is not None and found.next_due.due_at is not None:
        yield f"    due next: {found.next_due.partition}, by {found.next_due.due_at:{MINUTE}}"


def _late_lines(newest: tuple[Expected, ...]) -> Iterator[str]:
    late = [item for item in newest if item.state is State.LATE]
    if late:
        last = f"the last was {late[0].partition}, by {length_words(late[0].delay)}"
        yield f"    late: {len(late):,} of the newest {len(newest):,}; {last}"


def expected_words(item: Expected) -> str:
    """How one partition stands, in a sentence."""
    stands = f"{item.partition} {_STANDS[item.state]}"
    if item.due_at is None:
        return f"{stands}; its deadline lies beyond the calendar"
    delay = f", {length_words(item.delay)} ago" if item.is_overdue else ""
    delay = f", by {length_words(item.delay)}" if item.state is State.LATE else delay
    return f"{stands}, due {item.due_at:{MINUTE}}{delay}"


def _document(item: Expected) -> dict[str, Any]:
    return {
        "partition": item.partition,
        "state": item.state.value,
        "due_at": stamp(item.due_at),
        "received_at": stamp(item.arrived_at),
        "overdue": item.is_overdue,
        "delay_seconds": int(item.delay.total_seconds()),
    }
