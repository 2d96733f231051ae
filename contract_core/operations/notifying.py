"""Tells people of incidents and of their end, each message once: claimed in the ledger, then sent, and given back where that failed.

Who dies between claim and sending leaves a claim: that message is never sent twice, and this one not at all.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.operations.announcing import Channel, channel_of, send
from contract_core.operations.incidents import incidents_of
from contract_core.operations.notices import Batch, Moments, Notice, Notified, Told, due_notices, unaddressed
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.ledger import Ledger

_US = "contract-gate"


Wording = Callable[[Batch], tuple[str, str]]
"""The title and the text of a message."""


def plan(contract: Contract, environment: Environment, variables: Mapping[str, str], as_of: datetime) -> Notified:
    """What `notify` would tell, and to whom it could not. Writes and sends nothing."""
    entries = Ledger(environment.ledger).entries(contract=contract.name)
    return planned(contract, entries, environment, variables, as_of)


def planned(
    contract: Contract,
    entries: tuple[LedgerEntry, ...],
    environment: Environment,
    variables: Mapping[str, str],
    as_of: datetime,
) -> Notified:
    """The same, by the ledger's entries about the contract, which somebody has read already."""
    incidents = incidents_of(contract, entries, as_of)
    told = []
    for notice in due_notices(contract, incidents, entries):
        found = channel_of(notice.contact, environment, variables)
        told.append(Told(notice, failure=found) if isinstance(found, str) else Told(notice, found.name))
    return Notified(contract.name, tuple(told), unaddressed(contract, incidents))


def notify(
    contract: Contract, environment: Environment, variables: Mapping[str, str], moments: Moments, wording: Wording
) -> Notified:
    """Tell what nobody has told yet. Of several who do so at the same time each message is sent by one, and told by it alone."""
    ledger = Ledger(environment.ledger)
    entries = ledger.entries(contract=contract.name)
    told: list[Told] = []
    incidents = incidents_of(contract, entries, moments.as_of)
    due = due_notices(contract, incidents, entries)
    for contact in dict.fromkeys(notice.contact for notice in due):
        batch = Batch(contract, tuple(item for item in due if item.contact == contact), entries, moments.as_of)
        found = channel_of(contact, environment, variables)
        if isinstance(found, str):
            told += [Told(notice, failure=found) for notice in batch.notices]
        else:
            told += _told(batch, found, ledger, moments, wording)
    return Notified(contract.name, tuple(told), unaddressed(contract, incidents))


def _told(batch: Batch, channel: Channel, ledger: Ledger, moments: Moments, wording: Wording) -> list[Told]:
    """One message about all of it that nobody else has claimed."""
    waiting = [item for item in batch.notices if item.waits_until is not None and item.waits_until > moments.at]
    told = [Told(item, channel.name, _waiting_words(item)) for item in waiting]
    due = [item for item in batch.notices if item not in waiting]
    own = tuple(item for item in due if ledger.claim(_entry(Event.NOTIFIED, batch.contract, item, moments)))
    if own:
        title, text = wording(Batch(batch.contract, own, batch.entries, batch.as_of))
        failure = send(title, text, channel)
        for item in own if failure is not None else ():
            ledger.append(_entry(Event.NOT_NOTIFIED, batch.contract, item, moments, failure))
        told += [Told(item, channel.name, failure) for item in own]
    return told


def _waiting_words(notice: Notice) -> str:
    times = f"{notice.attempt - 1:,} time{'' if notice.attempt == 2 else 's'}"
    return f"{notice.reason}, {times} so far; it is tried again from {notice.waits_until:%Y-%m-%d %H:%MZ}"


def _entry(
    event: Event, contract: Contract, notice: Notice, moments: Moments, reason: str | None = None
) -> LedgerEntry:
    """An event about an incident and about no submission: the incident's identity stands where that of one would."""
    return LedgerEntry(
        event=event,
        contract=contract.name,
        version=contract.version,
        contract_digest=contract.digest,
        partition=notice.incident.partition,
        submission=notice.incident.identity,
        candidate_digest="",
        verdict=Verdict.REFUSE,
        report_digest="",
        rows=0,
        as_of=moments.as_of,
        at=moments.at,
        reason=reason,
        mode=contract.publication.mode,
        by=_US,
        reference=notice.reference,
    )
