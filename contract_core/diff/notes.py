"""What is said beside the verdicts of a version: what a policy decided, and what counts for nothing."""

from collections.abc import Iterator

from contract_core.contract.model import Contract
from contract_core.diff.judging import Terms, Verdict
from contract_core.diff.record import ChangeRecord
from contract_core.diff.versions import is_new_major


def notes_of(terms: Terms, verdicts: tuple[Verdict, ...], needed: str, record: ChangeRecord) -> Iterator[str]:
    """Every sentence that a reviewer should see though it changes no outcome; `needed` is the version that is asked for."""
    for verdict in verdicts:
        if verdict.override is not None:
            by = verdict.override
            why = f": {by.reason} ({by.owner}, until {by.expires})" if by.may_lower else ""
            yield f"policy: {verdict.change.path} {verdict.change.kind} counts as {verdict.verdict}{why}"
    for override in terms.policy.overrides:
        if any(override.asks_to_lower(terms.old.name, verdict.change, verdict.verdict) for verdict in verdicts):
            yield f"policy: the override of {override.kind} lowers nothing without a reason, an owner and a last day"
        if (
            override.expires is not None
            and override.expires < terms.today
            and override.contract in (None, terms.new.name)
        ):
            yield f"policy: the override of {override.kind} by {override.owner} expired on {override.expires}"
    if is_new_major(terms.old.version, terms.new.version) and not is_new_major(terms.old.version, needed):
        yield f"version {terms.new.version} is more than these changes ask for: {needed} would do"
    yield from _strangers(record, terms.old, terms.new)


def _strangers(record: ChangeRecord, old: Contract, new: Contract) -> Iterator[str]:
    """Approvals that count for nothing because nobody of that name is asked."""
    owners = [contract.owners for contract in (old, new) if contract.owners is not None]
    known = {name for item in owners for name in (item.producer.name, *(consumer.name for consumer in item.consumers))}
    known |= {*old.changes.approvals, old.changes.authority or ""}
    for name in dict.fromkeys(approval.by for approval in record.approvals if approval.by not in known):
        yield f"the approval of '{name}' counts for nothing: the contract names {', '.join(sorted(known - {''})) or 'nobody'}"
