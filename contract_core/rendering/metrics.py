"""The numbers of contracts as one JSON document."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from contract_core.operations.metrics import ContractMetrics, Tally
from contract_core.operations.resolution import Resolution
from contract_core.operations.spread import Spread
from contract_core.operations.stage_costs import RECORDED
from contract_core.publication.stages import MEASURES, name_of


def metrics_document(metrics: Iterable[ContractMetrics], at: datetime) -> dict[str, Any]:
    """What `metrics --json` prints."""
    return {"at": at.isoformat(), "contracts": [_contract_document(found) for found in metrics]}


def _contract_document(found: ContractMetrics) -> dict[str, Any]:
    effort = found.effort
    return {
        "contract": found.contract,
        "version": found.version,
        "status": found.status,
        "mode": found.mode,
        "submissions": dict(found.submissions),
        "refused_by_rule": dict(found.refused_by_rule),
        "breaches": [
            {
                "id": broken.id,
                "rule": broken.rule,
                "field": broken.field,
                "severity": broken.severity.value if broken.severity is not None else None,
                "submissions": broken.submissions,
                "breaches": broken.breaches,
            }
            for broken in found.breaches
        ],
        "receipt_to_publication_seconds": spread_document(found.receipt_to_publication),
        "newest_event_age_seconds": found.newest_event_age,
        "newest_publication_age_seconds": found.newest_publication_age,
        "stale": found.is_stale,
        "resolution": _resolution_document(found.resolution)
        | {"by_rule": {rule: _resolution_document(own) for rule, own in found.resolution_by_rule.items()}},
        "incidents": {kind: _tally_document(tally, "resolved") for kind, tally in found.incidents.items()},
        "quarantined_rows": found.quarantined_rows,
        "stages": {stage: _stage_document(stage, effort) for stage in RECORDED},
        "delivered_bytes": spread_document(effort["delivered_bytes"]),
        "candidate_bytes": spread_document(effort["candidate_bytes"]),
        "partitions": dict(found.partitions) if found.partitions is not None else None,
        "requests": _tally_document(found.requests, "settled"),
    }


def spread_document(spread: Spread) -> dict[str, float | None]:
    """How numbers are spread, as JSON."""
    return {
        "count": spread.count,
        "sum": spread.total,
        "min": spread.least,
        "median": spread.middle,
        "max": spread.most,
    }


def _stage_document(stage: str, effort: Mapping[str, Spread]) -> dict[str, Any]:
    return {measure: spread_document(effort[name_of(stage, measure)]) for measure in MEASURES}


def _resolution_document(found: Resolution) -> dict[str, Any]:
    return {"open": found.open, "resolved": found.resolved, "seconds": spread_document(found.seconds)}


def _tally_document(tally: Tally, settled: str) -> dict[str, int]:
    return {"open": tally.open, settled: tally.settled}
