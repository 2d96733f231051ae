"""Which publications a candidate is compared with by the monitors of its contract, as the ledger's entries tell them."""

from collections.abc import Iterable

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.partition import begins_at
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.history import earlier_spans
from contract_core.validation.measured import Measured


def earlier(contract: Contract, candidate: Candidate, entries: Iterable[LedgerEntry]) -> tuple[Measured, ...]:
    """What was accepted before, the newest first; `entries` are those about the contract, in their order.

    Where partitions are spans of time these are the spans that begin earlier, each as it is published now, whenever it was
    delivered: so a correction of an old day is compared with the days before that day. Elsewhere they are the publications
    before this one, of which each submission counts once.
    """
    begins = begins_at(contract, candidate.partition)
    if begins is not None:
        is_daily = contract.delivery.partition is not None and contract.delivery.partition.every == "day"
        return tuple(
            Measured(entry.published_rows, entry.profile, is_daily and start.weekday() == begins.weekday())
            for start, entry in earlier_spans(contract, begins, entries)
        )
    published = [entry for entry in entries if entry.event is Event.PUBLISHED]
    own = [place for place, entry in enumerate(published) if entry.submission == candidate.submission]
    before = published[: own[0]] if own else published
    by_submission = {entry.submission: entry for entry in before}  # at its first place, as it was last
    return tuple(Measured(entry.published_rows, entry.profile) for entry in reversed(by_submission.values()))
