"""The calendar of a simulated year in the Netherlands, worked out without the product and without a time zone database."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

DAY = timedelta(days=1)
EVENING = time(18, 0)
HOLIDAYS = frozenset(
    date(2026, month, day)
    for month, day in [(1, 1), (4, 3), (4, 6), (4, 27), (5, 5), (5, 14), (5, 25), (12, 25), (12, 26)]
)
_SUMMER = datetime(2026, 3, 29, 3), datetime(2026, 10, 25, 2)


def moment(day: date, clock: time) -> datetime:
    """What the clocks of 2026 show, in UTC: the skipped hour is read as winter time, and so is the one that comes twice."""
    shown = datetime.combine(day, clock)
    ahead = 2 if _SUMMER[0] <= shown < _SUMMER[1] else 1
    return shown.replace(tzinfo=UTC) - timedelta(hours=ahead)


def midnight(day: date) -> datetime:
    """When a day begins."""
    return moment(day, time(0))


def day_of(at: datetime) -> date:
    """The day on which a moment lies."""
    following = at.date() + DAY
    return following if midnight(following) <= at else at.date()


def evening(day: date) -> datetime:
    """When the people who look after the deliveries look at them."""
    return moment(day, EVENING)


def is_off(day: date) -> bool:
    """True for a weekend and a holiday."""
    return day.isoweekday() > 5 or day in HOLIDAYS


def working_day(day: date, after: int = 0) -> date:
    """The working day that is `day` or follows it, or the one that comes `after` as many more."""
    while is_off(day):
        day += DAY
    return day if after == 0 else working_day(day + DAY, after - 1)


def days(first: date, last: date) -> Iterator[date]:
    """Every day from one to another, both included."""
    while first <= last:
        yield first
        first += DAY
