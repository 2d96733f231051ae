"""Joins gate, store and ledger: records a decision, and makes an accepted candidate visible exactly once.

The decision's record, the publication and the publication's record are three writes and not one atomic operation. The commit
in the published table is the truth; a run after a crash finds it there and completes the ledger.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NoReturn

from contract_core.candidate.snapshot import Candidate, verify
from contract_core.contract.model import Contract
from contract_core.contract.partition import name_of
from contract_core.contract.unsupported import refuse_unsupported
from contract_core.errors import GateClosedError, OlderSubmissionError, Problem, PublicationError
from contract_core.publication.arrival import first_received, received_at
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.effort import Watch, about, candidate_size, stage
from contract_core.publication.entry import Event, LedgerEntry, latest, runtime_versions
from contract_core.publication.history import is_followed, successor_of
from contract_core.publication.ledger import Ledger
from contract_core.publication.markers import marker_number
from contract_core.publication.record import PublicationRecord
from contract_core.publication.stages import together
from contract_core.publication.store import Store
from contract_core.tracing import tell
from contract_core.validation.report import Outcome, ValidationReport

__all__ = ["PublicationRecord", "passing_decision", "publish", "publish_older", "record_decision"]


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

    def entries(self) -> tuple[LedgerEntry, ...]:
        """What the ledger says of the candidate's partition."""
        return self.ledger.partition_entries(self.contract.name, self.candidate.partition)

    def rivals(self) -> tuple[LedgerEntry, ...]:
        """What it says of all that may share rows with the candidate: under upsert that is the whole table."""
        is_anywhere = self.contract.publication.mode == "upsert"
        return self.ledger.entries(self.contract.name) if is_anywhere else self.entries()


def _traced(attempt: _Attempt) -> PublicationRecord:
    with stage("publish", about(attempt.contract, attempt.candidate)) as watch:
        record = _published(attempt, watch)
        tell(rows=record.rows)
    return record


def _published(attempt: _Attempt, watch: Watch) -> PublicationRecord:
    contract, candidate, ledger, store = attempt.contract, attempt.candidate, attempt.ledger, attempt.store
    refuse_unsupported(contract)
    earlier = _publication_of(attempt.entries(), candidate.submission)
    if earlier is not None:
        shown = store.current(contract.name, candidate.partition)
        _complete_record(None if shown is None else shown.marker, attempt)
        earlier = _publication_of(attempt.entries(), candidate.submission) or earlier
        if (settled := _settled(earlier, attempt)) is not None:
            return settled
    decided = passing_decision(contract, candidate, ledger)
    tell(verdict=decided.verdict.value)

    def authorise(shown: int | None) -> LedgerEntry | None:
        _complete_record(shown, attempt)
        verify(candidate)
        if shown == marker_number(candidate.submission) and not goes_back:
            return None
        _refuse_older(attempt)
        return passing_decision(contract, candidate, ledger)

    goes_back = earlier is not None and attempt.may_be_older and is_followed(earlier, attempt.rivals())
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


def _settled(earlier: LedgerEntry, attempt: _Attempt) -> PublicationRecord | None:
    """What became of a submission that was published before and that others followed: nothing more is done with it.

    None where it is to be published all the same: it is the last of its partition, or an older one was asked for.
    """
    entries = attempt.rivals()
    if not is_followed(earlier, entries) or (attempt.may_be_older and earlier.mode != "append"):
        return None
    successor = successor_of(earlier, entries)
    superseded_by = None if successor is None else successor.submission
    return replace(_as_record(earlier, attempt.store), superseded_by=superseded_by, already_published=True)


def _refuse_older(attempt: _Attempt) -> None:
    """Raise OlderSubmissionError where rows of a submission that was received later would be replaced."""
    contract, candidate = attempt.contract, attempt.candidate
    mode = contract.publication.mode
    if attempt.may_be_older or mode == "append":
        return
    published = [item for item in attempt.rivals() if item.event is Event.PUBLISHED]
    others = [item for item in published if item.submission != candidate.submission]
    received = first_received(candidate, attempt.entries())
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
        _raise_closed(OlderSubmissionError, candidate, what, "publish it with --allow-older if you mean to go back")


def _forget_quarantined(decided: LedgerEntry, attempt: _Attempt) -> None:
    """Takes rows out of quarantine again whose submission did not become visible; what cannot be done is left to reconciling."""
    with suppress(PublicationError):
        if decided.quarantined and attempt.store.commit_of(decided.contract, decided.submission) is None:
            attempt.store.quarantine.remove(decided.contract, {decided.submission: decided.at})


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
    if entry.verdict is Verdict.REFUSE:
        what = f"it was refused ({', '.join(entry.held_back) or entry.verdict})"
        _closed(
            candidate, what, "have the delivery corrected and check it; the table still shows what was accepted last"
        )
    return entry


def _closed(candidate: Candidate, what: str, hint: str) -> NoReturn:
    _raise_closed(GateClosedError, candidate, what, hint)


def _raise_closed(kind: type[GateClosedError], candidate: Candidate, what: str, hint: str) -> NoReturn:
    about = name_of(candidate.contract, candidate.partition)
    raise kind(Problem(f"gate for {about}", what, hint))


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


def _complete_record(shown: int | None, attempt: _Attempt) -> None:
    """Records what the table shows now, if a crash kept that from being recorded: so the ledger has the table's order."""
    entries = attempt.entries()
    recorded = latest(entries, Event.PUBLISHED)
    if shown is None or (recorded is not None and marker_number(recorded.submission) == shown):
        return
    of_it = tuple(entry for entry in entries if marker_number(entry.submission) == shown)
    decided = latest(tuple(entry for entry in of_it if entry.verdict is not Verdict.REFUSE), Event.DECIDED)
    version = None if decided is None else attempt.store.commit_of(attempt.contract.name, decided.submission)
    if decided is not None and version is not None:
        attempt.ledger.append(_event(decided, Event.PUBLISHED, attempt.at, table_version=version))


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
