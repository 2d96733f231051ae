"""What things cost and how a contract does, as numbers that the UI plots by themselves: durations, memory, rows, ages, counters."""

from collections.abc import Mapping

import dagster as dg

from contract_core.contract.elapsed import elapsed
from contract_core.operations.metrics import ContractMetrics
from contract_core.publication.record import PublicationRecord
from contract_core.publication.stages import Effort
from contract_core.validation.report import ValidationReport

_HOUR = 3600
_WHOLE = ("_rows", "_bytes")
_RULES = dg.TableSchema(
    columns=[
        dg.TableColumn("rule", "string"),
        dg.TableColumn("refused", "int"),
        dg.TableColumn("broke it", "int"),
        dg.TableColumn("breaches", "int"),
        dg.TableColumn("unresolved", "int"),
        dg.TableColumn("resolved", "int"),
        dg.TableColumn("median hours", "float"),
    ]
)
Measures = Mapping[str, dg.MetadataValue]


def judgement_measures(report: ValidationReport) -> Measures:
    """What taking and judging a candidate cost, and how old its newest event was then, where an age is promised."""
    measures = _efforts(report.effort)
    age = report.learned.event_age
    if age is not None:
        measures["newest_event_age_hours"] = _hours(max(0, age))
    return measures


def publication_measures(record: PublicationRecord) -> Measures:
    """How long a publication took, and how long since the delivery was received; nothing where this run found it done."""
    if record.already_published:
        return {}
    measures = _efforts(record.effort)
    if record.received_at is not None:
        waited = elapsed(record.received_at, record.published_at).total_seconds()
        measures["receipt_to_publication_seconds"] = dg.MetadataValue.float(waited)
    return measures


def contract_measures(found: ContractMetrics) -> Measures:
    """How a contract does: submissions by verdict, what is open, ages, and a row for each rule that ever broke."""
    measures: dict[str, dg.MetadataValue] = {
        f"submissions_{verdict.removeprefix('publish_')}": dg.MetadataValue.int(count)
        for verdict, count in found.submissions.items()
    }
    measures |= {
        "open_incidents": dg.MetadataValue.int(sum(tally.open for tally in found.incidents.values())),
        "unresolved_breaches": dg.MetadataValue.int(found.resolution.open),
        "quarantined_rows": dg.MetadataValue.int(found.quarantined_rows),
        "contract_version": dg.MetadataValue.text(found.version),
    }
    measures |= {name: _hours(seconds) for name, seconds in _times(found).items() if seconds is not None}
    if rules := _rules(found):
        measures["rules"] = dg.MetadataValue.table(records=rules, schema=_RULES)
    return measures


def _efforts(effort: Effort) -> dict[str, dg.MetadataValue]:
    """What stages cost: rows and bytes are whole numbers."""
    return {
        name: dg.MetadataValue.int(int(spent)) if name.endswith(_WHOLE) else dg.MetadataValue.float(float(spent))
        for name, spent in effort.items()
    }


def _times(found: ContractMetrics) -> Mapping[str, float | None]:
    return {
        "hours_to_publication_median": found.receipt_to_publication.middle,
        "hours_to_resolve_median": found.resolution.seconds.middle,
        "newest_event_age_hours": found.newest_event_age,
        "newest_publication_age_hours": found.newest_publication_age,
    }


def _rules(found: ContractMetrics) -> list[dg.TableRecord]:
    broken, resolution = {item.id: item for item in found.breaches}, found.resolution_by_rule
    names = dict.fromkeys((*broken, *found.refused_by_rule, *resolution))
    return [
        dg.TableRecord(
            {
                "rule": name,
                "refused": found.refused_by_rule.get(name, 0),
                "broke it": broken[name].submissions if name in broken else 0,
                "breaches": broken[name].breaches if name in broken else 0,
                "unresolved": resolution[name].open if name in resolution else 0,
                "resolved": resolution[name].resolved if name in resolution else 0,
                "median hours": _median_hours(found, name),
            }
        )
        for name in names
    ]


def _median_hours(found: ContractMetrics, rule: str) -> float | None:
    middle = found.resolution_by_rule[rule].seconds.middle if rule in found.resolution_by_rule else None
    return None if middle is None else round(middle / _HOUR, 2)


def _hours(seconds: float) -> dg.MetadataValue:
    return dg.MetadataValue.float(round(seconds / _HOUR, 4))
