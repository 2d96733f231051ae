"""Reports → what the UI shows: numbers it can plot, tables, column schemas. Text from contracts is kept from acting as markup."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import dagster as dg

from contract_assets.labels import in_order, plain
from contract_core.contract.model import Contract, Field
from contract_core.operations.deadlines import Expected
from contract_core.operations.reconciled import Reconciliation
from contract_core.operations.status import Status
from contract_core.publication.decision import Decision
from contract_core.publication.record import PublicationRecord
from contract_core.rendering.contracts import contract_lines, obligations_by_field
from contract_core.rendering.history import publication_lines
from contract_core.rendering.moments import length_words
from contract_core.rendering.promises import promise_words
from contract_core.rendering.reports import consequence, message, next_step
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.report import Finding, Outcome, ValidationReport

Metadata = Mapping[str, dg.MetadataValue]


def findings_summary(findings: Sequence[Finding], decision: Decision) -> str:
    """One sentence for each finding that is not kept, with what the decision made of it and what to do; or that all are."""
    open_findings = [finding for finding in findings if finding.outcome is not Outcome.KEPT]
    told = [_with_next_step(finding, decision) for finding in open_findings]
    return "; ".join(told) if told else _all_kept(len(findings))


def _with_next_step(finding: Finding, decision: Decision) -> str:
    told = (consequence(finding, decision), f"to do: {next_step(finding)}")
    return f"{message(finding)} ({'; '.join(word for word in told if word)})"


def _all_kept(count: int) -> str:
    return "its one obligation is kept" if count == 1 else f"all {count} obligations are kept"


def findings_metadata(findings: Sequence[Finding], report: ValidationReport) -> Metadata:
    """Numbers over time (breaches, rows, rate) and a row for each obligation."""
    breaches = sum(finding.breaches for finding in findings)
    metadata: dict[str, dg.MetadataValue] = {
        "breaches": dg.MetadataValue.int(breaches),
        "unjudged": dg.MetadataValue.int(sum(1 for finding in findings if finding.outcome is Outcome.UNJUDGED)),
        "rows": dg.MetadataValue.int(report.rows),
        "submission": dg.MetadataValue.text(report.submission[:12]),
        "as_of": dg.MetadataValue.timestamp(report.as_of),
        "obligations": dg.MetadataValue.table(records=[_record(finding) for finding in findings], schema=_RECORDS),
    }
    if any(finding.rule in ("coverage", "completeness") for finding in findings) and report.parts:
        metadata["parts"] = parts_table(report)
    return metadata


_RECORDS = dg.TableSchema(
    columns=[
        dg.TableColumn("rule", "string"),
        dg.TableColumn("outcome", "string"),
        dg.TableColumn("breaches", "int"),
        dg.TableColumn("found", "string"),
        dg.TableColumn("what to do", "string"),
    ]
)


def _record(finding: Finding) -> dg.TableRecord:
    return dg.TableRecord(
        {
            "rule": finding.id,
            "outcome": finding.outcome.value,
            "breaches": finding.breaches,
            "found": message(finding),
            "what to do": next_step(finding),
        }
    )


def _row_count_key(partition: str | None) -> str:
    return "dagster/row_count" if partition is None else "dagster/partition_row_count"


def parts_table(report: ValidationReport) -> dg.MetadataValue:
    """Every part of the delivery and its state."""
    schema = dg.TableSchema(
        columns=[dg.TableColumn("part", "string"), dg.TableColumn("state", "string"), dg.TableColumn("rows", "string")]
    )
    records = [
        dg.TableRecord(
            {"part": part.name, "state": part.state.value, "rows": "" if part.rows is None else str(part.rows)}
        )
        for part in report.parts
    ]
    return dg.MetadataValue.table(records=records, schema=schema)


def decision_metadata(report: ValidationReport, decision: Decision) -> Metadata:
    """The decision as numbers that the UI plots, and the rules behind it."""
    metadata: dict[str, dg.MetadataValue] = {
        "verdict": dg.MetadataValue.text(decision.verdict.value),
        "rows": dg.MetadataValue.int(report.rows),
        **_apart(report, decision),
    }
    if decision.reasons:
        metadata["reasons"] = dg.MetadataValue.text(", ".join(decision.reasons))
    if decision.warnings:
        metadata["warnings"] = dg.MetadataValue.text(", ".join(decision.warnings))
    return metadata


def _apart(report: ValidationReport, decision: Decision) -> Metadata:
    """How the rows are divided, where the contract asks which of them break it; nothing is divided in a refused delivery."""
    if report.broken_rows is None:
        return {}
    return {
        "rows_conforming": dg.MetadataValue.int(report.rows - report.broken_rows),
        "rows_quarantined": dg.MetadataValue.int(decision.quarantined),
    }


def candidate_metadata(report: ValidationReport, decision: Decision) -> Metadata:
    """What an accepted candidate shows: its size, its identity and what its report says about it."""
    kept = sum(1 for finding in report.findings if finding.outcome is Outcome.KEPT)
    metadata: dict[str, dg.MetadataValue] = {
        _row_count_key(report.partition): dg.MetadataValue.int(report.rows),
        "obligations_kept": dg.MetadataValue.int(kept),
        "obligations_open": dg.MetadataValue.int(len(report.findings) - kept),
        **_apart(report, decision),
        "submission": dg.MetadataValue.text(report.submission),
        "contract_version": dg.MetadataValue.text(report.version),
        "as_of": dg.MetadataValue.timestamp(report.as_of),
        "layers": dg.MetadataValue.json({layer.value: outcome.value for layer, outcome in report.layers().items()}),
    }
    if report.parts:
        metadata["parts"] = parts_table(report)
    if report.unverified:
        metadata["not verified"] = dg.MetadataValue.md("\n".join(f"- {plain(claim)}" for claim in report.unverified))
    return metadata


def publication_metadata(record: PublicationRecord, quarantine: Path | None) -> Metadata:
    """What a publication shows: what this run changed, the table and its version. The rows are those that consumers see.

    `quarantine` is the table of the rows that were kept apart, None for a contract that keeps none.
    """
    metadata: dict[str, dg.MetadataValue] = {
        "outcome": dg.MetadataValue.text("; ".join(publication_lines(record))),
        "dagster/uri": dg.MetadataValue.path(str(record.table)),
        "submission": dg.MetadataValue.text(record.submission),
        "contract_version": dg.MetadataValue.text(record.version),
        "published_at": dg.MetadataValue.timestamp(record.published_at),
        "already_published": dg.MetadataValue.bool(record.already_published),
        "superseded": dg.MetadataValue.bool(record.superseded_by is not None),
    }
    if record.table_version is not None:
        metadata["table_version"] = dg.MetadataValue.int(record.table_version)
    if record.superseded_by is None:
        metadata[_row_count_key(record.partition)] = dg.MetadataValue.int(record.rows)
    if quarantine is not None:
        metadata["rows_quarantined"] = dg.MetadataValue.int(record.quarantined)
    if quarantine is not None and record.quarantined:
        metadata["quarantine"] = dg.MetadataValue.path(str(quarantine))
    return metadata


def reconciliation_metadata(found: Reconciliation) -> Metadata:
    """Ledger and table side by side."""
    metadata: dict[str, dg.MetadataValue] = {"submission": dg.MetadataValue.text(found.submission or "none")}
    if found.rows_recorded is not None:
        metadata["rows_in_ledger"] = dg.MetadataValue.int(found.rows_recorded)
    if found.rows_shown is not None:
        metadata["rows_in_table"] = dg.MetadataValue.int(found.rows_shown)
    return metadata


def freshness_metadata(status: Status, allowed: timedelta) -> Metadata:
    """What is promised, the age of what consumers see as numbers that can be plotted, and what was refused since."""
    metadata: dict[str, dg.MetadataValue] = {
        "promised": dg.MetadataValue.text(f"at most {length_words(allowed)}"),
        "partitions_published": dg.MetadataValue.int(status.partitions),
        "open_refusals": dg.MetadataValue.int(len(status.refused_since)),
    }
    if status.quarantined:
        metadata["rows_quarantined"] = dg.MetadataValue.int(status.quarantined)
    if status.age is not None:
        metadata["age_hours"] = dg.MetadataValue.float(round(status.age.total_seconds() / 3600, 2))
    if status.silence is not None:
        metadata["hours_since_publication"] = dg.MetadataValue.float(round(status.silence.total_seconds() / 3600, 2))
    if status.newest is not None:
        metadata["newest"] = dg.MetadataValue.text(status.newest.partition or status.newest.submission)
    if status.refused_since:
        metadata["refused"] = _refusals_table(status)
    return metadata


def deadline_metadata(item: Expected) -> Metadata:
    """When one partition is due, how it stands, and by how much it is late, as a number that can be plotted."""
    metadata: dict[str, dg.MetadataValue] = {
        "state": dg.MetadataValue.text(item.state.value),
        "hours_late": dg.MetadataValue.float(round(item.delay.total_seconds() / 3600, 2)),
    }
    if item.due_at is not None:
        metadata["due_at"] = dg.MetadataValue.timestamp(item.due_at)
    if item.arrived_at is not None:
        metadata["received_at"] = dg.MetadataValue.timestamp(item.arrived_at)
    return metadata


def _refusals_table(status: Status) -> dg.MetadataValue:
    columns = [dg.TableColumn(name, "string") for name in ("partition", "decided at", "broken")]
    records = [
        dg.TableRecord(
            {
                "partition": record.partition or "",
                "decided at": f"{record.decided_at:%Y-%m-%d %H:%M} UTC",
                "broken": ", ".join(record.rules),
            }
        )
        for record in status.refused_since
    ]
    return dg.MetadataValue.table(records=records, schema=dg.TableSchema(columns=columns))


def definition_metadata(contract: Contract) -> Metadata:
    """What is known of a contract's table before any run: its columns, its key, what one row is, and for whom it is."""
    own = obligations_by_field(obligations_of(contract))
    columns = dg.TableSchema(columns=[_column(field, contract, own.get(field.name, ())) for field in contract.fields])
    texts = {
        "contract": f"{contract.name} {contract.version} ({contract.status})",
        "key": ", ".join(contract.key),
        "grain": contract.grain,
        "population": contract.population,
        "recovery": contract.recovery,
        "purpose": contract.purpose,
    }
    shown = {name: dg.MetadataValue.text(in_order(text)) for name, text in texts.items() if text}
    terms = dg.MetadataValue.md(_verbatim("\n".join(contract_lines(contract))))
    return {
        "dagster/column_schema": dg.MetadataValue.table_schema(columns),
        **shown,
        **_people(contract),
        "terms": terms,
    }


def _people(contract: Contract) -> Metadata:
    """Who answers for the table and who relies on it."""
    if contract.owners is None:
        return {}
    producer = contract.owners.producer
    contact = producer.contact or ""
    is_link = contact.startswith(("https://", "http://"))
    people: dict[str, dg.MetadataValue] = {"producer": dg.MetadataValue.text(producer.name)}
    if contact:
        people["producer_contact"] = dg.MetadataValue.url(contact) if is_link else dg.MetadataValue.text(contact)
    columns = [dg.TableColumn(name, "string") for name in ("consumer", "contact", "relies on")]
    records = [
        dg.TableRecord(
            {"consumer": one.name, "contact": one.contact or "", "relies on": ", ".join(one.relies_on) or "everything"}
        )
        for one in contract.owners.consumers
    ]
    if records:
        people["consumers"] = dg.MetadataValue.table(records=records, schema=dg.TableSchema(columns=columns))
    return people


def _verbatim(text: str) -> str:
    """A block that Markdown shows letter by letter: its fence is longer than any run of back-ticks inside."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _column(field: Field, contract: Contract, obligations: Iterable[Obligation]) -> dg.TableColumn:
    """A column with its promises in words, and its unit."""
    promises = [
        promise_words(obligation.promise).removeprefix(f"'{field.name}' ")
        for obligation in obligations
        if obligation.rule not in ("missing", "null", "type")
    ]
    constraints = dg.TableColumnConstraints(
        nullable=field.nullable, unique=contract.key == (field.name,), other=promises
    )
    words = [field.semantics or field.description or "", f"Unit: {field.unit}" if field.unit else ""]
    return dg.TableColumn(
        field.name,
        str(field.type),
        description="\n\n".join(plain(word) for word in words if word) or None,
        constraints=constraints,
    )
