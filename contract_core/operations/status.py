"""What consumers of a contract's table see now: the last accepted partition, its age, and refusals since then."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from contract_core.contract.elapsed import elapsed
from contract_core.contract.model import Contract
from contract_core.contract.partition import begins_at
from contract_core.contract.promises import Freshness
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.freshness import last_publication, newest_event, promised_freshness
from contract_core.publication.history import DecisionRecord, Fate, decisions


@dataclass(frozen=True, slots=True)
class Status:
    """The state of one published table at a moment.

    `age` is that of the newest event in what is shown, `silence` the time since the last publication, and neither is ever less than
    nothing; `ahead` is by how much that event lies after the moment. `promise` says how much of each is allowed. `quarantined`
    counts the rows that were kept apart from the deliveries that consumers see now; `requested` are those of which somebody asked
    for a correction that has not come.
    """

    contract: str
    version: str
    partitions: int
    newest: DecisionRecord | None
    age: timedelta | None
    refused_since: tuple[DecisionRecord, ...]
    quarantined: int = 0
    requested: tuple[DecisionRecord, ...] = ()
    silence: timedelta | None = None
    promise: Freshness | None = None
    ahead: timedelta = timedelta(0)

    @property
    def is_too_old(self) -> bool | None:
        """True where the newest event is older than promised; None where nothing is promised of it, or nothing is there."""
        return None if self.promise is None or self.age is None else self.age > self.promise.max_age

    @property
    def is_silent(self) -> bool | None:
        """True where nothing was published for longer than promised; None where nothing is promised of it, or nothing is there."""
        allowed = self.promise.max_silence if self.promise is not None else None
        return None if allowed is None or self.silence is None else self.silence > allowed

    @property
    def is_stale(self) -> bool | None:
        """True where one of the two promises is broken; None where neither was made."""
        answers = [answer for answer in (self.is_too_old, self.is_silent) if answer is not None]
        return any(answers) if answers else None


def status_of(contract: Contract, entries: tuple[LedgerEntry, ...], as_of: datetime) -> Status:
    """What the ledger's entries about a contract say of its table at `as_of`."""
    records = decisions(entries)
    shown = [record for record in records if record.is_shown]
    event, last = _newest_event(contract, entries, shown), last_publication(entries)
    return Status(
        contract=contract.name,
        version=contract.version,
        partitions=len(shown),
        newest=max(shown, key=lambda record: _place(contract, record), default=None),
        age=elapsed(event, as_of) if event is not None else None,
        refused_since=tuple(_open_refusals(records)),
        quarantined=sum(record.quarantined for record in shown),
        requested=tuple(record for record in records if any(request.is_open for request in record.requests)),
        silence=elapsed(last, as_of) if last is not None else None,
        promise=promised_freshness(contract),
        ahead=elapsed(as_of, event) if event is not None else timedelta(0),
    )


def _newest_event(contract: Contract, entries: tuple[LedgerEntry, ...], shown: list[DecisionRecord]) -> datetime | None:
    """Of everything that consumers see, in whatever partition it stands: a correction may bring the newest."""
    published = {entry.submission: entry for entry in entries if entry.event is Event.PUBLISHED}
    return max((newest_event(contract, published[record.submission]) for record in shown), default=None)


def _place(contract: Contract, record: DecisionRecord) -> tuple[datetime, datetime]:
    """Which of two publications shows later data: by the beginning of its span, then by when it was published."""
    published_at = record.published_at or record.decided_at
    return begins_at(contract, record.partition) or published_at, published_at


def _open_refusals(records: tuple[DecisionRecord, ...]) -> Iterator[DecisionRecord]:
    """Those that no later decision about the same partition has settled."""
    last: dict[str | None, datetime] = {}
    for record in records:
        last[record.partition] = max(last.get(record.partition, record.decided_at), record.decided_at)
    for record in records:
        is_refused = record.outcome in (Fate.REFUSED, Fate.PUBLICATION_FAILED)
        if is_refused and record.decided_at == last[record.partition]:
            yield record
