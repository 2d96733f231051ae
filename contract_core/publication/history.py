"""What became of each submission: the ledger's events folded into one record per decided submission."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from contract_core.contract.model import Contract
from contract_core.contract.partition import begins_at
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import REPLACE, Event, LedgerEntry, latest
from contract_core.publication.stages import together


class Fate(StrEnum):
    """How a submission stands now; a refused one and one whose publication failed are told apart."""

    REFUSED = "refused"
    ACCEPTED = "accepted"
    PUBLISHED = "published"
    PUBLICATION_FAILED = "publication_failed"


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody said of a publication: who, under which name it is kept elsewhere, and when.

    A request `is_open` while the publication is the last one of its partition.
    """

    by: str
    reference: str
    at: datetime
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One submission: its last decision, what came of it, and which later publication replaced it.

    `rules` are what held rows or the whole back; `reason` says why a publication that was allowed failed. `restated` counts
    what it changed of what was published before, `requests` are the corrections that were asked for, and `confirmations` the
    consumers whose own numbers agree with it. `effort` is what its last decision cost, and its publication.
    """

    submission: str
    contract: str
    version: str
    partition: str | None
    decision: Verdict
    outcome: Fate
    rules: tuple[str, ...]
    warnings: tuple[str, ...]
    rows: int
    received_at: datetime | None
    decided_at: datetime
    published_at: datetime | None = None
    table_version: int | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    quarantined: int = 0
    reason: str | None = None
    restated: Mapping[str, int] = field(default_factory=dict)
    requests: tuple[Remark, ...] = ()
    confirmations: tuple[Remark, ...] = ()
    effort: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def is_shown(self) -> bool:
        """True while consumers see it."""
        return self.outcome is Fate.PUBLISHED and self.superseded_by is None


def decisions(entries: tuple[LedgerEntry, ...]) -> tuple[DecisionRecord, ...]:
    """One record per decided submission, in the order in which they were first decided."""
    own: dict[tuple[str, str], list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        own[entry.contract, entry.submission].append(entry)
    decided = dict.fromkeys((entry.contract, entry.submission) for entry in entries if entry.event is Event.DECIDED)
    published = _by_partition(entries)
    successors, last = _successors(published), {(own[-1].contract, own[-1].submission) for own in published}
    return tuple(_record(tuple(own[about]), successors.get(about), is_last=about in last) for about in decided)


def _by_partition(entries: tuple[LedgerEntry, ...]) -> tuple[list[LedgerEntry], ...]:
    """The publications of each partition: sorted in one walk, since a table of years has very many."""
    published: dict[tuple[str, str | None], list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        if entry.event is Event.PUBLISHED:
            published[entry.contract, entry.partition].append(entry)
    return tuple(published.values())


def _successors(published: tuple[list[LedgerEntry], ...]) -> Mapping[tuple[str, str], LedgerEntry]:
    """What replaced each submission in its partition."""
    found: dict[tuple[str, str], LedgerEntry] = {}
    for own in published:
        for one, following in pairwise(own):
            if one.submission != following.submission and one.mode == REPLACE:
                found[one.contract, one.submission] = following
        found.pop((own[-1].contract, own[-1].submission), None)  # it may have been replaced before, and came back
    return found


def _record(own: tuple[LedgerEntry, ...], successor: LedgerEntry | None, *, is_last: bool) -> DecisionRecord:
    """The record of one submission; `is_last` where none was published in its partition since, however the contract publishes."""
    decided = latest(own, Event.DECIDED)
    published = latest(own, Event.PUBLISHED)
    failed = latest(own, Event.FAILED)
    assert decided is not None, "only decided submissions have a record"
    fate = _fate(decided, published, failed)
    return DecisionRecord(
        submission=decided.submission,
        contract=decided.contract,
        version=decided.version,
        partition=decided.partition,
        decision=decided.verdict,
        outcome=fate,
        rules=decided.held_back,
        warnings=decided.warned,
        rows=decided.rows,
        received_at=decided.received_at,
        decided_at=decided.at,
        published_at=None if published is None else published.at,
        table_version=None if published is None else published.table_version,
        superseded_by=None if successor is None else successor.submission,
        superseded_at=None if successor is None else successor.at,
        quarantined=(published or decided).quarantined,
        reason=failed.reason if failed is not None and fate is Fate.PUBLICATION_FAILED else None,
        restated=(published or decided).restated,
        requests=_remarks(own, Event.REQUESTED, is_open=is_last),
        confirmations=_remarks(own, Event.CONFIRMED, is_open=False),
        effort=_effort(decided, published or failed),
    )


def _effort(decided: LedgerEntry, ended: LedgerEntry | None) -> Mapping[str, float]:
    return together(decided.effort, {} if ended is None else ended.effort)


def _remarks(own: tuple[LedgerEntry, ...], event: Event, *, is_open: bool) -> tuple[Remark, ...]:
    return tuple(
        Remark(entry.by or "", entry.reference or "", entry.at, is_open) for entry in own if entry.event is event
    )


def _fate(decided: LedgerEntry, published: LedgerEntry | None, failed: LedgerEntry | None) -> Fate:
    if published is not None:
        return Fate.PUBLISHED
    if decided.verdict is Verdict.REFUSE:
        return Fate.REFUSED
    if failed is not None and failed.sequence > decided.sequence:
        return Fate.PUBLICATION_FAILED
    return Fate.ACCEPTED


def successor_of(published: LedgerEntry, entries: tuple[LedgerEntry, ...]) -> LedgerEntry | None:
    """The publication that replaced this one in its partition; None while nothing has, and where rows are added or corrected."""
    return None if published.mode != REPLACE else next(_followers(published, entries), None)


def is_followed(published: LedgerEntry, entries: tuple[LedgerEntry, ...]) -> bool:
    """True where another submission was published after this one that may have changed its rows: in its partition, and under
    upsert in any.
    """
    return next(_followers(published, entries), None) is not None


def _followers(published: LedgerEntry, entries: tuple[LedgerEntry, ...]) -> Iterator[LedgerEntry]:
    return (
        entry
        for entry in entries
        if entry.event is Event.PUBLISHED
        and entry.contract == published.contract
        and (entry.partition == published.partition or published.mode == "upsert")
        and entry.sequence > published.sequence
        and entry.submission != published.submission
    )


def makes_visible(entry: LedgerEntry, shown: str | None) -> bool:
    """True for a publication, and for a decision that lets through the submission that consumers see already."""
    is_let_through = entry.event is Event.DECIDED and entry.verdict is not Verdict.REFUSE
    return entry.event is Event.PUBLISHED or (is_let_through and entry.submission == shown)


def earlier_spans(
    contract: Contract, begins: datetime, entries: Iterable[LedgerEntry]
) -> tuple[tuple[datetime, LedgerEntry], ...]:
    """The published spans of time that begin before a moment, each with its beginning and last publication, the newest first."""
    current = {entry.partition: entry for entry in entries if entry.event is Event.PUBLISHED}
    dated = ((begins_at(contract, partition), entry) for partition, entry in current.items())
    found = [(start, entry) for start, entry in dated if start is not None and start < begins]
    return tuple(sorted(found, key=lambda item: item[0], reverse=True))


def arrived_at(entries: Iterable[LedgerEntry]) -> datetime | None:
    """When a partition arrived, by the ledger's entries about it: the first receipt of whatever was published; None for nothing.

    A refused delivery does not count, or rows that nobody could use would meet a deadline. What was judged for an earlier
    moment than that of its receipt counts as received then; an entry that names no receipt counts from its decision's record.
    """
    known = tuple(entries)
    published = {entry.submission for entry in known if entry.event is Event.PUBLISHED}
    return min((_counted(entry) for entry in known if entry.submission in published), default=None)


def _counted(entry: LedgerEntry) -> datetime:
    return min(entry.received_at or entry.at, entry.as_of)
