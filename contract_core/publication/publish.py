"""Joins gate, store and ledger: records a decision, and makes an accepted candidate visible exactly once.

The decision's record, the publication and the publication's record are three writes and not one atomic operation. The commit
in the published table is the truth; a run after a crash finds it there and completes the ledger.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import NoReturn

from contract_core.candidate.snapshot import Candidate, verify
from contract_core.contract.model import Contract
from contract_core.contract.unsupported import refuse_unsupported
from contract_core.errors import GateClosedError, Problem, PublicationError
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.entry import Event, LedgerEntry, latest, runtime_versions
from contract_core.publication.history import successor_of
from contract_core.publication.ledger import Ledger
from contract_core.publication.markers import marker_number
from contract_core.publication.record import PublicationRecord
from contract_core.publication.store import Authorisation, Store
from contract_core.validation.report import Outcome, ValidationReport

__all__ = ["PublicationRecord", "passing_decision", "publish", "record_decision"]


def record_decision(  # noqa: PLR0913, PLR0917 - the moment comes in, since the core never asks the clock
    contract: Contract, candidate: Candidate, report: ValidationReport, decision: Decision, ledger: Ledger, at: datetime
) -> LedgerEntry:
    """The ledger's entry for this decision; recorded once, however often it is taken in a row."""
    _refuse_foreign_report(contract, candidate, report)
    spoken = {
        outcome: [f for f in report.findings if f.outcome is outcome]
        for outcome in (Outcome.BREACHED, Outcome.UNJUDGED)
    }
    counts: Mapping[str, int] = {finding.id: finding.breaches for finding in spoken[Outcome.BREACHED]}
    entry = LedgerEntry(
        event=Event.DECIDED,
        contract=contract.name,
        version=contract.version,
        contract_digest=contract.digest,
        partition=candidate.partition,
        submission=candidate.submission,
        candidate_digest=candidate.digest,
        verdict=decision.verdict,
        report_digest=report.digest,
        rows=report.rows,
        as_of=report.as_of,
        at=at,
        received_at=_received_at(candidate),
        breached=tuple(finding.id for finding in spoken[Outcome.BREACHED]),
        unjudged=tuple(finding.id for finding in spoken[Outcome.UNJUDGED]),
        warned=decision.warnings,
        counts=counts,
        runtime=runtime_versions(),
    )
    return ledger.append(entry)


def publish(contract: Contract, candidate: Candidate, ledger: Ledger, store: Store, at: datetime) -> PublicationRecord:
    """Makes the candidate visible if the ledger's last decision about its partition allows it, and records that; once.

    Raises GateClosedError, CandidateAlteredError, PublicationError or PublicationConflictError; the last two are recorded.
    """
    refuse_unsupported(contract)
    entries = ledger.partition_entries(contract.name, candidate.partition)
    earlier = _publication_of(entries, candidate.submission)
    if earlier is not None:
        shown = store.current(contract.name, candidate.partition)
        _complete_predecessor(None if shown is None else shown.marker, candidate, ledger, store, at)
        entries = ledger.partition_entries(contract.name, candidate.partition)
    if earlier is not None and (successor := successor_of(earlier, entries)) is not None:
        return replace(_as_record(earlier, store), superseded_by=successor, already_published=True)
    decided = passing_decision(contract, candidate, ledger)

    def authorise(shown: int | None) -> Authorisation:
        _complete_predecessor(shown, candidate, ledger, store, at)
        verify(candidate)
        allowed = passing_decision(contract, candidate, ledger)
        return Authorisation(allowed.verdict, allowed.report_digest, allowed.at)

    try:
        commit = store.publish_partition(contract, candidate, authorise)
    except PublicationError as error:
        ledger.append(_event(decided, Event.FAILED, at, reason=type(error).__name__))
        raise
    if earlier is None or not commit.already_published:
        earlier = ledger.append(_event(decided, Event.PUBLISHED, at, table_version=commit.version))
    return replace(_as_record(earlier, store), already_published=commit.already_published)


def passing_decision(contract: Contract, candidate: Candidate, ledger: Ledger) -> LedgerEntry:
    """The last decision about the candidate's partition, if it allows just this candidate under just this contract.

    Raises GateClosedError, saying what stands in the way.
    """
    entry = ledger.latest_decision(contract.name, candidate.partition)
    if entry is None:
        _closed(candidate, "no decision was ever taken", "check the delivery first; nothing is published unjudged")
    if entry.submission != candidate.submission:
        what = (
            f"the last decision is about another submission ({entry.submission[:12]}), not {candidate.submission[:12]}"
        )
        _closed(candidate, what, "publish that one, or check this delivery again so that it is the last one decided")
    if (entry.version, entry.contract_digest) != (contract.version, contract.digest):
        decided, asked = (
            f"{entry.version} ({entry.contract_digest[:12]})",
            f"{contract.version} ({contract.digest[:12]})",
        )
        _closed(
            candidate,
            f"it was decided under contract version {decided}, now it is {asked}",
            "check it again under this version",
        )
    if entry.candidate_digest != candidate.digest:
        what = f"the decision covers a candidate with digest {entry.candidate_digest[:12]}, this one has {candidate.digest[:12]}"
        _closed(candidate, what, "check this candidate first")
    if entry.verdict is not Verdict.PUBLISH:
        held = [name for name in (*entry.breached, *entry.unjudged) if name not in entry.warned]
        what = f"it was refused ({', '.join(held) or entry.verdict})"
        _closed(
            candidate, what, "have the delivery corrected and check it; the table still shows what was accepted last"
        )
    return entry


def _closed(candidate: Candidate, what: str, hint: str) -> NoReturn:
    about = candidate.contract if candidate.partition is None else f"{candidate.contract}/{candidate.partition}"
    raise GateClosedError(Problem(f"gate for {about}", what, hint))


def _refuse_foreign_report(contract: Contract, candidate: Candidate, report: ValidationReport) -> None:
    judged = (report.contract, report.contract_digest, report.partition, report.submission, report.candidate_digest)
    if judged != (contract.name, contract.digest, candidate.partition, candidate.submission, candidate.digest):
        _closed(
            candidate,
            "the report is about another candidate or another contract version",
            "validate this one and record that report",
        )


def _publication_of(entries: tuple[LedgerEntry, ...], submission: str) -> LedgerEntry | None:
    return latest(tuple(entry for entry in entries if entry.submission == submission), Event.PUBLISHED)


def _complete_predecessor(shown: int | None, candidate: Candidate, ledger: Ledger, store: Store, at: datetime) -> None:
    """Records what the table shows now, if a crash kept that from being recorded: so the ledger has the table's order."""
    entries = ledger.partition_entries(candidate.contract, candidate.partition)
    recorded = latest(entries, Event.PUBLISHED)
    if shown in (None, marker_number(candidate.submission)) or (
        recorded and marker_number(recorded.submission) == shown
    ):
        return
    decided = latest(tuple(entry for entry in entries if marker_number(entry.submission) == shown), Event.DECIDED)
    version = None if decided is None else store.commit_of(candidate.contract, decided.submission)
    if decided is not None and version is not None:
        ledger.append(_event(decided, Event.PUBLISHED, at, table_version=version))


def _received_at(candidate: Candidate) -> datetime | None:
    """When the delivery was taken, as the record beside the candidate says; None where it names no moment."""
    try:
        record = json.loads(candidate.path.with_name(f"{candidate.submission}.json").read_bytes())
        moment = datetime.fromisoformat(record["received_at"])
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


def _event(
    decided: LedgerEntry, event: Event, at: datetime, table_version: int | None = None, reason: str | None = None
) -> LedgerEntry:
    return replace(decided, event=event, at=at, table_version=table_version, reason=reason, runtime=runtime_versions())


def _as_record(entry: LedgerEntry, store: Store) -> PublicationRecord:
    return PublicationRecord(
        contract=entry.contract,
        version=entry.version,
        partition=entry.partition,
        submission=entry.submission,
        table=store.path_of(entry.contract),
        table_version=entry.table_version,
        rows=entry.rows,
        published_at=entry.at,
    )
