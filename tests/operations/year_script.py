"""What a producer does in a simulated year, drawn with a fixed seed: what is offered when, and where a run is cut off."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import Enum
from random import Random

from tests.operations import year_rows as rows
from tests.operations.year_calendar import DAY, days, evening, is_off, midnight, moment, working_day
from tests.operations.year_rows import Offered, Row, whole
from tests.operations.year_terms import SALES, Terms

_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)
_APART = 7 * _MINUTE


class End(Enum):
    """How a run ends: it goes through, is killed after one of its steps, or the table does not take the rows."""

    DONE = "done"
    KILLED_WHEN_TAKEN = "killed when taken"
    KILLED_WHEN_DECIDED = "killed when decided"
    KILLED_WHEN_COMMITTED = "killed when committed"
    NOT_WRITTEN = "not written"


@dataclass(frozen=True, slots=True)
class Offer:
    """One run: which delivery is offered when, how long it takes until the rows are published, and how it ends."""

    at: datetime
    day: date
    offered: Offered
    end: End = End.DONE
    takes: timedelta = _MINUTE

    @property
    def submission(self) -> tuple[date, tuple[Row, ...]]:
        """The same bytes for the same partition are one submission, whenever they come."""
        return self.day, self.offered.rows


@dataclass(frozen=True, slots=True)
class Case:
    """One partition: when its delivery is usually there, by when it must be, and what is drawn by lot."""

    day: date
    ready: datetime
    due: datetime
    lot: Random

    def later(self, working_days: int) -> datetime:
        """In the morning, after the usual deliveries, so many working days after the usual one."""
        return moment(working_day(self.ready.date(), working_days), time(10, self.lot.randrange(60)))

    def offer(self, at: datetime, offered: Offered, end: End = End.DONE) -> Offer:
        return Offer(at, self.day, offered, end, timedelta(seconds=self.lot.randint(2, 290)))


Story = Callable[[Case], list[Offer]]


def good(case: Case) -> list[Offer]:
    return [case.offer(case.ready, whole(case.day))]


def late(case: Case) -> list[Offer]:
    return [case.offer(case.due + case.lot.randint(1, 240) * _MINUTE, whole(case.day))]


def missing_part(case: Case) -> list[Offer]:
    again = case.lot.choice([case.ready + 20 * _MINUTE, case.due + 2 * _HOUR, case.later(1)])
    return [case.offer(case.ready, rows.without_a_region(case.day)), case.offer(again, whole(case.day))]


def wrong(case: Case) -> list[Offer]:
    flaws = [
        rows.negative(case.day, case.lot.randint(1, 2)),
        rows.unknown_product(case.day),
        rows.repeated(case.day),
        rows.with_another_region(case.day),
        rows.with_another_day(case.day),
        rows.with_a_word(case.day),
        rows.empty(case.day),
    ]
    again = case.lot.choice([case.ready + 20 * _MINUTE, case.due + _HOUR, case.later(1), case.later(3)])
    return [case.offer(case.ready, case.lot.choice(flaws)), case.offer(again, whole(case.day))]


def wrong_twice(case: Case) -> list[Offer]:
    return [
        case.offer(case.ready, rows.negative_and_repeated(case.day)),
        case.offer(case.ready + 90 * _MINUTE, rows.repeated(case.day)),
        case.offer(case.later(case.lot.randint(1, 2)), whole(case.day)),
    ]


def corrected(case: Case) -> list[Offer]:
    first = rows.provisional(case.day, case.lot.randint(1, 5))
    return [case.offer(case.ready, first), case.offer(case.later(case.lot.randint(1, 9)), whole(case.day))]


def corrected_at_the_second_try(case: Case) -> list[Offer]:
    return [
        case.offer(case.ready, rows.provisional(case.day, 2)),
        case.offer(case.later(2), rows.negative(case.day, 2)),
        case.offer(case.later(3), whole(case.day)),
    ]


def offered_twice(case: Case) -> list[Offer]:
    again = case.lot.choice([case.ready + 40 * _MINUTE, case.later(1)])
    return [case.offer(case.ready, whole(case.day)), case.offer(again, whole(case.day))]


def an_old_one_again(case: Case) -> list[Offer]:
    first = rows.provisional(case.day, 3)
    return [
        case.offer(case.ready, first),
        case.offer(case.later(2), whole(case.day)),
        case.offer(case.later(3), first),
    ]


def a_refused_one_again(case: Case) -> list[Offer]:
    wrong_rows = rows.negative_and_repeated(case.day)
    return [
        case.offer(case.ready, wrong_rows),
        case.offer(case.ready + _HOUR, whole(case.day)),
        case.offer(case.later(1), wrong_rows),
        case.offer(case.later(2), whole(case.day)),
    ]


def killed(case: Case) -> list[Offer]:
    end = case.lot.choice([End.KILLED_WHEN_TAKEN, End.KILLED_WHEN_DECIDED, End.KILLED_WHEN_COMMITTED])
    again = case.lot.choice([case.ready + 30 * _MINUTE, case.due + _HOUR, case.later(1)])
    return [case.offer(case.ready, whole(case.day), end), case.offer(again, whole(case.day))]


def killed_and_corrected(case: Case) -> list[Offer]:
    first = rows.provisional(case.day, 4)
    return [
        case.offer(case.ready, first, End.KILLED_WHEN_COMMITTED),
        case.offer(case.later(1), whole(case.day)),
    ]


def not_written(case: Case) -> list[Offer]:
    again = case.lot.choice([case.ready + 30 * _MINUTE, case.later(1)])
    return [case.offer(case.ready, whole(case.day), End.NOT_WRITTEN), case.offer(again, whole(case.day))]


def overtaken(case: Case) -> list[Offer]:
    """A run is killed, a newer delivery is published, and then the old run is tried again; the newer one is said once more."""
    first = rows.provisional(case.day, 2)
    return [
        case.offer(case.ready, first, End.KILLED_WHEN_DECIDED),
        case.offer(case.ready + 30 * _MINUTE, whole(case.day)),
        case.offer(case.later(1), first),
        case.offer(case.later(2), whole(case.day)),
    ]


def kept_apart(case: Case) -> list[Offer]:
    flaws = [rows.negative(case.day, 1), rows.negative(case.day, 2), rows.repeated(case.day)]
    return [case.offer(case.ready, case.lot.choice(flaws))]


def kept_apart_and_corrected(case: Case) -> list[Offer]:
    flaws = [rows.negative(case.day, 2), rows.unknown_product(case.day), rows.with_a_word(case.day)]
    return [
        case.offer(case.ready, case.lot.choice(flaws)),
        case.offer(case.later(case.lot.randint(1, 3)), whole(case.day)),
    ]


def too_many_wrong(case: Case) -> list[Offer]:
    return [case.offer(case.ready, rows.negative(case.day, 4)), case.offer(case.later(1), whole(case.day))]


def refused_for_good(case: Case) -> list[Offer]:
    return [case.offer(case.ready, rows.with_another_region(case.day))]


def with_a_row_of_another_day(case: Case) -> list[Offer]:
    return [case.offer(case.ready, rows.with_another_day(case.day)), case.offer(case.later(1), whole(case.day))]


def with_an_unknown_product(case: Case) -> list[Offer]:
    return [case.offer(case.ready, rows.unknown_product(case.day)), case.offer(case.later(1), whole(case.day))]


def never(_: Case) -> list[Offer]:
    return []


_RARE: tuple[Story, ...] = (
    late,
    missing_part,
    wrong,
    wrong_twice,
    corrected,
    corrected_at_the_second_try,
    offered_twice,
    an_old_one_again,
    a_refused_one_again,
    killed,
    killed_and_corrected,
    not_written,
    overtaken,
)
_RARE_AT_NIGHT: tuple[Story, ...] = (kept_apart, kept_apart_and_corrected, too_many_wrong, missing_part, late, killed)
_DISTURBED = 0.28
_OUTAGES = (
    (date(2026, 3, 2), date(2026, 3, 6)),  # a week long, and stale before it ends
    (date(2026, 3, 26), date(2026, 3, 27)),  # over the night in which clocks are put forward
    (date(2026, 7, 14), date(2026, 7, 14)),
    (date(2026, 10, 22), date(2026, 10, 27)),  # over the night in which they are put back
)
_SETTLED: dict[date, Story] = {
    date(2026, 2, 11): never,
    date(2026, 5, 12): with_a_row_of_another_day,
    date(2026, 6, 17): refused_for_good,
    date(2026, 7, 8): with_an_unknown_product,
    date(2026, 8, 19): killed_and_corrected,
    date(2026, 9, 2): overtaken,
    date(2026, 9, 9): a_refused_one_again,
    date(2026, 12, 29): corrected,  # after the end of the year
}


def sales_script(seed: int) -> tuple[Offer, ...]:
    """The year of a producer that works on working days: what was due while it was out is caught up with, the newest first."""
    lot = Random(seed)
    made: list[Offer] = []
    for arrival in days(SALES.first, SALES.last):
        if not is_off(arrival) and not _is_out(arrival):
            for place, day in enumerate(_outstanding(arrival)):
                ready = moment(arrival, time(6, 30)) + place * 12 * _MINUTE + lot.randint(0, 4) * _MINUTE
                case = Case(day, ready, SALES.due(day), lot)
                made += _SETTLED.get(day, _drawn(lot, _RARE, is_calm=ready > case.due))(case)
    return _spaced(made, SALES)


def nights_script(terms: Terms, seed: int) -> tuple[Offer, ...]:
    """Some weeks of a producer that works every night; where the clocks change it comes in the last second, and one later."""
    lot = Random(seed)
    made: list[Offer] = []
    for day in days(terms.first, terms.last):
        case = Case(day, midnight(day + DAY) + lot.randint(10, 100) * _MINUTE, terms.due(day), lot)
        if day + DAY == date(2026, 3, 29):
            made.append(case.offer(case.due, whole(day)))
        elif day + DAY == date(2026, 10, 25):
            made.append(case.offer(case.due + timedelta(seconds=1), whole(day)))
        else:
            made += _drawn(lot, _RARE_AT_NIGHT, is_calm=False)(case)
    return _spaced(made, terms)


def _is_out(day: date) -> bool:
    return any(first <= day <= last for first, last in _OUTAGES)


def _outstanding(arrival: date) -> Iterator[date]:
    """The days that are delivered on a working day: all since the last one on which something was."""
    last = arrival - DAY
    while is_off(last) or _is_out(last):
        last -= DAY
    span = list(days(max(last, SALES.first), arrival - DAY))
    yield from reversed(span) if _is_out(working_day(last + DAY)) else span


def _drawn(lot: Random, rare: tuple[Story, ...], *, is_calm: bool) -> Story:
    """Mostly nothing happens; and nothing more does while an outage is caught up with."""
    return lot.choice(rare) if lot.random() < _DISTURBED and not is_calm else good


def _spaced(made: list[Offer], terms: Terms) -> tuple[Offer, ...]:
    """In the order of time, no two at once, and none after the evening of the last day."""
    found: list[Offer] = []
    for offer in sorted(made, key=lambda item: (item.at, item.day)):
        earliest = found[-1].at + _APART if found else offer.at
        found.append(replace(offer, at=max(offer.at, earliest)))
    return tuple(offer for offer in found if offer.at + _APART < evening(terms.last))
