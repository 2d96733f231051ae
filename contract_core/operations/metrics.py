"""A contract in numbers, from the ledger alone: what became of its deliveries, what broke, how long things took, how old the data are.

What a number means is settled here and told in docs/metrics.md; how it is written down is left to `rendering`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from contract_core.contract.elapsed import elapsed
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.operations.deadlines import State, deadlines_of
from contract_core.operations.incidents import Incident, IncidentKind, incidents_of
from contract_core.operations.resolution import Resolution, held_back, resolution_by_rule, resolution_of
from contract_core.operations.spread import Spread, spread_of
from contract_core.operations.stage_costs import last_efforts, spread_efforts
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.freshness import newest_event
from contract_core.publication.history import DecisionRecord, Fate, decisions
from contract_core.validation.obligations import obligations_of

FAILED = "failed"
_OF_PARTITIONS = (IncidentKind.REFUSED, IncidentKind.FAILED, IncidentKind.OVERDUE)
"""All other incidents are about the age of the whole table."""


@dataclass(frozen=True, slots=True)
class RuleBreaches:
    """How often one finding was broken: in how many submissions, and how many breaches that were.

    `severity` is None for a finding of an earlier version that the contract does not know any more.
    """

    id: str
    rule: str
    field: str | None
    severity: Severity | None
    submissions: int
    breaches: int


@dataclass(frozen=True, slots=True)
class Violations:
    """Breaches of one finding that did not stop the delivery: its rows were kept apart, or they were told and published."""

    id: str
    field: str | None
    mode: Literal["quarantine", "warn"]
    breaches: int


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of a kind stand open, and how many are settled."""

    open: int = 0
    settled: int = 0


@dataclass(frozen=True, slots=True)
class ContractMetrics:
    """The numbers of one contract at a moment. Ages are None where nothing is published, `partitions` where none is ever due."""

    contract: str
    version: str
    status: str
    mode: str
    submissions: Mapping[str, int]
    refused_by_rule: Mapping[str, int]
    breaches: tuple[RuleBreaches, ...]
    violations: tuple[Violations, ...]
    receipt_to_publication: Spread
    newest_event_age: float | None
    newest_publication_age: float | None
    is_stale: bool | None
    resolution: Resolution
    resolution_by_rule: Mapping[str, Resolution]
    incidents: Mapping[str, Tally]
    quarantined_rows: int
    effort: Mapping[str, Spread]
    last_effort: Mapping[str, float]
    partitions: Mapping[str, int] | None
    requests: Tally


def metrics_of(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> ContractMetrics:
    """The numbers of a contract at a moment, by the ledger's entries about it."""
    known = tuple(entry for entry in entries if entry.at <= at)
    decided = tuple({entry.submission: entry for entry in known if entry.event is Event.DECIDED}.values())
    published = {entry.submission: entry for entry in known if entry.event is Event.PUBLISHED}
    records = decisions(known)
    shown = tuple(published[record.submission] for record in records if record.is_shown)
    incidents, breaches = incidents_of(contract, known, at), held_back(known)
    return ContractMetrics(
        contract=contract.name,
        version=contract.version,
        status=contract.status,
        mode=contract.enforcement.on_breach,
        submissions=_submissions(records),
        refused_by_rule=_refused_by_rule(decided),
        breaches=_breaches(contract, decided),
        violations=_violations(contract, decided),
        receipt_to_publication=_receipt_to_publication(known),
        newest_event_age=_age((newest_event(contract, entry) for entry in shown), at),
        newest_publication_age=_age((entry.at for entry in published.values()), at),
        is_stale=_is_stale(contract, incidents) if published else None,
        resolution=resolution_of(breaches),
        resolution_by_rule=resolution_by_rule(breaches),
        incidents=_incidents(incidents),
        quarantined_rows=sum(entry.quarantined for entry in shown),
        effort=spread_efforts(known),
        last_effort=last_efforts(known),
        partitions=_partitions(contract, known, at),
        requests=_requests(records),
    )


def _submissions(records: Iterable[DecisionRecord]) -> Mapping[str, int]:
    """Each submission once: by its last decision, or as failed where that lets it through and publishing it failed."""
    found = Counter(
        FAILED if record.outcome is Fate.PUBLICATION_FAILED else record.decision.value for record in records
    )
    return {name: found[name] for name in (*(verdict.value for verdict in Verdict), FAILED)}


def _refused_by_rule(decided: Iterable[LedgerEntry]) -> Mapping[str, int]:
    refused = (entry for entry in decided if entry.verdict is Verdict.REFUSE)
    return dict(sorted(Counter(rule for entry in refused for rule in dict.fromkeys(entry.held_back)).items()))


def _breaches(contract: Contract, decided: Iterable[LedgerEntry]) -> tuple[RuleBreaches, ...]:
    """By the contract's own order; what only earlier versions knew comes last, told by its id alone."""
    submissions: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for entry in decided:
        submissions.update(dict.fromkeys(entry.breached, 1))
        counts.update({rule: entry.counts.get(rule, 0) for rule in entry.breached})
    promised = {item.id: item for item in obligations_of(contract)}
    own = [
        RuleBreaches(item.id, item.rule, item.field, item.severity, submissions[item.id], counts[item.id])
        for item in promised.values()
        if item.id in submissions
    ]
    earlier = sorted(submissions.keys() - promised.keys())
    return (
        *own,
        *(RuleBreaches(id_, id_.rpartition(".")[2], None, None, submissions[id_], counts[id_]) for id_ in earlier),
    )


def _violations(contract: Contract, decided: Iterable[LedgerEntry]) -> tuple[Violations, ...]:
    """What was let through, by what was done about it then, and not by what the contract says now."""
    counts: Counter[tuple[str, Literal["quarantine", "warn"]]] = Counter()
    for entry in decided:
        if entry.verdict is not Verdict.REFUSE:
            for rule in entry.breached:
                counts[rule, "warn" if rule in entry.warned else "quarantine"] += entry.counts.get(rule, 0)
    fields = {item.id: item.field for item in obligations_of(contract)}
    return tuple(Violations(rule, fields.get(rule), mode, count) for (rule, mode), count in sorted(counts.items()))


def _receipt_to_publication(entries: Iterable[LedgerEntry]) -> Spread:
    first: dict[str, LedgerEntry] = {}
    for entry in entries:
        if entry.event is Event.PUBLISHED:
            first.setdefault(entry.submission, entry)
    return spread_of(
        elapsed(entry.received_at, entry.at).total_seconds()
        for entry in first.values()
        if entry.received_at is not None
    )


def _age(moments: Iterable[datetime], at: datetime) -> float | None:
    newest = max(moments, default=None)
    return None if newest is None else elapsed(newest, at).total_seconds()


def _is_stale(contract: Contract, incidents: Iterable[Incident]) -> bool | None:
    if contract.freshness is None:
        return None
    return any(incident.is_open and incident.kind not in _OF_PARTITIONS for incident in incidents)


def _incidents(incidents: Iterable[Incident]) -> Mapping[str, Tally]:
    found = Counter((incident.kind, incident.is_open) for incident in incidents)
    return {kind.value: Tally(found[kind, True], found[kind, False]) for kind in IncidentKind}


def _partitions(contract: Contract, entries: tuple[LedgerEntry, ...], at: datetime) -> Mapping[str, int] | None:
    due = deadlines_of(contract, entries, at)
    if due is None:
        return None
    found = Counter(item.state for item in due.partitions)
    return {state.value: found[state] for state in State}


def _requests(records: Iterable[DecisionRecord]) -> Tally:
    found = Counter(request.is_open for record in records for request in record.requests)
    return Tally(found[True], found[False])
