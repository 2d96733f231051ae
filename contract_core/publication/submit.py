"""One delivery, from landing to decision and, if it is accepted, to publication: the whole path that every caller takes."""

from dataclasses import dataclass
from datetime import datetime

from contract_core.candidate.delivery import Delivery
from contract_core.candidate.snapshot import Candidate, load_candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.errors import CandidateUnreadableError, ContractAlteredError, GateClosedError, Problem
from contract_core.publication.decision import Decision, Verdict, decide
from contract_core.publication.ledger import Ledger
from contract_core.publication.publish import publish, record_decision
from contract_core.publication.record import PublicationRecord
from contract_core.publication.store import Store
from contract_core.publication.tables import location
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


def judge(contract: Contract, candidate: Candidate, as_of: datetime) -> Judged:
    """Validate a candidate and decide about it; nothing is recorded."""
    report = validate(contract, candidate, as_of)
    return Judged(contract, candidate, report, decide(report, contract))


def take_and_decide(
    contract: Contract, delivery: Delivery, environment: Environment, at: datetime, as_of: datetime
) -> Judged:
    """Take the candidate, judge it and record the decision; `at` is now, `as_of` the moment for which it is judged.

    Raises, before anything is taken, WrongUsageError for an environment whose folders no table can lie in, and
    ContractAlteredError for an active contract that was edited without a new version.
    """
    for folder in (environment.ledger, environment.published):
        location(folder)
    _refuse_altered(contract, Ledger(environment.ledger))
    candidate = take_candidate(contract, delivery, environment.candidates, received_at=at)
    judged = judge(contract, candidate, as_of)
    record_decision(contract, candidate, judged.report, judged.decision, Ledger(environment.ledger), at)
    return judged


def _refuse_altered(contract: Contract, ledger: Ledger) -> None:
    """One active version is one text: decisions that were taken under it would otherwise mean two things."""
    if contract.status == "draft":
        return
    known = {
        entry.contract_digest for entry in ledger.entries(contract=contract.name) if entry.version == contract.version
    }
    if known - {contract.digest}:
        recorded = ", ".join(sorted(digest[:12] for digest in known - {contract.digest}))
        what = f"decisions were taken under digest {recorded}, the file now has {contract.digest[:12]}"
        hint = "a version in use never changes: restore the file, or give your edit a new version"
        raise ContractAlteredError(Problem(f"contract '{contract.name}' {contract.version}", what, hint))


def publish_judged(judged: Judged, environment: Environment, at: datetime) -> PublicationRecord | None:
    """Publish an accepted candidate; None where it was refused and nothing changed."""
    if not judged.is_accepted:
        return None
    return publish(judged.contract, judged.candidate, Ledger(environment.ledger), Store(environment.published), at)


def publish_latest(
    contract: Contract, partition: str | None, environment: Environment, at: datetime
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
    return publish(contract, candidate, ledger, Store(environment.published), at)


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
    judged = judge(contract, candidate, as_of)
    record_decision(contract, candidate, judged.report, judged.decision, ledger, at)
    return judged
