"""Which publications a candidate is compared with by the monitors of its contract, as the ledger's entries tell them."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.delivery_terms import PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import window
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.validation.measured import Measured


def earlier(contract: Contract, candidate: Candidate, entries: Iterable[LedgerEntry]) -> tuple[Measured, ...]:
    """What was accepted before, the newest first; `entries` are those about the contract, in their order.

    Where partitions are spans of time these are the spans that begin earlier, each as it is published now, whenever it was
    delivered: so a correction of an old day is compared with the days before that day. Elsewhere they are the publications
    before this one, of which each submission counts once.
    """
    terms = contract.delivery.partition
    published = [entry for entry in entries if entry.event is Event.PUBLISHED]
    if terms is not None and terms.every is not None and candidate.partition is not None:
        return _spans(terms, candidate.partition, published)
    own = [place for place, entry in enumerate(published) if entry.submission == candidate.submission]
    before = published[: own[0]] if own else published
    by_submission = {entry.submission: entry for entry in before}  # at its first place, as it was last
    return tuple(Measured(entry.published_rows, entry.profile) for entry in reversed(by_submission.values()))


def _spans(terms: PartitionTerms, key: str, published: Iterable[LedgerEntry]) -> tuple[Measured, ...]:
    begins = window(terms, key)[0]
    current = {entry.partition: entry for entry in published}
    dated = [
        (start, entry)
        for partition, entry in current.items()
        if (start := _begin(terms, partition)) is not None and start < begins
    ]
    dated.sort(key=lambda item: item[0], reverse=True)
    is_daily = terms.every == "day"
    return tuple(
        Measured(entry.published_rows, entry.profile, is_daily and start.weekday() == begins.weekday())
        for start, entry in dated
    )


def _begin(terms: PartitionTerms, partition: str | None) -> datetime | None:
    """When a partition begins; None for a key of an earlier version, when partitions were others."""
    if partition is not None:
        with suppress(ValueError):
            return window(terms, partition)[0]
    return None
