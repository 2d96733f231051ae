"""The story of each submission: a line for each thing that happened to it."""

import textwrap
from collections.abc import Iterable, Iterator
from datetime import datetime

from contract_core.contract.partition import name_of
from contract_core.publication.decision import Verdict
from contract_core.publication.history import DecisionRecord, Fate
from contract_core.rendering.counts import many
from contract_core.rendering.moments import SECOND
from contract_core.rendering.next_steps import failure_words
from contract_core.rendering.remarks import remark_events
from contract_core.rendering.reports import quarantine_place
from contract_core.rendering.restatements import restated_words

_WIDTH = 140


def story_lines(records: Iterable[DecisionRecord]) -> Iterator[str]:
    """A block for each submission with a line for each thing that happened to it, oldest submission first, every rule named."""
    is_empty = True
    for record in records:
        is_empty = False
        about = name_of(record.contract, record.partition)
        yield f"{about}  {record.version}  submission {record.submission[:12]}, {many(record.rows, 'row')} delivered"
        for event, moment, told in sorted(_events(record), key=lambda item: item[1] or record.decided_at):
            shown = "" if moment is None else f"{moment:{SECOND}}"
            yield from _wrapped(f"    {event:<10}  {shown:<20}  ", told)
    if is_empty:
        yield "nothing was decided yet"


def _events(record: DecisionRecord) -> Iterator[tuple[str, datetime | None, str]]:
    if record.received_at is not None:
        yield "received", record.received_at, ""
    is_again = record.published_at is not None and record.decided_at > record.published_at
    yield "re-decided" if is_again else "decided", record.decided_at, _verdict_words(record)
    if record.outcome is Fate.PUBLICATION_FAILED:
        yield "failed", None, failure_words(record.reason)
    if record.published_at is not None:
        apart = f", {record.quarantined:,} in {quarantine_place(record.contract)}" if record.quarantined else ""
        shown = f"as table version {record.table_version}: {many(record.rows - record.quarantined, 'row')}{apart}"
        replaced = restated_words(record.restated)
        yield "published", record.published_at, f"{shown}; {replaced}" if replaced else shown
    yield from remark_events(record)
    if record.superseded_by is not None:
        yield "superseded", record.superseded_at, f"by submission {record.superseded_by[:12]}"


def _verdict_words(record: DecisionRecord) -> str:
    verb = "kept apart" if record.decision is Verdict.PUBLISH_WITH_QUARANTINE else "broken"
    told = [f"{verb}: {', '.join(record.rules)}"] if record.rules else []
    told += [f"warned: {', '.join(record.warnings)}"] if record.warnings else []
    return "; ".join([record.decision.value, *told])


def _wrapped(head: str, text: str) -> Iterator[str]:
    """The text beside its head, broken before it grows too wide; names are not broken."""
    lines = textwrap.wrap(text, _WIDTH - len(head), break_long_words=False, break_on_hyphens=False) or [""]
    for number, line in enumerate(lines):
        yield f"{head if number == 0 else ' ' * len(head)}{line}".rstrip()
