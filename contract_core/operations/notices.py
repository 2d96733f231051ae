"""What is to be told to whom: each open incident once to each receiver, and its end to those who heard of it. Sends nothing.

The ledger remembers who was told. A message is claimed there before it is sent, and given back where its channel did not take it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from contract_core.contract.model import Contract
from contract_core.contract.receivers import receivers_of
from contract_core.operations.incidents import Incident, IncidentKind
from contract_core.publication.entry import Event, LedgerEntry

_SENT_BY_US = (IncidentKind.REFUSED, IncidentKind.FAILED)
"""Incidents of a delivery; all others are such that consumers see them, and they are told too."""
_AT_ONCE, _FIRST_WAIT, _LONGEST_WAIT = 3, timedelta(minutes=5), timedelta(hours=6)
_DOUBLED = 12


class Stage(StrEnum):
    """What is told of an incident: that it began, or that it is over."""

    OPENED = "opened"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Notice:
    """What one contact is to hear of one incident. Before this `attempt`, counted from 1, its channel did not take it.

    `waits_until` says when it is tried again, `reason` why it was not taken last.
    """

    incident: Incident
    stage: Stage
    contact: str
    attempt: int = 1
    waits_until: datetime | None = None
    reason: str | None = None

    @property
    def reference(self) -> str:
        """What the ledger knows this attempt by: no other has the same."""
        return f"{self.incident.identity[:16]}:{self.stage}:{self.attempt}:{self.contact}"


@dataclass(frozen=True, slots=True)
class Batch:
    """All that one contact is told of a contract at a time, and what the ledger says of it: what a message is written from."""

    contract: Contract
    notices: tuple[Notice, ...]
    entries: tuple[LedgerEntry, ...]
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Moments:
    """The moment for which incidents are told, and now, which records carry."""

    as_of: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a notice: `failure` says why nobody was told, None where somebody was, or would be."""

    notice: Notice
    channel: str | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Notified:
    """What was told of one contract; `unaddressed` are the open incidents of which the contract names nobody to be told."""

    contract: str
    told: tuple[Told, ...]
    unaddressed: tuple[Incident, ...]

    @property
    def untold(self) -> int:
        """How many messages about open incidents nobody got, by what is planned."""
        waiting = sum(item.notice.stage is Stage.OPENED for item in self.told)
        return waiting + len(self.unaddressed)

    @property
    def is_complete(self) -> bool:
        """True where nobody is left who should have been told."""
        return not self.unaddressed and all(item.failure is None for item in self.told)


@dataclass(frozen=True, slots=True)
class _Heard:
    """What the ledger says of one message: how often it was claimed, and how often its channel did not take it."""

    claims: int = 0
    failures: int = 0
    failed_at: datetime | None = None
    reason: str | None = None

    @property
    def is_told(self) -> bool:
        return self.claims > self.failures


_About = tuple[str, str, str]


def due_notices(
    contract: Contract, incidents: tuple[Incident, ...], entries: tuple[LedgerEntry, ...]
) -> tuple[Notice, ...]:
    """What nobody has told yet of the incidents of a contract, by the ledger's entries about it.

    An incident that was over before anybody heard of it is told to nobody.
    """
    heard = _heard(entries)
    return tuple(
        notice
        for incident in incidents
        for notice in (_opened(contract, incident, heard) if incident.is_open else _recovered(incident, heard))
    )


def unaddressed(contract: Contract, incidents: tuple[Incident, ...]) -> tuple[Incident, ...]:
    """The open incidents of which the contract names nobody to be told."""
    return tuple(
        incident
        for incident in incidents
        if incident.is_open and not receivers_of(contract, is_late=_is_late(incident))
    )


def _is_late(incident: Incident) -> bool:
    return incident.kind not in _SENT_BY_US


def _opened(contract: Contract, incident: Incident, heard: Mapping[_About, _Heard]) -> Iterator[Notice]:
    for receiver in receivers_of(contract, is_late=_is_late(incident)):
        assert receiver.contact is not None, "a receiver has a contact"
        yield from _untold(Notice(incident, Stage.OPENED, receiver.contact), heard)


def _recovered(incident: Incident, heard: Mapping[_About, _Heard]) -> Iterator[Notice]:
    for (identity, stage, contact), known in heard.items():
        if (identity, stage) == (incident.identity[:16], Stage.OPENED) and known.is_told:
            yield from _untold(Notice(incident, Stage.RECOVERED, contact), heard)


def _untold(notice: Notice, heard: Mapping[_About, _Heard]) -> Iterator[Notice]:
    known = heard.get((notice.incident.identity[:16], notice.stage, notice.contact), _Heard())
    if not known.is_told:
        yield Notice(
            notice.incident,
            notice.stage,
            notice.contact,
            attempt=known.failures + 1,
            waits_until=_again(known),
            reason=known.reason,
        )


def _again(known: _Heard) -> datetime | None:
    """When a message is tried again: soon at first, then less and less often, since each attempt is two entries of the ledger."""
    if known.failed_at is None or known.failures < _AT_ONCE:
        return None
    wait = _FIRST_WAIT * (1 << min(known.failures - _AT_ONCE, _DOUBLED))
    return known.failed_at + min(wait, _LONGEST_WAIT)


def _heard(entries: tuple[LedgerEntry, ...]) -> Mapping[_About, _Heard]:
    found: dict[_About, _Heard] = {}
    for entry in entries:
        if entry.event not in (Event.NOTIFIED, Event.NOT_NOTIFIED) or entry.reference is None:
            continue
        identity, stage, _, contact = (*entry.reference.split(":", 3), "", "", "")[:4]
        known = found.get((identity, stage, contact), _Heard())
        found[identity, stage, contact] = (
            _Heard(known.claims + 1, known.failures, known.failed_at, known.reason)
            if entry.event is Event.NOTIFIED
            else _Heard(known.claims, known.failures + 1, entry.at, entry.reason)
        )
    return found
