"""When a delivery was received, and when its partition arrived: what a deadline is held against."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from contract_core.candidate.snapshot import Candidate
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.history import arrived_at


def received_at(candidate: Candidate) -> datetime | None:
    """When the delivery was taken, as the record beside the candidate says; None where it names no moment."""
    try:
        record = json.loads(candidate.path.with_name(f"{candidate.submission}.json").read_bytes())
        moment = datetime.fromisoformat(record["received_at"])
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


def first_received(candidate: Candidate, entries: Iterable[LedgerEntry]) -> datetime | None:
    """When the submission was received first: the ledger remembers it where the candidate was cleaned away and taken anew."""
    own = (entry.received_at for entry in entries if entry.submission == candidate.submission)
    return min((moment for moment in (*own, received_at(candidate)) if moment is not None), default=None)


def arrival(candidate: Candidate, entries: Iterable[LedgerEntry], as_of: datetime) -> datetime:
    """When the candidate's partition arrived, for a judgement as of a moment: a correction arrived with what it corrects."""
    known = tuple(entries)
    moments = (first_received(candidate, known), arrived_at(known), as_of)
    return min(moment for moment in moments if moment is not None)
