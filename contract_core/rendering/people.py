"""Who is told of what goes wrong and who may authorise a correction → words, as a contract names them."""

from contract_core.contract.model import Consumer, Contract, Owner
from contract_core.contract.receivers import receivers_of


def receiver_words(contract: Contract) -> str:
    """Who is told of incidents, and whom else of what is overdue, stale or silent; or that nobody is named whom one could reach."""
    always = receivers_of(contract, is_late=False)
    late = [owner for owner in receivers_of(contract, is_late=True) if owner not in always]
    told = [", ".join(map(reached, always))] if always else []
    told += [f"of what is overdue, stale or silent also {', '.join(map(reached, late))}"] if late else []
    return "; ".join(told) or "nobody: no contact is named"


def correction_words(contract: Contract) -> str:
    """Who may authorise a correction of what is published: a person, whom no program asks."""
    owners = contract.owners
    return "nobody is named" if owners is None or owners.corrections is None else reached(owners.corrections)


def reached(person: Owner | Consumer) -> str:
    """A person or team, with the contact where there is one."""
    return person.name if person.contact is None else f"{person.name} ({person.contact})"
