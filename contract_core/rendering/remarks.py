"""What people said of publications, in words and as JSON: corrections that they ask for, and numbers that they hold against it."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from contract_core.contract.partition import name_of
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.history import DecisionRecord, Remark
from contract_core.rendering.moments import SECOND


def remarks_document(record: DecisionRecord) -> dict[str, Any]:
    """Everything that was said of one submission, as JSON."""
    return {
        "requests": [_document(remark) | {"open": remark.is_open} for remark in record.requests],
        "confirmations": [_document(remark) for remark in record.confirmations],
    }


def requests_document(records: Iterable[DecisionRecord]) -> list[dict[str, Any]]:
    """The open requests about one table, as JSON."""
    return [
        {"partition": record.partition, "submission": record.submission, **_document(remark)}
        for record in records
        for remark in record.requests
        if remark.is_open
    ]


def request_lines(records: Iterable[DecisionRecord]) -> Iterator[str]:
    """The open requests about one table, one line each."""
    for record in records:
        for remark in record.requests:
            if remark.is_open:
                about = record.partition or record.submission[:12]
                yield f"    correction of {about} requested by {_said(remark)} at {remark.at:{SECOND}}, open"


def remark_events(record: DecisionRecord) -> Iterator[tuple[str, datetime, str]]:
    """What was said of one submission, for its story."""
    for remark in record.requests:
        state = "open" if remark.is_open else "another submission was published since"
        yield "requested", remark.at, f"a correction, by {_said(remark)}; {state}"
    for remark in record.confirmations:
        yield "confirmed", remark.at, f"by {_said(remark)}"


def recorded_document(entry: LedgerEntry, *, is_new: bool) -> dict[str, Any]:
    """What was recorded, or had been before, as JSON."""
    return {
        "event": entry.event.value,
        "contract": entry.contract,
        "partition": entry.partition,
        "submission": entry.submission,
        "by": entry.by,
        "reference": entry.reference,
        "at": entry.at.isoformat(),
        "recorded": is_new,
    }


def recorded_line(entry: LedgerEntry, *, is_new: bool) -> str:
    """The same in one line."""
    about = name_of(entry.contract, entry.partition)
    said = {Event.REQUESTED: "correction requested", Event.CONFIRMED: "confirmed"}[entry.event]
    before = "" if is_new else f"; it was recorded before, at {entry.at:{SECOND}}"
    return f"{about}: {said} by {entry.by} ({entry.reference}), of submission {entry.submission[:12]}{before}"


def _said(remark: Remark) -> str:
    return f"{remark.by} ({remark.reference})"


def _document(remark: Remark) -> dict[str, Any]:
    return {"by": remark.by, "reference": remark.reference, "at": remark.at.isoformat()}
