"""Who is told when a promise is broken: the receivers that a contract names, else whoever answers for it and relies on it."""

from contract_core.contract.model import Contract, Owner


def receivers_of(contract: Contract, *, is_late: bool) -> tuple[Owner, ...]:
    """Who is told of an incident, each contact once; `is_late` for one that consumers see: what is overdue, stale or silent.

    The contract's `alerts`; where it names none, the producer, and consumers too of what is late. Who has no contact is left out.
    """
    owners = contract.owners
    if owners is None:
        return ()
    default = (owners.producer, *owners.consumers) if is_late else (owners.producer,)
    by_contact: dict[str, Owner] = {}
    for owner in owners.alerts or default:
        if owner.contact is not None:
            by_contact.setdefault(owner.contact, owner)
    return tuple(by_contact.values())
