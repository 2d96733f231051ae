"""What the search of the first page looks through: one entry for each name, person, unit and description of the current versions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from contract_core.catalogue.people import ToldConsumer, ToldOwner
from contract_core.catalogue.places import consumer_page, contract_page, owner_page
from contract_core.catalogue.plain_text import shown
from contract_core.catalogue.released import ReleasedContract
from contract_core.contract.model import Field


def search_entries(
    contracts: Sequence[ReleasedContract], consumers: Iterable[ToldConsumer], owners: Iterable[ToldOwner]
) -> list[dict[str, Any]]:
    """Entries of `kind`, `label`, `text`, `page` and the `contracts` that they stand for, as positions in the list of contracts."""
    places = {contract.name: place for place, contract in enumerate(contracts)}
    entries: list[dict[str, Any]] = []
    for contract in contracts:
        entries += _of_contract(contract, places[contract.name])
    for consumer in consumers:
        stands_for = [places[use.contract.name] for use in consumer.uses]
        entries.append(
            _entry("consumer", consumer.name, " ".join(consumer.contacts), consumer_page(consumer.name), stands_for)
        )
    for owner in owners:
        stands_for = [places[contract.name] for contract in (*owner.contracts, *owner.past)]
        entries.append(_entry("owner", owner.name, " ".join(owner.contacts), owner_page(owner.name), stands_for))
    return entries


def _of_contract(contract: ReleasedContract, place: int) -> Iterator[dict[str, Any]]:
    page, current = contract_page(contract.name), contract.current.contract
    texts = (current.description, current.purpose, current.grain, current.population, current.domain)
    yield _entry("contract", contract.name, "\n".join(text for text in texts if text), page, [place])
    for number, field in enumerate(current.fields):
        yield _entry("field", field.name, _field_text(field), f"{page}#field-{number}", [place])
    units = dict.fromkeys(field.unit for field in current.fields if field.unit is not None)
    for unit in units:
        measured = ", ".join(field.name for field in current.fields if field.unit == unit)
        yield _entry("unit", unit, measured, f"{page}#fields", [place])


def _field_text(field: Field) -> str:
    was = f"was {field.renamed_from}" if field.renamed_from is not None else None
    return " · ".join(text for text in (str(field.type), was, field.semantics, field.description) if text)


def _entry(kind: str, label: str, text: str, page: str, contracts: list[int]) -> dict[str, Any]:
    return {"kind": kind, "label": shown(label), "text": shown(text), "page": page, "contracts": contracts}
