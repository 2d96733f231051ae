"""What no check here can prove, in the contract's own words: every report lists it, so that nobody takes silence for proof."""

from collections.abc import Iterator

from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract


def unverified_claims(contract: Contract) -> tuple[str, ...]:
    """The claims of a contract that are believed and not checked, each with where its evidence is said to be."""
    return tuple(_claims(contract))


def _claims(contract: Contract) -> Iterator[str]:
    if contract.population is not None:
        yield f"population: {contract.population} (rows cannot show what was left out upstream)"
    if contract.delivery.manifest != "none" or contract.delivery.format.type == "envelope":
        yield f"completeness: that a part declared complete really is ({_completion(contract)})"
    elif contract.delivery.parts is not None and contract.delivery.parts.completion is not None:
        yield f"completeness: that a part that is there is whole ({_completion(contract)})"
    units = sorted({field.unit for field in contract.fields if field.unit is not None})
    if units:
        yield f"units: that values are measured in {', '.join(units)} where their fields say so (a label is no measurement)"
    for field in contract.fields:
        if (
            field.name in contract.key
            and field.type.family is Family.STRING
            and field.enum is None
            and not _is_register(contract, field.name)
        ):
            yield f"{field.name}: that it is in an approved register (its form is checked, its membership is not)"
    for assumption in contract.unverified:
        evidence = f"evidence: {assumption.evidence}" if assumption.evidence else "no evidence named"
        yield f"{assumption.claim} ({evidence})"


def _completion(contract: Contract) -> str:
    parts = contract.delivery.parts
    if parts is None or parts.completion is None:
        return "only the producer's source can show it"
    return f"the producer knows it by: {parts.completion.mechanism}; evidence: {parts.completion.evidence}"


def _is_register(contract: Contract, name: str) -> bool:
    parts = contract.delivery.parts
    return parts is not None and parts.column == name
