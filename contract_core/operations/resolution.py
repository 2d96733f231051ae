"""How long it takes until what a delivery broke is kept again: one breach is a rule in a partition, from when until when."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from contract_core.contract.elapsed import elapsed
from contract_core.operations.spread import Spread, spread_of
from contract_core.publication.entry import Event, LedgerEntry, by_partition
from contract_core.publication.history import makes_visible


@dataclass(frozen=True, slots=True)
class HeldBack:
    """One breach: a partition was held back by a finding, from the first decision that says so; open while `resolved_at` is None."""

    partition: str | None
    rule: str
    opened_at: datetime
    resolved_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """How many breaches are open, and how long those that are not were."""

    open: int
    seconds: Spread

    @property
    def resolved(self) -> int:
        """How many are kept again."""
        return self.seconds.count


def held_back(entries: Iterable[LedgerEntry]) -> tuple[HeldBack, ...]:
    """Every breach that the ledger's entries about one contract know, those of a partition together.

    The first publication of the partition that the finding does not hold back ends it, and so does a decision that lets through
    again what is published already. One that is published with the rows of that finding kept apart does not.
    """
    return tuple(breach for own in by_partition(entries).values() for breach in _of_partition(own))


def _of_partition(entries: Iterable[LedgerEntry]) -> Iterator[HeldBack]:
    unresolved: dict[str, HeldBack] = {}
    shown: str | None = None
    for entry in entries:
        if entry.event is Event.DECIDED:
            for rule in entry.held_back:
                unresolved.setdefault(rule, HeldBack(entry.partition, rule, entry.at))
        if makes_visible(entry, shown):
            shown = entry.submission
            for rule in [rule for rule in unresolved if rule not in entry.held_back]:
                breach = unresolved.pop(rule)
                yield HeldBack(breach.partition, rule, breach.opened_at, entry.at)
    yield from unresolved.values()


def resolution_of(breaches: Iterable[HeldBack]) -> Resolution:
    """How these breaches stand."""
    known = tuple(breaches)
    ended = [elapsed(breach.opened_at, breach.resolved_at).total_seconds() for breach in known if breach.resolved_at]
    return Resolution(len(known) - len(ended), spread_of(ended))


def resolution_by_rule(breaches: Iterable[HeldBack]) -> Mapping[str, Resolution]:
    """The same by the id of the finding, in the order of the ids."""
    by_rule: dict[str, list[HeldBack]] = defaultdict(list)
    for breach in breaches:
        by_rule[breach.rule].append(breach)
    return {rule: resolution_of(own) for rule, own in sorted(by_rule.items())}
