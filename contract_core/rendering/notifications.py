"""What people are told of incidents: title and Markdown of a message, and what `notify` says of its own work. No value of the data."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from contract_core.contract.complaint import few
from contract_core.contract.model import Contract
from contract_core.errors import on_one_line
from contract_core.operations.incidents import Incident, IncidentKind
from contract_core.operations.notices import Batch, Notice, Notified, Stage, Told
from contract_core.operations.status import Status, status_of
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.rendering.counts import many
from contract_core.rendering.moments import MINUTE, length_words, stamp
from contract_core.rendering.next_steps import steps_for
from contract_core.rendering.shown import event_age_words

_MOST, _NAMED = 20, 3
_HTML: Mapping[str, str] = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MARKUP = re.compile(r"[\\`*~|\[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_CALLS = re.compile(r"(?<![A-Za-z0-9])@")
"""What some services read as a call to a person, or to everybody."""
_STANDS: Mapping[IncidentKind, str] = {IncidentKind.FAILED: "not published"}
"""How an incident is called where its kind is no word for a partition."""


def escaped(text: str) -> str:
    """The text on one line, so that Markdown, HTML and chat services show it and do nothing else with it."""
    shown = _MARKUP.sub(r"\\\g<0>", " ".join(on_one_line(text).split()))
    return _CALLS.sub("@\u200b", "".join(_HTML.get(letter, letter) for letter in shown))


def message_of(batch: Batch) -> tuple[str, str]:
    """The title and the text for all that one contact is told: what happened, what to do, and what consumers see now."""
    parts = [_block(batch, notice) for notice in batch.notices[:_MOST]]
    if len(batch.notices) > _MOST:
        parts.append(f"… and {len(batch.notices) - _MOST:,} more: `contract-gate status {batch.contract.name}`")
    parts.append(_seen(status_of(batch.contract, batch.entries, batch.as_of)))
    if batch.contract.recovery is not None and any(item.stage is Stage.OPENED for item in batch.notices):
        parts.append(f"The contract says what is to be done then: {escaped(batch.contract.recovery)}")
    return _title(batch), "\n\n".join(parts)


def _title(batch: Batch) -> str:
    name = batch.contract.name
    if len(batch.notices) == 1:
        (notice,) = batch.notices
        stands = _stands(notice.incident)
        return on_one_line(f"{_about(name, notice.incident)}: {'no longer ' * _is_over(notice)}{stands}")
    counts = {stage: sum(item.stage is stage for item in batch.notices) for stage in Stage}
    words = {Stage.OPENED: "incident", Stage.RECOVERED: "recovery"}
    return f"{name}: {', '.join(many(count, words[stage]) for stage, count in counts.items() if count)}"


def _stands(incident: Incident) -> str:
    return _STANDS.get(incident.kind, incident.kind.value)


def _is_over(notice: Notice) -> bool:
    return notice.stage is Stage.RECOVERED


def _about(name: str, incident: Incident) -> str:
    return name if incident.partition is None else f"{name} {incident.partition}"


def _block(batch: Batch, notice: Notice) -> str:
    incident = notice.incident
    head = f"**{escaped(_about(f'{batch.contract.name} {batch.contract.version},', incident)).rstrip(',')}**"
    since = f"{incident.opened_at:{MINUTE}}"
    lasted = length_words(incident.lasting(batch.as_of))
    if incident.resolved_at is not None:
        return f"{head} is no longer {_stands(incident)}: from {since} to {incident.resolved_at:{MINUTE}}, {lasted}."
    lines = [f"{head} is {_stands(incident)} since {since}, {lasted}{_tried(incident)}.", ""]
    return "\n".join([*lines, *_steps(batch.contract, incident, _counts(incident, batch.entries))])


def _tried(incident: Incident) -> str:
    return f"; {many(len(incident.attempts), 'submission')} did not get through" if incident.attempts else ""


def _steps(contract: Contract, incident: Incident, counts: Mapping[str, int]) -> Iterator[str]:
    for name, step in steps_for(contract, incident):
        found = f" ({many(counts[name], 'breach')})" if name in counts else ""
        yield f"- **{escaped(name)}**{found}: {step}" if name else f"- {step}"


def _counts(incident: Incident, entries: tuple[LedgerEntry, ...]) -> Mapping[str, int]:
    """How often each rule was broken when it was last, among the submissions that did not get through."""
    found: dict[str, int] = {}
    for entry in entries:
        if entry.event is Event.DECIDED and entry.submission in incident.attempts:
            found |= entry.counts
    return found


def _seen(status: Status) -> str:
    if status.newest is None or status.age is None:
        return "Consumers see nothing: nothing is published."
    stale = {True: ", stale", False: ", as new as promised", None: ""}[status.is_stale]
    shown = escaped(status.newest.partition or f"submission {status.newest.submission[:12]}")
    return f"Consumers see {shown}, {event_age_words(status)}{stale}."


def notified_lines(found: Notified, *, is_dry: bool) -> Iterator[str]:
    """What was told to whom, or would be, and who could not be told."""
    if not found.told and not found.unaddressed:
        yield f"{found.contract}: nothing to tell"
    for item in found.told:
        what = f"{_about(found.contract, item.notice.incident)} {_what(item.notice)}"
        yield f"{what}: {_became(item, is_dry=is_dry)}"
    for incident in found.unaddressed:
        yield f"{_about(found.contract, incident)} {_stands(incident)}: {_NOBODY}"


def untold_words(found: Notified) -> tuple[str, ...]:
    """Who should have been told of open incidents and was not, by what is planned: one sentence for all with the same reason."""
    untold = [(item.notice.incident, _untold(item)) for item in found.told if not _is_over(item.notice)]
    untold += [(incident, _NOBODY) for incident in found.unaddressed]
    alike: dict[str, list[str]] = {}
    for incident, why in untold:
        alike.setdefault(why, []).append(f"{_about(found.contract, incident)} {_stands(incident)}")
    return tuple(f"{few(abouts, _NAMED)}: {why}" for why, abouts in alike.items())


def _untold(item: Told) -> str:
    why = item.failure or item.notice.reason
    return f"{item.notice.contact} {'was not told yet' if why is None else f'could not be told: {why}'}"


_NOBODY = "nobody could be told: the contract names no contact; add owners.alerts, or a contact of the producer"


def _what(notice: Notice) -> str:
    return f"{'no longer ' * _is_over(notice)}{_stands(notice.incident)}"


def _became(item: Told, *, is_dry: bool) -> str:
    if item.failure is not None:
        return f"{item.notice.contact} could not be told: {item.failure}"
    return f"{item.notice.contact} {'would be' if is_dry else 'was'} told on channel '{item.channel}'"


def notified_document(found: Notified, *, is_dry: bool) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "contract": found.contract,
        "dry_run": is_dry,
        "told": [
            {
                **_incident_document(item.notice.incident),
                "stage": item.notice.stage.value,
                "contact": item.notice.contact,
                "channel": item.channel,
                "attempt": item.notice.attempt,
                "is_told": item.failure is None and not is_dry,
                "failure": item.failure,
            }
            for item in found.told
        ],
        "nobody_named": [_incident_document(incident) for incident in found.unaddressed],
        "is_complete": found.is_complete,
    }


def _incident_document(incident: Incident) -> dict[str, Any]:
    return {
        "incident": incident.identity,
        "kind": incident.kind.value,
        "partition": incident.partition,
        "opened_at": incident.opened_at.isoformat(),
        "resolved_at": stamp(incident.resolved_at),
        "rules": list(incident.rules),
    }
