"""When a partition is due: the moment by which it must have arrived, counted from the last day of its span in days and by a calendar."""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from contract_core.contract.delivery_terms import Due, PartitionTerms
from contract_core.contract.model import Contract
from contract_core.contract.partition import window

_DAY, _INSTANT = timedelta(days=1), timedelta(microseconds=1)
_SATURDAY = 6


def deadline(contract: Contract, partition: str | None) -> datetime | None:
    """The moment by which a partition must have arrived, in UTC; None where none is promised."""
    terms, due = contract.delivery.partition, contract.delivery.due
    return due_at(terms, due, partition) if terms and due and partition is not None else None


def due_at(terms: PartitionTerms, due: Due, key: str) -> datetime | None:
    """The moment by which the partition of a canonical key must have arrived, in UTC; what arrives at that moment is in time.

    It is `by` on the clocks of the zone of `due`, on the first working day that is at least `days_after` days after the last
    day of the partition (in the partition's own zone), and on which the partition has ended by then. None where partitions are
    no spans of time, where none of that day is expected, or where that moment lies after the last day of the calendar.
    """
    if terms.every is None:
        return None
    try:
        begin, end = window(terms, key)
        if not due.expects(begin.date()):
            return None
        day = (end - _INSTANT).date() + due.days_after * _DAY
        while not _is_working(day, due) or _latest(day, due.by, due.timezone) < end:
            day += _DAY
        return _latest(day, due.by, due.timezone)
    except OverflowError:
        return None


def is_day_off(due: Due, moment: datetime) -> bool:
    """True while a day on which nothing falls due lasts, on the clocks of the zone of `due`."""
    return not _is_working(moment.astimezone(ZoneInfo(due.timezone)).date(), due)


def _is_working(day: date, due: Due) -> bool:
    return day not in due.holidays and (due.calendar == "all" or day.isoweekday() < _SATURDAY)


@lru_cache(maxsize=8192)  # the days of some years: many partitions and many contracts fall due at the same times
def _latest(day: date, by: time, timezone: str) -> datetime:
    """The moment at which a zone's clocks show a time of a day, in UTC.

    A time that the clocks show twice means the second one. One that they skip is read as if they had not been put forward
    yet, and so comes just as much later as was skipped.
    """
    readings = (datetime.combine(day, by.replace(fold=fold), ZoneInfo(timezone)) for fold in (0, 1))
    return max(reading.astimezone(UTC) for reading in readings)
