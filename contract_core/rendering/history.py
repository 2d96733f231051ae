"""What became of submissions, and what consumers see now, as text and JSON documents."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from contract_core.operations.retention import Retention
from contract_core.operations.status import Status
from contract_core.publication.decision import Decision
from contract_core.publication.history import DecisionRecord, Fate
from contract_core.publication.record import PublicationRecord
from contract_core.rendering.reports import age_words


def publication_document(decision: Decision, record: PublicationRecord | None) -> dict[str, Any]:
    """What `publish --json` says beside the report."""
    if record is None:
        return {"decision": decision.verdict.value, "publication": None}
    publication = {
        "table": str(record.table),
        "version": record.table_version,
        "rows": record.rows,
        "already_published": record.already_published,
        "superseded_by": record.superseded_by,
    }
    return {"decision": decision.verdict.value, "publication": publication}


def publication_lines(record: PublicationRecord | None) -> Iterator[str]:
    """What became visible, or that nothing changed."""
    if record is None:
        yield "nothing was published; the table is as it was"
    elif record.superseded_by is not None:
        yield f"was published before as version {record.table_version} and since replaced; nothing changed"
    elif record.already_published:
        yield f"is published already, as version {record.table_version} of {record.table}; nothing changed"
    else:
        yield f"published as version {record.table_version} of {record.table}"


def decision_document(record: DecisionRecord) -> dict[str, Any]:
    """One decided submission as JSON."""
    return {
        "submission": record.submission,
        "contract": record.contract,
        "version": record.version,
        "partition": record.partition,
        "decision": record.decision.value,
        "outcome": record.outcome.value,
        "rules": list(record.rules),
        "warnings": list(record.warnings),
        "rows": record.rows,
        "received_at": _stamp(record.received_at),
        "decided_at": _stamp(record.decided_at),
        "published_at": _stamp(record.published_at),
        "table_version": record.table_version,
        "superseded_by": record.superseded_by,
    }


def decision_lines(records: Iterable[DecisionRecord]) -> Iterator[str]:
    """One line for each decided submission, oldest first."""
    is_empty = True
    for record in records:
        is_empty = False
        about = record.contract if record.partition is None else f"{record.contract}/{record.partition}"
        fate = record.outcome.value if record.superseded_by is None else f"superseded by {record.superseded_by[:12]}"
        rules = f"  broken: {', '.join(record.rules)}" if record.rules else ""
        warned = f"  warned: {', '.join(record.warnings)}" if record.warnings else ""
        yield f"{record.decided_at:%Y-%m-%d %H:%M:%S}Z  {record.submission[:12]}  {about}  {record.version}  {fate}{rules}{warned}"
    if is_empty:
        yield "nothing was decided yet"


def status_document(status: Status) -> dict[str, Any]:
    """What consumers of one table see now, as JSON."""
    return {
        "contract": status.contract,
        "version": status.version,
        "partitions": status.partitions,
        "newest": decision_document(status.newest) if status.newest is not None else None,
        "age_seconds": int(status.age.total_seconds()) if status.age is not None else None,
        "stale": status.is_stale,
        "refused": [decision_document(record) for record in status.refused_since],
    }


def status_lines(status: Status) -> Iterator[str]:
    """What consumers of one table see now, in words; silence about a refusal would be a defect."""
    if status.newest is None or status.age is None:
        yield f"{status.contract} {status.version}: nothing is published"
    else:
        shown = status.newest.partition or status.newest.submission[:12]
        age = age_words(int(status.age.total_seconds()))
        stale = {True: ", stale", False: ", fresh", None: ""}[status.is_stale]
        yield f"{status.contract} {status.version}: {status.partitions} published, the newest is {shown}, {age} old{stale}"
    for record in status.refused_since:
        what = "was refused" if record.outcome is Fate.REFUSED else "could not be published"
        rules = f": {', '.join(record.rules)}" if record.rules else ""
        yield f"    {record.partition or record.submission[:12]} {what} at {record.decided_at:%Y-%m-%d %H:%M}Z{rules}"


def retention_document(plan: Retention, *, is_removed: bool) -> dict[str, Any]:
    """What of one contract's candidates goes and what stays, as JSON."""
    return {
        "contract": plan.contract,
        "removed": is_removed,
        "submissions": [stored.submission for stored in plan.removable],
        "bytes": plan.size,
        "kept": len(plan.kept),
    }


def retention_lines(plan: Retention, *, is_removed: bool) -> Iterator[str]:
    """What of one contract's candidates goes and what stays, in words."""
    verb = "removed" if is_removed else "may go"
    yield f"{plan.contract}: {len(plan.removable):,} of {len(plan.removable) + len(plan.kept):,} candidates {verb}, {plan.size:,} bytes"
    for stored in plan.removable:
        about = stored.submission[:12] if stored.partition is None else f"{stored.partition} {stored.submission[:12]}"
        yield f"    {about} received {stored.received_at:%Y-%m-%d}"


def _stamp(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
