"""One delivery, from landing to decision and, if it is accepted, to publication: the whole path that every caller takes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from contract_core.candidate.delivery import Delivery
from contract_core.candidate.snapshot import Candidate, load_candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.partition import name_of
from contract_core.environment import Environment
from contract_core.errors import (
    CandidateUnreadableError,
    ContractAlteredError,
    GateClosedError,
    Problem,
    PublicationError,
)
from contract_core.publication.arrival import received_at
from contract_core.publication.causes import cause_of
from contract_core.publication.decision import Decision, Verdict, decide
from contract_core.publication.effort import about, candidate_size, delivered_size, stage
from contract_core.publication.ledger import Ledger
from contract_core.publication.past import past_of
from contract_core.publication.publish import publish, record_decision
from contract_core.publication.record import PublicationRecord
from contract_core.publication.restatement import restated
from contract_core.publication.stages import together
from contract_core.publication.store import Store
from contract_core.publication.tables import TABLE_FAILURES, location
from contract_core.tracing import tell
from contract_core.validation.past import Past
from contract_core.validation.plan import validate
from contract_core.validation.report import ValidationReport


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate, what was found and what that leads to."""

    contract: Contract
    candidate: Candidate
    report: ValidationReport
    decision: Decision

    @property
    def is_accepted(self) -> bool:
        """True where the gate lets the candidate through."""
        return self.decision.verdict is not Verdict.REFUSE


def store_of(environment: Environment) -> Store:
    """The published tables of an environment, and its quarantine."""
    return Store(environment.published, environment.quarantine)


def judge(contract: Contract, candidate: Candidate, environment: Environment, as_of: datetime) -> Judged:
    """Validate a candidate and decide about it; nothing is recorded. Ledger and published tables are read as far as the contract looks
    back, and to count what a correction changes. Raises PublicationError where the table cannot be read.
    """
    with stage("validate", about(contract, candidate)) as watch:
        tell(rows=candidate.rows)
        watch.rows = candidate.rows
        report = _validated(contract, candidate, as_of, past_of(contract, candidate, environment, as_of))
        decision = decide(report, contract)
        tell(verdict=decision.verdict.value)
        report = _with_restated(report, candidate, decision, contract, environment)
        watch.read = candidate_size(candidate)
    return Judged(contract, candidate, replace(report, effort=together(report.effort, watch.spent())), decision)


def _validated(contract: Contract, candidate: Candidate, as_of: datetime, past: Past) -> ValidationReport:
    try:
        return validate(contract, candidate, as_of, past)
    except TABLE_FAILURES as error:
        if past.predecessor is None:
            raise
        what = f"its published table, or the candidate, cannot be read: {cause_of(error)}"
    raise PublicationError(Problem(f"contract '{contract.name}'", what, "repair or restore the table"))


def _with_restated(
    report: ValidationReport, candidate: Candidate, decision: Decision, contract: Contract, environment: Environment
) -> ValidationReport:
    """The report with what the candidate would change of what is published, which no decision looks at."""
    found = restated(contract, candidate, decision, store_of(environment).path_of(contract.name))
    return replace(report, learned=replace(report.learned, restated=found))


def take_and_judge(
    contract: Contract, delivery: Delivery, environment: Environment, at: datetime, as_of: datetime
) -> Judged:
    """Take the candidate and judge it; nothing is recorded. `at` is when it is received, `as_of` the moment for which it is judged."""
    known = {"contract": contract.name, "version": contract.version, "partition": delivery.partition}
    with stage("take", known) as watch:
        candidate = take_candidate(contract, delivery, environment.candidates, received_at=at)
        tell(submission=candidate.submission, rows=candidate.rows)
        if received_at(candidate) in (at, None):  # else it was found stored, and no row of the delivery was read
            watch.rows, watch.read = candidate.rows, delivered_size(delivery)
    judged = judge(contract, candidate, environment, as_of)
    return replace(judged, report=replace(judged.report, effort=together(watch.spent(), judged.report.effort)))


def take_and_decide(
    contract: Contract, delivery: Delivery, environment: Environment, at: datetime, as_of: datetime
) -> Judged:
    """Take the candidate, judge it and record the decision; `at` is now, `as_of` the moment for which it is judged.

    Raises, before anything is taken, WrongUsageError for an environment whose folders no table can lie in, and
    ContractAlteredError for an active contract that was edited without a new version.
    """
    for folder in (environment.ledger, environment.published, environment.quarantine):
        location(folder)
    _refuse_altered(contract, Ledger(environment.ledger))
    return _recorded(take_and_judge(contract, delivery, environment, at, as_of), environment, at)


def _recorded(judged: Judged, environment: Environment, at: datetime) -> Judged:
    """The same, with what it cost to record its decision: the entry itself cannot know that."""
    contract, candidate, report = judged.contract, judged.candidate, judged.report
    with stage("record", about(contract, candidate)) as watch:
        record_decision(contract, candidate, report, judged.decision, Ledger(environment.ledger), at)
    return replace(judged, report=replace(report, effort=together(report.effort, watch.spent())))


def _refuse_altered(contract: Contract, ledger: Ledger) -> None:
    """One active version is one text: decisions that were taken under it would otherwise mean two things."""
    if contract.status == "draft":
        return
    others = ledger.decided_digests(contract.name, contract.version) - {contract.digest}
    if others:
        recorded = ", ".join(sorted(digest[:12] for digest in others))
        what = f"decisions were taken under digest {recorded}, the file now has {contract.digest[:12]}"
        hint = "a version in use never changes: restore the file, or give your edit a new version"
        raise ContractAlteredError(Problem(f"contract '{contract.name}' {contract.version}", what, hint))


def publish_judged(
    judged: Judged, environment: Environment, at: datetime, how: Callable[..., PublicationRecord] = publish
) -> PublicationRecord | None:
    """Publish an accepted candidate; None where it was refused and nothing changed. `how` is `publish` or `publish_older`."""
    if not judged.is_accepted:
        return None
    return how(judged.contract, judged.candidate, Ledger(environment.ledger), store_of(environment), at)


def publish_latest(
    contract: Contract,
    partition: str | None,
    environment: Environment,
    at: datetime,
    how: Callable[..., PublicationRecord] = publish,
) -> PublicationRecord:
    """Publish what the last decision about a partition allows. Raises GateClosedError where it allows nothing."""
    candidate = _last_offered(contract, partition, environment)
    if candidate is None:
        where, what = f"gate for {name_of(contract.name, partition)}", "no decision was ever taken"
        raise GateClosedError(Problem(where, what, "materialise the candidate first"))
    return how(contract, candidate, Ledger(environment.ledger), store_of(environment), at)


def judge_again(
    contract: Contract, partition: str | None, environment: Environment, at: datetime, as_of: datetime
) -> Judged:
    """Judge the stored candidate of a partition as of another moment, and record what that leads to."""
    candidate = _last_offered(contract, partition, environment)
    if candidate is None:
        where, what = f"candidate of {name_of(contract.name, partition)}", "none was ever taken"
        raise CandidateUnreadableError(Problem(where, what, "materialise the candidate first"))
    return _recorded(judge(contract, candidate, environment, as_of), environment, at)


def _last_offered(contract: Contract, partition: str | None, environment: Environment) -> Candidate | None:
    """The stored candidate that the last decision about a partition is about; None where none was taken."""
    entry = Ledger(environment.ledger).latest_decision(contract.name, partition)
    return None if entry is None else load_candidate(environment.candidates, contract.name, entry.submission)
