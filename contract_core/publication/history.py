"""What became of each submission: the ledger's events folded into one record per decided submission."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry, latest


class Fate(StrEnum):
    """How a submission stands now; a refused one and one whose publication failed are told apart."""

    REFUSED = "refused"
    ACCEPTED = "accepted"
    PUBLISHED = "published"
    PUBLICATION_FAILED = "publication_failed"


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One submission: its last decision, what came of it, and which later publication replaced it."""

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


def decisions(entries: tuple[LedgerEntry, ...]) -> tuple[DecisionRecord, ...]:
    """One record per decided submission, in the order in which they were first decided."""
    submissions = dict.fromkeys((entry.contract, entry.submission) for entry in entries if entry.event is Event.DECIDED)
    return tuple(_record(entries, contract, submission) for contract, submission in submissions)


def _record(entries: tuple[LedgerEntry, ...], contract: str, submission: str) -> DecisionRecord:
    own = tuple(entry for entry in entries if (entry.contract, entry.submission) == (contract, submission))
    decided = latest(own, Event.DECIDED)
    published = latest(own, Event.PUBLISHED)
    assert decided is not None, "only decided submissions have a record"
    return DecisionRecord(
        submission=submission,
        contract=contract,
        version=decided.version,
        partition=decided.partition,
        decision=decided.verdict,
        outcome=_fate(decided, published, latest(own, Event.FAILED)),
        rules=tuple(name for name in (*decided.breached, *decided.unjudged) if name not in decided.warned),
        warnings=decided.warned,
        rows=decided.rows,
        received_at=decided.received_at,
        decided_at=decided.at,
        published_at=None if published is None else published.at,
        table_version=None if published is None else published.table_version,
        superseded_by=None if published is None else successor_of(published, entries),
    )


def _fate(decided: LedgerEntry, published: LedgerEntry | None, failed: LedgerEntry | None) -> Fate:
    if published is not None:
        return Fate.PUBLISHED
    if decided.verdict is Verdict.REFUSE:
        return Fate.REFUSED
    if failed is not None and failed.sequence > decided.sequence:
        return Fate.PUBLICATION_FAILED
    return Fate.ACCEPTED


def successor_of(published: LedgerEntry, entries: tuple[LedgerEntry, ...]) -> str | None:
    """The submission that was published next in the same partition; None while nothing replaced this one."""
    later = (
        entry.submission
        for entry in entries
        if entry.event is Event.PUBLISHED
        and (entry.contract, entry.partition) == (published.contract, published.partition)
        and entry.sequence > published.sequence
        and entry.submission != published.submission
    )
    return next(later, None)
