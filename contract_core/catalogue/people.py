"""Who depends on what: each consumer with the contracts and fields they rely on and what changed for them, each producer with theirs."""

from collections.abc import Iterable
from dataclasses import dataclass

from contract_core.catalogue.changes import ToldChange, field_of, recorded_changes
from contract_core.catalogue.released import ReleasedContract, ReleasedVersion
from contract_core.contract.model import Consumer


@dataclass(frozen=True, slots=True)
class Concerned:
    """One version, and what of it matters to a consumer: what breaks them, and what else touches a field of theirs."""

    version: ReleasedVersion
    breaking: tuple[ToldChange, ...]
    touching: tuple[ToldChange, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A contract that names a consumer, with their terms in `version`, the newest that does; `is_past` where it is not the current one."""

    contract: ReleasedContract
    version: ReleasedVersion
    terms: Consumer
    is_past: bool
    history: tuple[Concerned, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that they rely on: those that they name, or all."""
        return self.terms.relies_on or self.version.contract.field_names


@dataclass(frozen=True, slots=True)
class ToldConsumer:
    """One consumer, under one name in all contracts."""

    name: str
    uses: tuple[Use, ...]

    @property
    def contacts(self) -> tuple[str, ...]:
        """How to reach them, as the contracts say."""
        return _each_once(use.terms.contact for use in self.uses)


@dataclass(frozen=True, slots=True)
class ToldOwner:
    """One producer, under one name in all contracts; `past` are those of which only older versions name them."""

    name: str
    contracts: tuple[ReleasedContract, ...]
    past: tuple[ReleasedContract, ...] = ()

    @property
    def contacts(self) -> tuple[str, ...]:
        """How to reach them, as the contracts say."""
        return _each_once(each.current.producer.contact for each in self.contracts if each.current.producer is not None)


def told_consumers(contracts: Iterable[ReleasedContract]) -> tuple[ToldConsumer, ...]:
    """Everybody whom any version names, by name."""
    found: dict[str, list[Use]] = {}
    for contract in contracts:
        names = dict.fromkeys(consumer.name for version in contract.versions for consumer in version.consumers)
        for name in names:
            found.setdefault(name, []).append(_use(contract, name))
    return tuple(ToldConsumer(name, tuple(uses)) for name, uses in sorted(found.items()))


def told_owners(contracts: Iterable[ReleasedContract]) -> tuple[ToldOwner, ...]:
    """Every producer whom any version names, by name."""
    theirs: dict[str, list[ReleasedContract]] = {}
    past: dict[str, list[ReleasedContract]] = {}
    for contract in contracts:
        now = contract.current.producer
        for name in dict.fromkeys(each.producer.name for each in contract.versions if each.producer is not None):
            is_now = now is not None and now.name == name
            (theirs if is_now else past).setdefault(name, []).append(contract)
    names = sorted({*theirs, *past})
    return tuple(ToldOwner(name, tuple(theirs.get(name, ())), tuple(past.get(name, ()))) for name in names)


def terms_of(version: ReleasedVersion, name: str) -> Consumer | None:
    """What a version says of a consumer; None where it does not name them."""
    return next((consumer for consumer in version.consumers if consumer.name == name), None)


def _use(contract: ReleasedContract, name: str) -> Use:
    naming = [version for version in contract.versions if terms_of(version, name) is not None]
    version = contract.current if contract.current in naming else naming[0]
    terms = terms_of(version, name)
    assert terms is not None, "the version was chosen because it names them"
    history = tuple(_concerned(contract, version, name) for version in contract.versions)
    return Use(
        contract=contract,
        version=version,
        terms=terms,
        is_past=version is not contract.current,
        history=tuple(each for each in history if each.breaking or each.touching),
    )


def _concerned(contract: ReleasedContract, version: ReleasedVersion, name: str) -> Concerned:
    changes = recorded_changes(version.release)
    before = contract.before(version)
    named = [terms for each in (version, before) if each is not None and (terms := terms_of(each, name)) is not None]
    fields = {field for each in (version, before) if each is not None for field in each.contract.field_names}
    relied = {field for terms in named for field in terms.relies_on or fields}
    return Concerned(
        version,
        breaking=tuple(change for change in changes if name in change.consumers),
        touching=tuple(
            change for change in changes if name not in change.consumers and field_of(change, fields) in relied
        ),
    )


def _each_once(texts: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text is not None))
