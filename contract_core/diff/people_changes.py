"""Who promises, who relies on it, and the terms under which the promise may change."""

from collections.abc import Iterator

from contract_core.contract.change_terms import ChangeTerms
from contract_core.contract.model import Consumer, Contract, Owner, Owners
from contract_core.diff.change import Change
from contract_core.diff.kinds import ChangeKind as Is
from contract_core.diff.wording import from_to

_STRICTER = {"default": {"full"}, "producer": {"full"}, "consumer_strict": {"full"}, "full": set[str]()}
"""To which profiles one can go without any change being judged more mildly."""


def owner_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The producer and the consumers, by name."""
    before, after = old.owners, new.owners
    if before is None or after is None:
        if before is None:
            yield Change(Is.WORDS_EDITED, "owners", "are stated")
        else:
            yield Change(Is.CONTACT_REMOVED, "owners", "are no longer stated")
        return
    if before.producer.name != after.producer.name:
        what = f"from {before.producer.name} to {after.producer.name}"
        yield Change(Is.PRODUCER_CHANGED, "owners.producer", what)
    yield from _contact("owners.producer", before.producer, after.producer)
    yield from _consumers(
        {consumer.name: consumer for consumer in before.consumers},
        {consumer.name: consumer for consumer in after.consumers},
        frozenset(new.field_names),
    )
    yield from _alerts(before, after)
    yield from _corrections(before.corrections, after.corrections)


def _alerts(before: Owners, after: Owners) -> Iterator[Change]:
    """Who is told of incidents, by name; once nobody is, consumers hear of a failure from nobody."""
    old, new = ({receiver.name: receiver for receiver in owners.alerts} for owners in (before, after))
    is_nobody = not after.alerts and after.producer.contact is None
    for name in (name for name in old if name not in new):
        kind = Is.CONTACT_REMOVED if is_nobody else Is.CONTACT_CHANGED
        yield Change(kind, f"owners.alerts.{name}", f"'{name}' is no longer told of incidents")
    for name, receiver in new.items():
        path = f"owners.alerts.{name}"
        if name not in old:
            yield Change(Is.CONTACT_CHANGED, path, f"'{name}' is told of incidents")
        else:
            yield from _contact(path, old[name], receiver)


def _corrections(old: Owner | None, new: Owner | None) -> Iterator[Change]:
    path = "owners.corrections"
    if old is not None and new is not None and old.name == new.name:
        yield from _contact(path, old, new)
    elif old != new:
        yield Change(Is.CORRECTION_AUTHORITY_CHANGED, path, from_to(_named(old), _named(new)))


def _named(owner: Owner | None) -> str | None:
    return None if owner is None else owner.name


def _contact(path: str, old: Owner, new: Owner) -> Iterator[Change]:
    if old.contact != new.contact:
        kind = Is.CONTACT_REMOVED if new.contact is None else Is.CONTACT_CHANGED
        yield Change(kind, f"{path}.contact", "is no longer stated" if new.contact is None else "is another one")


def _consumers(before: dict[str, Consumer], after: dict[str, Consumer], fields: frozenset[str]) -> Iterator[Change]:
    for name, old in before.items():
        path = f"owners.consumers.{name}"
        new = after.get(name)
        if new is None:
            yield Change(Is.CONSUMER_REMOVED, path, f"'{name}' is no longer named")
            continue
        yield from _contact(path, old, new)
        if _lost(old.relies_on, fields) != _lost(new.relies_on, fields) or old.tolerates != new.tolerates:
            yield Change(Is.CONSUMER_TERMS_CHANGED, path, f"'{name}' relies on, or tolerates, something else")
    for name in (name for name in after if name not in before):
        yield Change(Is.CONSUMER_ADDED, f"owners.consumers.{name}", f"'{name}' is named")


def _lost(relies_on: tuple[str, ...], fields: frozenset[str]) -> frozenset[str]:
    """What they rely on, without fields that are gone: that a contract cannot name those belongs to their loss."""
    return frozenset(relies_on) & fields


def change_terms_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The terms of change, each by itself: whether it binds the producer less or more."""
    for attribute in ChangeTerms.model_fields:
        before, after = getattr(old.changes, attribute), getattr(new.changes, attribute)
        if before != after and (attribute != "approvals" or set(before) != set(after)):
            yield Change(_kind(attribute, old.changes, new.changes), f"changes.{attribute}", from_to(before, after))


def _kind(attribute: str, old: ChangeTerms, new: ChangeTerms) -> Is:
    if attribute in ("migration", "announce"):
        return Is.WORDS_EDITED
    if attribute == "authority" and old.authority is None:
        return Is.AUTHORITY_NAMED
    is_stronger = {
        "profile": new.profile in _STRICTER[old.profile],
        "transitive": new.transitive,
        "approvals": set(new.approvals) > set(old.approvals),
        "window": new.window > old.window,
        "authority": False,
    }
    return Is.CHANGE_TERMS_STRENGTHENED if is_stronger[attribute] else Is.CHANGE_TERMS_WEAKENED
