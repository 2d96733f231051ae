"""One entry of the ledger, as a frozen value: what happened to which submission, and when. It never holds a value from the data."""

import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from contract_core.publication.decision import Verdict
from contract_core.publication.markers import digest_of

REPLACE = "replace_partition"


class Event(StrEnum):
    """What happened: a decision was taken, its candidate was published, or publishing it failed; or what people were told or said.

    `notified` is the claim of a message to people, `not_notified` that its channel did not take it. A correction is `requested`
    of what is published, and a consumer has `confirmed` it.
    """

    DECIDED = "decided"
    PUBLISHED = "published"
    FAILED = "failed"
    NOTIFIED = "notified"
    NOT_NOTIFIED = "not_notified"
    REQUESTED = "requested"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One event. `sequence` and `identity` are given by the ledger when it takes the entry; `counts` holds breaches by finding.

    `rows` are those that were delivered, `quarantined` those of them that are kept apart; `mode` is how the contract publishes.
    `event_age`, `baseline`, `profile` and `restated` are those of the report, `effort` what the stages until this event cost,
    which is in no comparison. `by` and `reference` say who told or asked, and under which name that is kept elsewhere.
    """

    event: Event
    contract: str
    version: str
    contract_digest: str
    partition: str | None
    submission: str
    candidate_digest: str
    verdict: Verdict
    report_digest: str
    rows: int
    as_of: datetime
    at: datetime
    received_at: datetime | None = None
    breached: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    table_version: int | None = None
    reason: str | None = None
    quarantined: int = 0
    reasons: tuple[str, ...] = ()
    mode: str = REPLACE
    runtime: Mapping[str, str] = field(default_factory=dict)
    event_age: int | None = None
    baseline: str | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    restated: Mapping[str, int] = field(default_factory=dict)
    effort: Mapping[str, float] = field(default_factory=dict, compare=False)
    by: str | None = None
    reference: str | None = None
    sequence: int = 0
    identity: str = ""

    @property
    def newest_event(self) -> datetime | None:
        """The moment of the newest event, worked out from its age; None where no age was measured."""
        return None if self.event_age is None else self.as_of - timedelta(seconds=self.event_age)

    @property
    def published_rows(self) -> int:
        """The rows that the decision lets through."""
        return self.rows - self.quarantined

    @property
    def held_back(self) -> tuple[str, ...]:
        """The ids of what held rows or the whole back; entries from before they were recorded tell them by what was not kept."""
        return self.reasons or tuple(name for name in (*self.breached, *self.unjudged) if name not in self.warned)

    @property
    def content(self) -> str:
        """Digest of what the event says, without the moments: the same event said again has the same."""
        about = (
            self.event,
            self.contract,
            self.contract_digest,
            self.partition,
            self.submission,
            self.candidate_digest,
        )
        if self.event is Event.PUBLISHED:
            return digest_of(*about, self.table_version)
        said = (self.by, self.reference) if self.by is not None or self.reference is not None else ()
        return digest_of(*about, self.report_digest, self.verdict, self.reasons, self.warned, self.reason, *said)


def latest(entries: tuple[LedgerEntry, ...], event: Event) -> LedgerEntry | None:
    """The last entry of one kind."""
    return next((entry for entry in reversed(entries) if entry.event is event), None)


def by_partition(entries: Iterable[LedgerEntry]) -> Mapping[str | None, tuple[LedgerEntry, ...]]:
    """The entries about one contract, those of each partition together, in their order."""
    own: dict[str | None, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        own[entry.partition].append(entry)
    return {partition: tuple(known) for partition, known in own.items()}


@cache
def runtime_versions() -> Mapping[str, str]:
    """The versions that a decision was taken with."""
    packages = ("polars", "deltalake", "contract-gate")
    return {"python": platform.python_version()} | {package: _version_of(package) for package in packages}


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
