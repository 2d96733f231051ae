"""Reports → what the UI shows: numbers it can plot, tables, column schemas. Text from contracts is kept from acting as markup."""

from collections.abc import Mapping, Sequence

import dagster as dg

from contract_core.contract.field_rules import declared_rules
from contract_core.contract.model import Contract, Field
from contract_core.publication.publish import PublicationRecord
from contract_core.rendering.reports import message, next_step
from contract_core.validation.report import Finding, Outcome, ValidationReport

Metadata = Mapping[str, dg.MetadataValue]
_MARKUP = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|!~"})


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return text.translate(_MARKUP)


def findings_summary(findings: Sequence[Finding]) -> str:
    """One sentence for each finding that is not kept, or that all are."""
    open_findings = [finding for finding in findings if finding.outcome is not Outcome.KEPT]
    return (
        "; ".join(message(finding) for finding in open_findings)
        if open_findings
        else f"all {len(findings)} obligations kept"
    )


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


def candidate_metadata(report: ValidationReport) -> Metadata:
    """What an accepted candidate shows: its size, its identity and what its report says about it."""
    kept = sum(1 for finding in report.findings if finding.outcome is Outcome.KEPT)
    metadata: dict[str, dg.MetadataValue] = {
        "dagster/row_count": dg.MetadataValue.int(report.rows),
        "obligations_kept": dg.MetadataValue.int(kept),
        "obligations_open": dg.MetadataValue.int(len(report.findings) - kept),
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


def publication_metadata(record: PublicationRecord) -> Metadata:
    """What a publication shows: the table, its version, and whether this run changed anything."""
    return {
        "dagster/row_count": dg.MetadataValue.int(record.rows),
        "dagster/uri": dg.MetadataValue.path(str(record.table)),
        "table_version": dg.MetadataValue.int(record.table_version),
        "submission": dg.MetadataValue.text(record.submission),
        "published_at": dg.MetadataValue.timestamp(record.published_at),
        "already_published": dg.MetadataValue.bool(record.already_published),
        "superseded": dg.MetadataValue.bool(record.superseded_by is not None),
    }


def definition_metadata(contract: Contract) -> Metadata:
    """What is known of a contract's table before any run: its columns, its key and what one row is."""
    columns = dg.TableSchema(columns=[_column(field, contract) for field in contract.fields])
    texts = {
        "contract": f"{contract.name} {contract.version} ({contract.status})",
        "key": ", ".join(contract.key),
        "grain": contract.grain or "",
    }
    shown = {name: dg.MetadataValue.text(text) for name, text in texts.items() if text}
    return {"dagster/column_schema": dg.MetadataValue.table_schema(columns), **shown}


def _column(field: Field, contract: Contract) -> dg.TableColumn:
    constraints = dg.TableColumnConstraints(
        nullable=field.nullable,
        unique=contract.key == (field.name,),
        other=[rule for rule in declared_rules(field) if rule not in ("missing", "null", "type")],
    )
    words = [field.semantics or field.description or "", f"in {field.unit}" if field.unit else ""]
    return dg.TableColumn(
        field.name,
        str(field.type),
        description=" ".join(word for word in words if word) or None,
        constraints=constraints,
    )
