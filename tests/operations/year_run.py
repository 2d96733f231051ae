"""Takes the offers of a simulated year through the product itself, and breaks runs off where the script says so."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from unittest.mock import patch

import polars as pl
from deltalake.exceptions import DeltaError

import contract_core as core
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.errors import OlderSubmissionError, PublicationError
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.publish import PublicationRecord, publish
from contract_core.publication.store import Store
from contract_core.publication.submit import Judged, publish_judged, store_of, take_and_decide
from tests.operations.year_calendar import days, evening
from tests.operations.year_script import End, Offer
from tests.operations.year_terms import Terms


@dataclass(frozen=True, slots=True)
class Seen:
    """What was there to be seen on an evening: the ledger's entries, and the rows as consumers get them."""

    entries: tuple[LedgerEntry, ...]
    rows: frozenset[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Ran:
    """An environment after its last offer, and what was seen in it on the first evening of each month and on the last one."""

    contract: core.Contract
    environment: core.Environment
    seen: dict[date, Seen]

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        return core.Ledger(self.environment.ledger).entries(self.contract.name)

    def until(self, moment: datetime) -> tuple[LedgerEntry, ...]:
        """The entries of a moment: nothing is ever put between them."""
        return tuple(entry for entry in self.seen[max(self.seen)].entries if entry.at <= moment)


class KilledError(BaseException):
    """The process is gone."""


class _Dying(core.Ledger):
    """A ledger before whose record of a publication the process is killed."""

    def append(self, entry: LedgerEntry) -> LedgerEntry:
        if entry.event is Event.PUBLISHED:
            raise KilledError
        return core.Ledger.append(self, entry)


def run(terms: Terms, script: tuple[Offer, ...], root: Path) -> Ran:
    """All offers of a script, in order."""
    ran = Ran(core.parse_contract(terms.text, f"{terms.name}.yaml"), core.Environment.at(root), {})
    ran.environment.landing.mkdir(parents=True)
    coming = list(script)
    for day in days(terms.first, terms.last):
        while coming and coming[0].at < evening(day):
            _offered(ran, coming.pop(0))
        if (day.day == 1 and day > terms.first) or day == terms.last:
            ran.seen[day] = Seen(ran.entries, frozenset(_rows(ran)))
    assert not coming, "every offer is made"
    return ran


def _rows(ran: Ran) -> Iterator[tuple[object, ...]]:
    shown = store_of(ran.environment).rows(ran.contract.name).collect()
    yield from shown.with_columns(pl.col("day").cast(pl.String)).iter_rows()


def _offered(ran: Ran, offer: Offer) -> None:
    contract, environment = ran.contract, ran.environment
    path = environment.landing / f"{offer.day}.csv"
    path.write_text(offer.offered.text)
    delivery = core.collect_delivery(contract, [path], offer.day.isoformat())
    if offer.end is End.KILLED_WHEN_TAKEN:
        take_candidate(contract, delivery, environment.candidates, received_at=offer.at)
        return
    judged = take_and_decide(contract, delivery, environment, offer.at, offer.at)
    if offer.end is not End.KILLED_WHEN_DECIDED:
        with _ending(offer.end):
            _publish(judged, environment, offer)


def _publish(judged: Judged, environment: core.Environment, offer: Offer) -> None:
    how = _killed_before_the_record if offer.end is End.KILLED_WHEN_COMMITTED else publish
    publish_judged(judged, environment, offer.at + offer.takes, how)


def _killed_before_the_record(
    contract: core.Contract, candidate: Candidate, ledger: core.Ledger, store: Store, at: datetime
) -> PublicationRecord:
    return publish(contract, candidate, _Dying(ledger.root), store, at)


@contextmanager
def _ending(end: End) -> Iterator[None]:
    """A run whose end is stated: what ends it does not end the year."""
    try:
        if end is End.NOT_WRITTEN:
            with patch("contract_core.publication.commits.write_deltalake", side_effect=DeltaError("no space left")):
                yield
        else:
            yield
    except KilledError:
        assert end is End.KILLED_WHEN_COMMITTED
    except OlderSubmissionError:
        assert end is End.DONE
    except PublicationError:
        assert end is End.NOT_WRITTEN
