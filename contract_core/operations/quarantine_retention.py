"""Which rows in quarantine may go: those that are there longer than their contract keeps them, published or not.

Where a decision with such rows is published after all, publishing stores them again.
"""

from datetime import datetime

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.operations.cleaning import KEPT_BY_DEFAULT, Cleaning, Going, Kind, Why
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.quarantine import Held
from contract_core.publication.submit import store_of


def plan_quarantine(
    contract: Contract, environment: Environment, entries: tuple[LedgerEntry, ...], at: datetime
) -> Cleaning:
    """What may go at `at`, by submission, and files whose rows are out of quarantine already. Nothing is removed here."""
    terms, store = contract.enforcement.quarantine, store_of(environment)
    keep = KEPT_BY_DEFAULT if terms.keep is None else terms.keep
    recorded = {entry.submission for entry in entries if entry.event is Event.PUBLISHED}
    held = store.quarantine.held(contract.name)
    due = [item for item in held if at - item.at > keep]
    published = {
        item.submission
        for item in due
        if item.submission in recorded or store.commit_of(contract.name, item.submission) is not None
    }
    left = store.quarantine.left_over(contract.name)
    goes = (
        *(_going(item, is_published=item.submission in published) for item in due),
        *(Going(path.name, Why.LEFT_OVER, size) for path, size in left.items()),
    )
    return Cleaning(Kind.QUARANTINE, contract.name, goes, len(held) - len(due), tuple(left))


def remove_quarantine(cleaning: Cleaning, environment: Environment) -> None:
    """Remove the rows of a plan; those of a submission that were stored anew since stay."""
    if cleaning.contract is not None and cleaning.goes:
        submissions = {item.name: item.since for item in cleaning.goes if item.since is not None}
        store_of(environment).quarantine.remove(cleaning.contract, submissions)


def _going(item: Held, *, is_published: bool) -> Going:
    why = Why.PUBLISHED if is_published else Why.NEVER_PUBLISHED
    return Going(item.submission, why, item.size, item.partition, item.at, item.rows)
