"""All findings for one candidate, as plain values: counts and the contract's own words, never a value from the data."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from contract_core.contract.promises import Severity
from contract_core.validation.obligations import Layer, Obligation


class Outcome(StrEnum):
    """What a candidate did with an obligation; `unjudged` is not `kept`."""

    KEPT = "kept"
    BREACHED = "breached"
    UNJUDGED = "unjudged"


class PartState(StrEnum):
    """What is known of one part of a delivery; the five never collapse into one."""

    COMPLETE = "complete"
    EMPTY = "complete, empty"
    INCOMPLETE = "incomplete"
    MISSING = "missing"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True, slots=True)
class Part:
    """One part as it was found; a part that the contract does not name is shown as `<extra>`."""

    name: str
    state: PartState
    rows: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one obligation.

    `reason` says why it is unjudged, or names what broke it in words of the contract (required parts) and of the
    delivery (files); `details` counts what stands behind the breaches. `in_rows` where the breach lies in rows that can be
    told one by one, so that they can be kept apart from the others.
    """

    obligation: Obligation
    outcome: Outcome
    breaches: int = 0
    reason: str = ""
    details: Mapping[str, int] = field(default_factory=dict)
    in_rows: bool = False

    @property
    def id(self) -> str:
        """The obligation's stable id."""
        return self.obligation.id

    @property
    def rule(self) -> str:
        """The obligation's rule label."""
        return self.obligation.rule

    @property
    def severity(self) -> Severity:
        """How much a breach weighs."""
        return self.obligation.severity

    @property
    def layer(self) -> Layer:
        """Which part of the contract the obligation belongs to."""
        return self.obligation.layer

    @property
    def holds_back(self) -> bool:
        """True where this finding, by its severity alone, speaks against publication."""
        return self.outcome is not Outcome.KEPT and self.severity is Severity.ERROR


@dataclass(frozen=True, slots=True)
class Learned:
    """What is told of a candidate besides its findings: measures of its rows as a whole, and never one of their values.

    `event_age` is that of the newest event in seconds, where an age is promised: the moment itself stays with the data. `baseline`
    is the submission of the accepted partition that rows were compared with. `profile` holds the aggregates that monitors
    compare, `restated` how many published keys a correction changes.
    """

    event_age: int | None = None
    baseline: str | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    restated: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """All findings for one candidate under one contract version, in the contract's order.

    `broken_rows` counts the rows that break a promise of severity `error`, each once; None where the contract does not ask
    which they are. `effort` says what the stages until here cost; it differs from run to run, so that it is in no comparison.
    """

    contract: str
    version: str
    contract_digest: str
    partition: str | None
    submission: str
    candidate_digest: str
    as_of: datetime
    rows: int
    findings: tuple[Finding, ...]
    parts: tuple[Part, ...] = ()
    unverified: tuple[str, ...] = ()
    broken_rows: int | None = None
    learned: Learned = field(default_factory=Learned)
    effort: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def digest(self) -> str:
        """SHA-256 over everything that was found and for what, without the moment of judgement."""
        found: list[Any] = [(f.id, f.severity, f.outcome, f.breaches) for f in self.findings]
        about: list[Any] = [
            self.contract,
            self.contract_digest,
            self.partition,
            self.submission,
            self.candidate_digest,
            self.rows,
        ]
        about += [] if self.broken_rows is None else [self.broken_rows]
        return hashlib.sha256(json.dumps([about, found]).encode()).hexdigest()

    def breached(self) -> tuple[Finding, ...]:
        """The findings that are not kept, in order."""
        return tuple(finding for finding in self.findings if finding.outcome is not Outcome.KEPT)

    def layers(self) -> dict[Layer, Outcome]:
        """One outcome for each part of the contract: correctness and timeliness are separate verdicts."""
        return {layer: _worst(finding for finding in self.findings if finding.layer is layer) for layer in Layer}


@dataclass(frozen=True, slots=True)
class RuleCost:
    """One obligation alone: the seconds of a query for nothing else, by the clock and of the processors, reading included."""

    id: str
    seconds: float
    cpu_seconds: float


def _worst(findings: Iterable[Finding]) -> Outcome:
    outcomes = {finding.outcome for finding in findings if finding.severity is Severity.ERROR}
    return next((outcome for outcome in (Outcome.BREACHED, Outcome.UNJUDGED) if outcome in outcomes), Outcome.KEPT)
