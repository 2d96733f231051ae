"""Joins gate, store and ledger: records a decision, and makes an accepted candidate visible exactly once.

The decision's record, the publication and the publication's record are three writes and not one atomic operation. The commit
in the published table is the truth; a run after a crash finds it there and completes the ledger.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from contract_core.candidate.snapshot import Candidate, verify
from contract_core.contract.model import Contract
from contract_core.contract.unsupported import refuse_unsupported
from contract_core.errors import GateClosedError, OlderSubmissionError, PublicationError
from contract_core.publication.arrival import first_received, received_at
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.effort import Watch, about, candidate_size, stage
from contract_core.publication.entry import Event, LedgerEntry, latest, runtime_versions
from contract_core.publication.history import is_followed, successor_of
from contract_core.publication.ledger import Ledger
from contract_core.publication.markers import marker_number
from contract_core.publication.permission import passing, raise_closed
from contract_core.publication.record import PublicationRecord
from contract_core.publication.stages import together
from contract_core.publication.store import Store
from contract_core.tracing import tell
from contract_core.validation.report import Outcome, ValidationReport

__all__ = ["PublicationRecord", "publish", "publish_older", "record_decision"]


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
        received_at=received_at(candidate),
        breached=tuple(finding.id for finding in spoken[Outcome.BREACHED]),
        unjudged=tuple(finding.id for finding in spoken[Outcome.UNJUDGED]),
        warned=decision.warnings,
        counts=counts,
        quarantined=decision.quarantined,
        reasons=decision.reasons,
        mode=contract.publication.mode,
        runtime=runtime_versions(),
        event_age=report.learned.event_age,
        baseline=report.learned.baseline,
        profile=report.learned.profile,
        restated=report.learned.restated,
        effort=report.effort,
    )
    return ledger.append(entry)


def publish(contract: Contract, candidate: Candidate, ledger: Ledger, store: Store, at: datetime) -> PublicationRecord:
    """Makes the candidate visible if the ledger's last decision about its partition allows it, and records that; once.

    Raises GateClosedError, CandidateAlteredError, PublicationError or PublicationConflictError; OlderSubmissionError where
    a submission that was received later would be replaced. The last three are recorded.
    """
    return _traced(_Attempt(contract, candidate, ledger, store, at))


def publish_older(
    contract: Contract, candidate: Candidate, ledger: Ledger, store: Store, at: datetime
) -> PublicationRecord:
    """As `publish`, and a submission that was received later may be replaced, because somebody asked for just that."""
    return _traced(_Attempt(contract, candidate, ledger, store, at, may_be_older=True))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What is to be published, where, and what was asked for."""

    contract: Contract
    candidate: Candidate
    ledger: Ledger
    store: Store
    at: datetime
    may_be_older: bool = False

    def known(self) -> "_Known":
        """What the ledger says now."""
        contract, partition = self.contract, self.candidate.partition
        if contract.publication.mode != "upsert":
            own = self.ledger.partition_entries(contract.name, partition)
            return _Known(own, own)
        rivals = self.ledger.entries(contract.name)
        return _Known(tuple(entry for entry in rivals if entry.partition == partition), rivals)


@dataclass(frozen=True, slots=True)
class _Known:
    """One reading of the ledger: the entries of the candidate's partition, and of all that may share rows with the candidate, which
    under upsert is the whole table.
    """

    own: tuple[LedgerEntry, ...]
    rivals: tuple[LedgerEntry, ...]

    def publication_of(self, submission: str) -> LedgerEntry | None:
        """The last publication of a submission in the partition."""
        return latest(tuple(entry for entry in self.own if entry.submission == submission), Event.PUBLISHED)


def _traced(attempt: _Attempt) -> PublicationRecord:
    with stage("publish", about(attempt.contract, attempt.candidate)) as watch:
        record = _published(attempt, watch)
        tell(rows=record.rows)
    return record


def _published(attempt: _Attempt, watch: Watch) -> PublicationRecord:
    contract, candidate, ledger, store = attempt.contract, attempt.candidate, attempt.ledger, attempt.store
    refuse_unsupported(contract)
    known = attempt.known()
    earlier = known.publication_of(candidate.submission)
    if earlier is not None:
        shown = store.current(contract.name, candidate.partition)
        known = _completed(None if shown is None else shown.marker, known, attempt)
        earlier = known.publication_of(candidate.submission) or earlier
        if (settled := _settled(earlier, known, attempt)) is not None:
            return settled
    decided = passing(contract, candidate, known.own)
    tell(verdict=decided.verdict.value)

    def authorise(shown: int | None) -> LedgerEntry | None:
        now = _completed(shown, attempt.known(), attempt)  # read after the table was opened that will be written
        verify(candidate)
        if shown == marker_number(candidate.submission) and not goes_back:
            return None
        _refuse_older(now, attempt)
        return passing(contract, candidate, now.own)

    goes_back = earlier is not None and attempt.may_be_older and is_followed(earlier, known.rivals)
    try:
        commit = store.publish_partition(contract, candidate, authorise)
    except (PublicationError, OlderSubmissionError) as error:
        failed = _event(decided, Event.FAILED, attempt.at, reason=type(error).__name__)
        ledger.append(replace(failed, effort=watch.spent()))
        _forget_quarantined(decided, attempt)
        raise
    except GateClosedError:  # a later decision came in between
        _forget_quarantined(decided, attempt)
        raise
    published = _event(decided, Event.PUBLISHED, attempt.at, table_version=commit.version)
    if not commit.already_published:
        return _recorded(published, attempt, watch)
    return replace(_as_record(earlier or ledger.append(published), store), already_published=True)


def _recorded(published: LedgerEntry, attempt: _Attempt, watch: Watch) -> PublicationRecord:
    """The record of what was just published, with what that cost; what the entry itself costs it cannot say."""
    watch.rows, watch.read = published.published_rows, candidate_size(attempt.candidate)
    spent = watch.spent()
    with stage("record", about(attempt.contract, attempt.candidate)) as recording:
        entry = attempt.ledger.append(replace(published, effort=spent))
    return replace(_as_record(entry, attempt.store), effort=together(spent, recording.spent()))


def _settled(earlier: LedgerEntry, known: _Known, attempt: _Attempt) -> PublicationRecord | None:
    """What became of a submission that was published before and that others followed: nothing more is done with it.

    None where it is to be published all the same: it is the last of its partition, or an older one was asked for.
    """
    if not is_followed(earlier, known.rivals) or (attempt.may_be_older and earlier.mode != "append"):
        return None
    successor = successor_of(earlier, known.rivals)
    superseded_by = None if successor is None else successor.submission
    return replace(_as_record(earlier, attempt.store), superseded_by=superseded_by, already_published=True)


def _refuse_older(known: _Known, attempt: _Attempt) -> None:
    """Raise OlderSubmissionError where rows of a submission that was received later would be replaced."""
    contract, candidate = attempt.contract, attempt.candidate
    mode = contract.publication.mode
    if attempt.may_be_older or mode == "append":
        return
    published = [item for item in known.rivals if item.event is Event.PUBLISHED]
    others = [item for item in published if item.submission != candidate.submission]
    received = first_received(candidate, known.own)
    newer = [
        item
        for item in (others if mode == "upsert" else others[-1:])
        if received and item.received_at and item.received_at > received
    ]
    if newer and mode == "upsert" and not attempt.store.holds_keys_of(contract, candidate):
        return  # it only adds rows
    if newer:
        what = (
            f"it was received before submission {newer[-1].submission[:12]}, which is published, and would replace it"
        )
        raise_closed(OlderSubmissionError, candidate, what, "publish it with --allow-older if you mean to go back")


def _forget_quarantined(decided: LedgerEntry, attempt: _Attempt) -> None:
    """Takes rows out of quarantine again whose submission did not become visible; what cannot be done is left to reconciling."""
    with suppress(PublicationError):
        if decided.quarantined and attempt.store.commit_of(decided.contract, decided.submission) is None:
            attempt.store.quarantine.remove(decided.contract, {decided.submission: decided.at})


def _refuse_foreign_report(contract: Contract, candidate: Candidate, report: ValidationReport) -> None:
    judged = (report.contract, report.contract_digest, report.partition, report.submission, report.candidate_digest)
    if judged != (contract.name, contract.digest, candidate.partition, candidate.submission, candidate.digest):
        raise_closed(
            GateClosedError,
            candidate,
            "the report is about another candidate or another contract version",
            "validate this one and record that report",
        )


def _completed(shown: int | None, known: _Known, attempt: _Attempt) -> _Known:
    """Records what the table shows now, if a crash kept that from being recorded: so the ledger has the table's order."""
    recorded = latest(known.own, Event.PUBLISHED)
    if shown is None or (recorded is not None and marker_number(recorded.submission) == shown):
        return known
    of_it = tuple(entry for entry in known.own if marker_number(entry.submission) == shown)
    decided = latest(tuple(entry for entry in of_it if entry.verdict is not Verdict.REFUSE), Event.DECIDED)
    version = None if decided is None else attempt.store.commit_of(attempt.contract.name, decided.submission)
    if decided is None or version is None:
        return known
    attempt.ledger.append(_event(decided, Event.PUBLISHED, attempt.at, table_version=version))
    return attempt.known()


def _event(
    decided: LedgerEntry, event: Event, at: datetime, table_version: int | None = None, reason: str | None = None
) -> LedgerEntry:
    """What became of a decision; what that itself cost is known to those who did it."""
    known = replace(decided, event=event, at=at, table_version=table_version, reason=reason)
    return replace(known, runtime=runtime_versions(), effort={})


def _as_record(entry: LedgerEntry, store: Store) -> PublicationRecord:
    return PublicationRecord(
        contract=entry.contract,
        version=entry.version,
        partition=entry.partition,
        submission=entry.submission,
        table=store.path_of(entry.contract),
        table_version=entry.table_version,
        rows=entry.published_rows,
        quarantined=entry.quarantined,
        published_at=entry.at,
        restated=entry.restated,
        received_at=entry.received_at,
    )
