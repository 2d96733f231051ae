"""What people say of a publication, on record: a correction is asked for, or a consumer's own numbers agree with it.

Said is who it was and under which name it is kept elsewhere, a ticket or a run. The ledger keeps both, and no word about the data.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from contract_core.contract.complaint import few
from contract_core.contract.model import Contract
from contract_core.contract.partition import check_key, name_of
from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.entry import Event, LedgerEntry, latest, runtime_versions
from contract_core.publication.history import Remark
from contract_core.publication.ledger import Ledger

LONGEST = 100
"""Letters of a name or a reference: enough for a ticket, too few for a story that may quote rows."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The ledger's entry for what was said; `is_new` is false where it had been said before."""

    entry: LedgerEntry
    is_new: bool


def request_correction(contract: Contract, partition: str | None, remark: Remark, ledger: Ledger) -> Recorded:
    """A correction of what the partition shows is asked for, by its producer or a consumer. The same said again is recorded once.

    Raises WrongUsageError for a partition that is not published, and for a name or a reference that the ledger does not take.
    """
    owners = contract.owners
    known = () if owners is None else (owners.producer.name, *(consumer.name for consumer in owners.consumers))
    return _recorded(contract, partition, _checked(contract, remark, known), Event.REQUESTED, ledger)


def confirm_publication(contract: Contract, partition: str | None, remark: Remark, ledger: Ledger) -> Recorded:
    """A consumer's own numbers agree with what the partition shows. Recorded once, and raises as `request_correction` does."""
    owners = contract.owners
    known = () if owners is None else tuple(consumer.name for consumer in owners.consumers)
    return _recorded(contract, partition, _checked(contract, remark, known), Event.CONFIRMED, ledger)


def _recorded(contract: Contract, partition: str | None, remark: Remark, event: Event, ledger: Ledger) -> Recorded:
    key = check_key(contract, partition)
    own = ledger.partition_entries(contract.name, key)
    published = latest(own, Event.PUBLISHED)
    if published is None:
        about = name_of(contract.name, key)
        hint = "`contract-gate decisions` lists what was decided; a delivery that was refused is delivered again, not corrected"
        raise WrongUsageError(Problem(about, "nothing of it is published", hint))
    entry = ledger.append(_said_of(published, event, remark))
    return Recorded(entry, is_new=entry.identity not in {known.identity for known in own})


def _said_of(published: LedgerEntry, event: Event, remark: Remark) -> LedgerEntry:
    """The entry about a publication, without what was measured of it: that stands where it was measured."""
    return replace(
        published,
        event=event,
        at=remark.at,
        by=remark.by,
        reference=remark.reference,
        reason=None,
        runtime=runtime_versions(),
        event_age=None,
        baseline=None,
        profile={},
        restated={},
        effort={},
        sequence=0,
        identity="",
    )


def _checked(contract: Contract, remark: Remark, known: Iterable[str]) -> Remark:
    """The remark, by somebody whom the contract names where it names anybody."""
    for option, text in (("--by", remark.by), ("--reference", remark.reference)):
        if not 0 < len(text) <= LONGEST or not text.isprintable() or text != text.strip():
            what = f"is empty, longer than {LONGEST} letters, not printable, or has white space at an end"
            raise WrongUsageError(Problem(option, what, "write a name, such as that of a ticket or of a run"))
    names = list(dict.fromkeys(known))
    if contract.owners is not None and remark.by not in names:
        close = get_close_matches(remark.by, names, n=1)
        nearest = f"did you mean '{close[0]}'? " if close else ""
        what = f"'{remark.by}' is not among those whom contract '{contract.name}' names for this"
        raise WrongUsageError(Problem("--by", what, f"{nearest}known: {few(names) or 'nobody'}"))
    return remark
