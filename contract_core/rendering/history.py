"""What became of submissions, and what consumers see now, as text and JSON documents."""

from collections.abc import Iterable, Iterator
from typing import Any

from contract_core.contract.partition import name_of
from contract_core.operations.cleaning import Cleaning, Going, Kind
from contract_core.operations.quiet import NEEDED_SUBMISSIONS, NEEDED_TIME, Quiet
from contract_core.operations.status import Status
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.history import DecisionRecord
from contract_core.publication.record import PublicationRecord
from contract_core.rendering.counts import many
from contract_core.rendering.moments import SECOND, length_words, stamp
from contract_core.rendering.remarks import remarks_document, requests_document
from contract_core.rendering.reports import quarantine_place, some_of
from contract_core.rendering.restatements import restated_document
from contract_core.rendering.shown import stale_reasons

_NOISIEST = 5


def publication_document(decision: Decision, record: PublicationRecord | None) -> dict[str, Any]:
    """What `publish --json` says beside the report."""
    if record is None:
        return {"decision": decision.verdict.value, "publication": None}
    publication = {
        "table": str(record.table),
        "version": record.table_version,
        "rows": record.rows,
        "quarantined": record.quarantined,
        "already_published": record.already_published,
        "superseded_by": record.superseded_by,
    }
    return {"decision": decision.verdict.value, "publication": publication}


def publication_lines(record: PublicationRecord | None) -> Iterator[str]:
    """What became visible, or that nothing changed, and where the rows are that were kept apart."""
    if record is None:
        yield "nothing was published; the table is as it was"
        return
    yield _published(record)
    if record.quarantined:
        verb = "is" if record.quarantined == 1 else "are"
        yield f"{many(record.quarantined, 'row')} of it {verb} kept apart in {quarantine_place(record.contract)}"


def _published(record: PublicationRecord) -> str:
    if record.superseded_by is not None:
        hint = "publish it with --allow-older if you mean to go back"
        return f"was published before as version {record.table_version} and since replaced; nothing changed: {hint}"
    if record.already_published:
        return f"is published already, as version {record.table_version} of {record.table}; nothing changed"
    return f"published as version {record.table_version} of {record.table}"


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
        "quarantined": record.quarantined,
        "received_at": stamp(record.received_at),
        "decided_at": stamp(record.decided_at),
        "published_at": stamp(record.published_at),
        "table_version": record.table_version,
        "superseded_by": record.superseded_by,
        "superseded_at": stamp(record.superseded_at),
        "reason": record.reason,
        "restated": restated_document(record.restated),
        "effort": dict(record.effort),
        **remarks_document(record),
    }


def decision_lines(records: Iterable[DecisionRecord]) -> Iterator[str]:
    """One line for each decided submission, oldest first."""
    is_empty = True
    for record in records:
        is_empty = False
        about = name_of(record.contract, record.partition)
        fate = record.outcome.value if record.superseded_by is None else f"superseded by {record.superseded_by[:12]}"
        told = [word for word in (_held_back(record), _warned(record)) if word]
        yield "  ".join([f"{record.decided_at:{SECOND}}", record.submission[:12], about, record.version, fate, *told])
    if is_empty:
        yield "nothing was decided yet"


def _held_back(record: DecisionRecord) -> str:
    if record.decision is Verdict.PUBLISH_WITH_QUARANTINE:
        return f"{record.quarantined:,} of {many(record.rows, 'row')} kept apart: {some_of(record.rules)}"
    return f"broken: {some_of(record.rules)}" if record.rules else ""


def _warned(record: DecisionRecord) -> str:
    return f"warned: {some_of(record.warnings)}" if record.warnings else ""


def status_document(status: Status) -> dict[str, Any]:
    """What consumers of one table see now, as JSON."""
    return {
        "contract": status.contract,
        "version": status.version,
        "partitions": status.partitions,
        "newest": decision_document(status.newest) if status.newest is not None else None,
        "age_seconds": int(status.age.total_seconds()) if status.age is not None else None,
        "ahead_seconds": int(status.ahead.total_seconds()),
        "silence_seconds": int(status.silence.total_seconds()) if status.silence is not None else None,
        "stale": status.is_stale,
        "stale_because": list(stale_reasons(status)),
        "quarantined": status.quarantined,
        "refused": [decision_document(record) for record in status.refused_since],
        "requests": requests_document(status.requested),
    }


def quiet_document(quiet: Quiet | None) -> dict[str, Any] | None:
    """How quiet a contract that only warns has been, as JSON."""
    if quiet is None:
        return None
    return {
        "decided": quiet.decided,
        "submissions": quiet.submissions,
        "partitions": quiet.partitions,
        "since": stamp(quiet.since),
        "quiet_seconds": int(quiet.lasting.total_seconds()),
        "needed_submissions": NEEDED_SUBMISSIONS,
        "needed_seconds": int(NEEDED_TIME.total_seconds()),
        "can_block": quiet.can_block,
        "noise": dict(quiet.noise),
    }


def quiet_lines(quiet: Quiet | None) -> Iterator[str]:
    """How quiet a contract that only warns has been, what still makes noise, and when it could hold publication back."""
    if quiet is None:
        return
    if quiet.since is None:
        told = "the last submission had breaches" if quiet.decided else "nothing was decided under this text yet"
        yield f"    on_breach: warn; {told}"
    else:
        lasting = length_words(quiet.lasting)
        yield f"    on_breach: warn; quiet for {many(quiet.submissions, 'submission')} since {quiet.since:{SECOND}}, {lasting}"
    if quiet.can_block:
        yield "    it can hold publication back now: write on_breach: fail, or quarantine, under a new version"
        return
    needed = [many(quiet.lacking, "more quiet submission")] if quiet.lacking else []
    needed += [f"{length_words(quiet.remaining)} more"] if quiet.remaining else []
    yield f"    still lacks for on_breach: fail: {' and '.join(needed)} (of {NEEDED_SUBMISSIONS} and {NEEDED_TIME.days} days)"
    if quiet.noise:
        rules = ", ".join(f"{rule} ({count:,})" for rule, count in list(quiet.noise.items())[:_NOISIEST])
        more = f" and {len(quiet.noise) - _NOISIEST:,} more" if len(quiet.noise) > _NOISIEST else ""
        yield f"    not kept in the last {min(quiet.decided, NEEDED_SUBMISSIONS):,}: {rules}{more}"


def retention_document(plan: Cleaning, *, is_removed: bool) -> dict[str, Any]:
    """What of one contract and kind goes and what stays, as JSON; attempts belong to no contract."""
    return {
        "contract": plan.contract,
        "kind": plan.kind.value,
        "removed": is_removed,
        "goes": [
            {
                "name": item.name,
                "why": item.why.value,
                "partition": item.partition,
                "since": stamp(item.since),
                "rows": item.rows,
                "bytes": item.size,
            }
            for item in plan.goes
        ],
        "bytes": plan.size,
        "stays": plan.stays,
    }


def retention_lines(plan: Cleaning, *, is_removed: bool) -> Iterator[str]:
    """What of one contract and kind goes and what stays, in words; nothing about a kind of which there is nothing."""
    if not plan.goes and not plan.stays and plan.kind is not Kind.CANDIDATES:
        return
    verb = "removed" if is_removed else "may go"
    about = _KINDS[plan.kind] if plan.contract is None else f"{plan.contract}: {_KINDS[plan.kind]}"
    stay = f"{plan.stays:,} {'versions ' if plan.kind is Kind.VERSIONS else ''}stay"
    yield f"{about}: {len(plan.goes):,} {verb}, {plan.size:,} bytes; {stay}"
    if plan.kind is not Kind.VERSIONS:
        yield from map(_going_line, plan.goes)


_KINDS = {
    Kind.CANDIDATES: "candidates",
    Kind.UNRECORDED: "rows of candidates without a record",
    Kind.QUARANTINE: "submissions in quarantine",
    Kind.VERSIONS: "files of replaced table versions",
    Kind.ATTEMPTS: "unfinished attempts to take a candidate",
}


def _going_line(item: Going) -> str:
    name = item.name[:12] if item.partition is None else f"{item.partition} {item.name[:12]}"
    rows = "" if item.rows is None else f", {item.rows:,} rows"
    since = "" if item.since is None else f", of {item.since:%Y-%m-%d}"
    return f"    {name} {item.why.value}{rows}{since}"
