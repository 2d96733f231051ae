"""A contract as a person reads it: who promises what to whom, and what happens when it is broken."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from contract_core.contract.field_rules import declared_rules
from contract_core.contract.model import Contract, Field
from contract_core.contract.promises import Severity
from contract_core.contract.unsupported import unsupported
from contract_core.rendering.people import correction_words, reached, receiver_words
from contract_core.rendering.promises import promise_words, silence_words
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.unverified import unverified_claims


def contract_lines(contract: Contract) -> Iterator[str]:
    """Version, owners, policy, fields with their rules, promises about the whole, and what nobody checks."""
    yield f"{contract.name} {contract.version} ({contract.status})"
    facts = {
        "what": contract.description,
        "purpose": contract.purpose,
        "grain": contract.grain,
        "population": contract.population,
        "recovery": contract.recovery,
        "migration": contract.changes.migration,
        "changed by": contract.changes.authority,
        "producer": _producer(contract),
        "consumers": _consumers(contract),
        "told of incidents": receiver_words(contract),
        "corrections by": correction_words(contract),
        "partitions": _partitions(contract),
        "format": contract.delivery.format.type,
        "on breach": contract.enforcement.on_breach,
        "publication": contract.publication.mode,
        "extra fields": contract.extra_fields,
        "digest": contract.digest,
    }
    yield from (f"  {name}: {text}" for name, text in facts.items() if text)
    obligations = obligations_of(contract)
    own = obligations_by_field(obligations)
    yield "  fields:"
    for field in contract.fields:
        yield f"    {_field_line(field)}"
        yield from (f"      {_obligation_line(item)}" for item in own.get(field.name, ()) if _says_more(item))
    yield "  promises about the whole:"
    about_fields = {f"{field.name}.{rule}" for field in contract.fields for rule in declared_rules(field)}
    yield from (f"    {_obligation_line(item)}" for item in obligations if item.id not in about_fields)
    yield from (f"    {line}" for line in _of_the_table(contract))
    yield from (f"  not enforced yet: {complaint.what}" for complaint in unsupported(contract))
    yield from (f"  not verified: {claim}" for claim in unverified_claims(contract))


def obligations_by_field(obligations: Iterable[Obligation]) -> Mapping[str, list[Obligation]]:
    """The obligations whose id says nothing but a name and their rule, by that name, in their order."""
    found: dict[str, list[Obligation]] = defaultdict(list)
    for obligation in obligations:
        name = obligation.id.removesuffix(f".{obligation.rule}")
        if name != obligation.id:
            found[name].append(obligation)
    return found


def _of_the_table(contract: Contract) -> Iterator[str]:
    """What is promised of the published table and of no delivery."""
    fresh = contract.freshness
    if fresh is not None and fresh.max_silence is not None:
        weight = "" if fresh.severity is Severity.ERROR else " (only warns)"
        yield f"silence: {silence_words(fresh.max_silence)}{weight}"


def _producer(contract: Contract) -> str | None:
    return reached(contract.owners.producer) if contract.owners is not None else None


def _consumers(contract: Contract) -> str | None:
    return ", ".join(map(reached, contract.owners.consumers)) if contract.owners is not None else None


def _partitions(contract: Contract) -> str | None:
    terms = contract.delivery.partition
    if terms is None:
        return None
    several = ", several in one delivery" if terms.split else ""
    return f"one for each {terms.every or 'value'} of {terms.column}{f' ({terms.timezone})' if terms.every else ''}{several}"


def _field_line(field: Field) -> str:
    words = [str(field.type), "" if field.required else "optional", "nullable" if field.nullable else ""]
    unit = f" in {field.unit}" if field.unit else ""
    return f"{field.name}: {', '.join(word for word in words if word)}{unit}{f' - {field.semantics}' if field.semantics else ''}"


def _says_more(obligation: Obligation) -> bool:
    """False where the field's own line says it already."""
    return obligation.rule not in ("missing", "type", "null", "not_finite")


def _obligation_line(obligation: Obligation) -> str:
    weight = "" if obligation.severity is Severity.ERROR else " (only warns)"
    return f"{obligation.id}: {promise_words(obligation.promise)}{weight}"
