"""The numbers of contracts as text that Prometheus scrapes, in its exposition format 0.0.4.

A label holds words of the contract alone: its name, its fields, the ids of its findings; never a partition, a submission or a
value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from contract_core.operations.metrics import ContractMetrics
from contract_core.operations.spread import Spread
from contract_core.operations.stage_costs import RECORDED
from contract_core.publication.stages import CPU_SECONDS, PEAK_BYTES, ROWS, ROWS_PER_SECOND, SECONDS, name_of

_PREFIX = "contract_gate_"
_SIGN = "# Written by contract-gate metrics."
_VALUE = {"\\": r"\\", "\n": r"\n", '"': r"\""}


@dataclass(frozen=True, slots=True)
class _Sample:
    """One line: what is appended to the name of its family, its labels beside the contract, its number."""

    value: float
    labels: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """One metric: its name without our prefix, its type, what it means, and where its samples come from."""

    name: str
    kind: str
    meaning: str
    samples: Callable[[ContractMetrics], Iterator[_Sample]]


def prometheus_text(metrics: Sequence[ContractMetrics]) -> str:
    """Each family once, with the samples of all contracts below it; one without samples is left out."""
    lines = [_SIGN]
    for family in FAMILIES:
        name = _PREFIX + family.name
        told = [
            f"{name}{sample.suffix}{_labels({'contract': found.contract, **sample.labels})} {_number(sample.value)}"
            for found in metrics
            for sample in family.samples(found)
        ]
        if told:
            lines += [f"# HELP {name} {family.meaning}", f"# TYPE {name} {family.kind}", *told]
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return "".join(_VALUE.get(sign, sign) for sign in value)


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _by(label: str, values: Mapping[str, float]) -> Iterator[_Sample]:
    return (_Sample(value, {label: name}) for name, value in values.items())


def _one(value: float | None) -> Iterator[_Sample]:
    """A number that may not be known: then there is no line, and no zero that would be taken for one."""
    if value is not None:
        yield _Sample(value, {})


def _summary(spread: Spread, labels: Mapping[str, str] | None = None) -> Iterator[_Sample]:
    yield _Sample(spread.total, labels or {}, "_sum")
    yield _Sample(spread.count, labels or {}, "_count")


def _info(found: ContractMetrics) -> Iterator[_Sample]:
    yield _Sample(1, {"version": found.version, "status": found.status, "mode": found.mode})


def _violations(found: ContractMetrics) -> Iterator[_Sample]:
    for broken in found.violations:
        yield _Sample(broken.breaches, {"field": broken.field or "", "rule": broken.id, "mode": broken.mode})


def _resolution_seconds(found: ContractMetrics) -> Iterator[_Sample]:
    for rule, resolution in found.resolution_by_rule.items():
        yield from _summary(resolution.seconds, {"rule": rule})


def _spreads(found: ContractMetrics, measure: str) -> Iterator[tuple[str, Spread]]:
    """The stages that ever told this."""
    every = ((stage, found.effort[name_of(stage, measure)]) for stage in RECORDED)
    return ((stage, spread) for stage, spread in every if spread.count)


def _stage_summaries(found: ContractMetrics, measure: str) -> Iterator[_Sample]:
    for stage, spread in _spreads(found, measure):
        yield from _summary(spread, {"stage": stage})


def _stage_last(found: ContractMetrics, measure: str) -> Iterator[_Sample]:
    known = {stage: found.last_effort.get(name_of(stage, measure)) for stage in RECORDED}
    return _by("stage", {stage: last for stage, last in known.items() if last is not None})


FAMILIES = (
    Family(
        "contract_info", "gauge", "The contract as it is now: its version, its status, and what a breach does.", _info
    ),
    Family(
        "submissions_total",
        "counter",
        "Submissions by their last decision, or failed where publishing an accepted one failed.",
        lambda m: _by("verdict", m.submissions),
    ),
    Family(
        "aborts_total", "counter", "Submissions that were refused as a whole.", lambda m: _one(m.submissions["refuse"])
    ),
    Family(
        "refusals_total",
        "counter",
        "Refused submissions by each finding that held them back.",
        lambda m: _by("rule", m.refused_by_rule),
    ),
    Family(
        "violations_total",
        "counter",
        "Breaches that stopped nothing: kept apart in quarantine, or only warned about.",
        _violations,
    ),
    Family(
        "breaches_total",
        "counter",
        "Breaches by finding, of refused submissions too.",
        lambda m: _by("rule", {b.id: b.breaches for b in m.breaches}),
    ),
    Family(
        "breached_submissions_total",
        "counter",
        "Submissions that broke a finding.",
        lambda m: _by("rule", {b.id: b.submissions for b in m.breaches}),
    ),
    Family(
        "quarantined_rows", "gauge", "Rows kept apart of what consumers see now.", lambda m: _one(m.quarantined_rows)
    ),
    Family(
        "receipt_to_publication_seconds",
        "summary",
        "From receipt to the first publication of a submission.",
        lambda m: _summary(m.receipt_to_publication),
    ),
    Family("stage_seconds", "summary", "What a stage took.", lambda m: _stage_summaries(m, SECONDS)),
    Family(
        "stage_cpu_seconds",
        "summary",
        "What a stage took of the processors.",
        lambda m: _stage_summaries(m, CPU_SECONDS),
    ),
    Family(
        "stage_rows_total",
        "counter",
        "Rows that went through a stage.",
        lambda m: _by("stage", {stage: spread.total for stage, spread in _spreads(m, ROWS)}),
    ),
    Family(
        "stage_rows_per_second",
        "gauge",
        "Rows that a stage did in a second, the last time.",
        lambda m: _stage_last(m, ROWS_PER_SECOND),
    ),
    Family(
        "stage_peak_bytes",
        "gauge",
        "Resident memory of the process at its highest during a stage, the last time.",
        lambda m: _stage_last(m, PEAK_BYTES),
    ),
    Family(
        "delivered_bytes_total",
        "counter",
        "Bytes of the deliveries that were judged.",
        lambda m: _one(m.effort["delivered_bytes"].total),
    ),
    Family(
        "candidate_bytes_total",
        "counter",
        "Bytes of their candidates.",
        lambda m: _one(m.effort["candidate_bytes"].total),
    ),
    Family(
        "newest_event_age_seconds",
        "gauge",
        "Age of the newest event that consumers see.",
        lambda m: _one(m.newest_event_age),
    ),
    Family(
        "newest_publication_age_seconds",
        "gauge",
        "Time since the last publication.",
        lambda m: _one(m.newest_publication_age),
    ),
    Family(
        "stale",
        "gauge",
        "1 where what consumers see is older than promised, 0 where it is not.",
        lambda m: _one(m.is_stale),
    ),
    Family(
        "unresolved_breaches",
        "gauge",
        "Findings that hold a partition back and were not kept since.",
        lambda m: _by("rule", {rule: r.open for rule, r in m.resolution_by_rule.items()}),
    ),
    Family(
        "resolution_seconds",
        "summary",
        "From the first decision that a finding held back to the publication that it did not.",
        _resolution_seconds,
    ),
    Family(
        "open_incidents",
        "gauge",
        "Incidents that nothing has resolved.",
        lambda m: _by("kind", {kind: tally.open for kind, tally in m.incidents.items()}),
    ),
    Family(
        "resolved_incidents_total",
        "counter",
        "Incidents that are over.",
        lambda m: _by("kind", {kind: tally.settled for kind, tally in m.incidents.items()}),
    ),
    Family(
        "partitions",
        "gauge",
        "Partitions by how they stand, where they are due: the last 1,000 that have begun.",
        lambda m: _by("state", m.partitions or {}),
    ),
    Family(
        "open_requests",
        "gauge",
        "Requests for a correction that no later publication has settled.",
        lambda m: _one(m.requests.open),
    ),
    Family(
        "settled_requests_total",
        "counter",
        "Requests for a correction that a later publication settled.",
        lambda m: _one(m.requests.settled),
    ),
)
