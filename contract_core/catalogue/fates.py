"""What becomes of a delivery that breaks a promise, told ahead: the gate's own policy, read from the contract alone."""

from enum import StrEnum

from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import (
    HasType,
    NewKey,
    NoDuplicateRows,
    Present,
    RecordsAreObjects,
    RowPromise,
    UniqueKey,
)

_RECORDS_DIFFER = ("jsonl", "envelope")


class Fate(StrEnum):
    """What a breach does: nothing is published, the rows in question are kept apart, or it is told and all is published."""

    REFUSED = "refused"
    QUARANTINED = "quarantined"
    TOLD = "told"


def fate_of(obligation: Obligation, contract: Contract) -> Fate:
    """What a breach of the obligation does, within the budget of quarantine where there is one.

    What cannot be judged at all, such as the rules of a column of another type, refuses the delivery whatever this says.
    """
    if obligation.severity is Severity.WARN:
        return Fate.TOLD
    match contract.enforcement.on_breach:
        case "warn" if obligation.layer is Layer.ROWS and not _cannot_pass(obligation, contract):
            return Fate.TOLD
        case "quarantine" if _lies_in_rows(obligation, contract):
            return Fate.QUARANTINED
        case _:
            return Fate.REFUSED


def _cannot_pass(obligation: Obligation, contract: Contract) -> bool:
    """True for a repeated key under upsert: two rows cannot both take the place of one."""
    return obligation.id == "key" and contract.publication.mode == "upsert"


def _lies_in_rows(obligation: Obligation, contract: Contract) -> bool:
    match obligation.promise:
        case RecordsAreObjects() | UniqueKey() | NewKey() | NoDuplicateRows():
            return True
        case Present():
            return contract.delivery.format.type in _RECORDS_DIFFER
        case HasType():
            return contract.delivery.format.is_text
        case promise:
            return isinstance(promise, RowPromise)
