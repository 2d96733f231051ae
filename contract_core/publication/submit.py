"""One delivery, from landing to decision and, if it is accepted, to publication: the whole path that every caller takes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

import polars as pl

from contract_core.candidate.delivery import Delivery
from contract_core.candidate.snapshot import Candidate, load_candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Monitors
from contract_core.environment import Environment
from contract_core.errors import (
    CandidateUnreadableError,
    ContractAlteredError,
    GateClosedError,
    Problem,
    PublicationError,
)
from contract_core.publication.arrival import arrival
from contract_core.publication.causes import cause_of
from contract_core.publication.decision import Decision, Verdict, decide
from contract_core.publication.effort import Watch, candidate_size, delivered_size
from contract_core.publication.entry import Event, latest
from contract_core.publication.freshness import newest_elsewhere
from contract_core.publication.ledger import Ledger
from contract_core.publication.predecessor import predecessor_of
from contract_core.publication.profiles import earlier
from contract_core.publication.publish import publish, record_decision
from contract_core.publication.published_keys import nothing_taken
from contract_core.publication.record import PublicationRecord
from contract_core.publication.required_parts import listed_parts
from contract_core.publication.restatement import restated
from contract_core.publication.store import Store
from contract_core.publication.tables import TABLE_FAILURES, location
from contract_core.tracing import span, tell
from contract_core.validation.measured import Measured
from contract_core.validation.past import Past, Predecessor
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
    """Validate a candidate and decide about it; nothing is recorded. The published table is asked where rows are appended to it
    or corrected, the ledger where a deadline is promised or a monitor compares with what was accepted before, and both for history
    rules. Raises PublicationError where the table cannot be read.
    """
    watch = Watch()
    about = {"contract": contract.name, "version": contract.version, "partition": candidate.partition}
    with span("validate", **about, submission=candidate.submission, rows=candidate.rows):
        report = _validated(contract, candidate, as_of, past_of(contract, candidate, environment, as_of))
        decision = decide(report, contract)
        tell(verdict=decision.verdict.value)
    report = _with_restated(report, candidate, decision, contract, environment)
    spent = {**report.effort, **watch.spent("validate"), **candidate_size(candidate)}
    return Judged(contract, candidate, replace(report, effort=spent), decision)


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
    watch = Watch()
    with span("take", contract=contract.name, version=contract.version, partition=delivery.partition):
        candidate = take_candidate(contract, delivery, environment.candidates, received_at=at)
        tell(submission=candidate.submission, rows=candidate.rows)
    spent = {**watch.spent("take"), **delivered_size(delivery)}
    judged = judge(contract, candidate, environment, as_of)
    return replace(judged, report=replace(judged.report, effort={**spent, **judged.report.effort}))


def past_of(contract: Contract, candidate: Candidate, environment: Environment, as_of: datetime) -> Past:
    """What was accepted before, as far as the contract's promises look back."""
    return Past(
        taken=_taken(contract, candidate, environment),
        arrived=_arrived(contract, candidate, environment, as_of),
        listed=listed_parts(contract, candidate.partition, environment),
        earlier=_earlier(contract, candidate, environment),
        predecessor=_predecessor(contract, candidate, environment),
        newest_elsewhere=_newest_elsewhere(contract, candidate, environment),
    )


def _newest_elsewhere(contract: Contract, candidate: Candidate, environment: Environment) -> datetime | None:
    """What an age is promised of beside the candidate: a correction of last week makes a table that is fresh no older."""
    if contract.freshness is None:
        return None
    return newest_elsewhere(contract, candidate.partition, Ledger(environment.ledger).entries(contract.name))


def _predecessor(contract: Contract, candidate: Candidate, environment: Environment) -> Predecessor | None:
    """What history rules compare the rows with, where there are any."""
    if not contract.history:
        return None
    return predecessor_of(contract, candidate, Ledger(environment.ledger), store_of(environment))


def _arrived(contract: Contract, candidate: Candidate, environment: Environment, as_of: datetime) -> datetime:
    """When the partition was received first, as far as a deadline asks for it."""
    if contract.delivery.due is None:
        return as_of
    return arrival(candidate, Ledger(environment.ledger).entries(contract.name, candidate.partition), as_of)


def _earlier(contract: Contract, candidate: Candidate, environment: Environment) -> tuple[Measured, ...]:
    """What the contract's monitors compare with, where it has any."""
    if contract.monitors == Monitors():
        return ()
    return earlier(contract, candidate, Ledger(environment.ledger).entries(contract.name))


def _taken(contract: Contract, candidate: Candidate, environment: Environment) -> pl.LazyFrame | None:
    """The rows whose key is published already, where that is asked; a retry is not held against its own publication."""
    if contract.publication.mode != "append":
        return None
    own = Ledger(environment.ledger).entries(contract.name, candidate.partition, candidate.submission)
    store = store_of(environment)
    if latest(own, Event.PUBLISHED) or store.commit_of(contract.name, candidate.submission) is not None:
        return nothing_taken()
    return store.taken(contract, candidate)


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
    judged = take_and_judge(contract, delivery, environment, at, as_of)
    record_decision(contract, judged.candidate, judged.report, judged.decision, Ledger(environment.ledger), at)
    return judged


def _refuse_altered(contract: Contract, ledger: Ledger) -> None:
    """One active version is one text: decisions that were taken under it would otherwise mean two things."""
    if contract.status == "draft":
        return
    known = {
        entry.contract_digest
        for entry in ledger.entries(contract=contract.name)
        if entry.version == contract.version and entry.event is Event.DECIDED
    }
    if known - {contract.digest}:
        recorded = ", ".join(sorted(digest[:12] for digest in known - {contract.digest}))
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
    ledger = Ledger(environment.ledger)
    entry = ledger.latest_decision(contract.name, partition)
    if entry is None:
        about = contract.name if partition is None else f"{contract.name}/{partition}"
        raise GateClosedError(
            Problem(f"gate for {about}", "no decision was ever taken", "materialise the candidate first")
        )
    candidate = load_candidate(environment.candidates, contract.name, entry.submission)
    return how(contract, candidate, ledger, store_of(environment), at)


def judge_again(
    contract: Contract, partition: str | None, environment: Environment, at: datetime, as_of: datetime
) -> Judged:
    """Judge the stored candidate of a partition as of another moment, and record what that leads to."""
    ledger = Ledger(environment.ledger)
    entry = ledger.latest_decision(contract.name, partition)
    if entry is None:
        about = contract.name if partition is None else f"{contract.name}/{partition}"
        raise CandidateUnreadableError(
            Problem(f"candidate of {about}", "none was ever taken", "materialise the candidate first")
        )
    candidate = load_candidate(environment.candidates, contract.name, entry.submission)
    judged = judge(contract, candidate, environment, as_of)
    record_decision(contract, candidate, judged.report, judged.decision, ledger, at)
    return judged
