"""The contracts of the simulated year, as the product reads them and as plain facts that the model works with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from tests.operations.year_calendar import DAY, HOLIDAYS, days, is_off, moment, working_day

REGIONS = ("NL11", "NL12", "NL13")
SEVERITIES = {  # in the order of the contract
    "product.enum": "error",
    "count.type": "error",
    "count.range": "error",
    "key": "error",
    "row_count": "error",
    "partition": "error",
    "coverage.missing": "error",
    "coverage.unexpected": "error",
    "deadline": "warn",
    "freshness": "warn",
}
FIELDS: Mapping[str, str | None] = {
    "count.type": "count",
    "count.range": "count",
    "product.enum": "product",
    "partition": "day",
    "coverage.missing": "region",
    "coverage.unexpected": "region",
    "freshness": "day",
}
_TEXT = """\
contract: {name}
version: "1.0.0"
status: active
grain: One row per region, product and day.
owners:
  producer: {{name: shops, contact: "team:shops"}}
  consumers: [{{name: buyers, contact: "team:buyers", relies_on: [count]}}]
key: [region, product, day]
fields:
  - {{name: region, type: string, pattern: "NL[0-9]{{2}}"}}
  - {{name: product, type: string, enum: [a, b, c, d]}}
  - {{name: day, type: date}}
  - {{name: count, type: int64, min: 0}}
  - {{name: cumulative, type: int64, min: 0}}
freshness: {{column: day, max_age: {hours}h, severity: warn}}
delivery:
  corrections: true
  partition: {{every: day, column: day, timezone: Europe/Amsterdam, start: {first}}}
  parts: {{from: column, column: region, required: [NL11, NL12, NL13]}}
  due: {{{due}, timezone: Europe/Amsterdam}}
enforcement: {enforcement}
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """One contract: its text, the days that it is about, and what the model needs to know of it.

    `apart` is how many rows may be kept apart; None where a broken row refuses all of them.
    """

    name: str
    first: date
    last: date
    text: str
    max_age: timedelta
    due: Callable[[date], datetime]
    apart: int | None
    days_off: frozenset[date] = frozenset()


def _by_nine(day: date) -> datetime:
    return moment(working_day(day + DAY), time(9))


def _by_half_past_two(day: date) -> datetime:
    return moment(day + DAY, time(2, 30))


def _nights(name: str, first: date, last: date) -> Terms:
    enforcement = "{on_breach: quarantine, quarantine: {max_rows: 3}}"
    text = _TEXT.format(name=name, hours=54, first=first, due='by: "02:30"', enforcement=enforcement)
    return Terms(name, first, last, text, timedelta(hours=54), _by_half_past_two, 3)


def _sales(first: date, last: date) -> Terms:
    holidays = ", ".join(day.isoformat() for day in sorted(HOLIDAYS))
    due = f'by: "09:00", days_after: 1, calendar: weekdays, holidays: [{holidays}]'
    text = _TEXT.format(name="sales", hours=156, first=first, due=due, enforcement="{on_breach: fail}")
    return Terms(
        "sales", first, last, text, timedelta(hours=156), _by_nine, None, frozenset(filter(is_off, days(first, last)))
    )


SALES = _sales(date(2026, 1, 1), date(2026, 12, 31))
SPRING = _nights("nights_of_spring", date(2026, 3, 10), date(2026, 4, 12))
AUTUMN = _nights("nights_of_autumn", date(2026, 10, 8), date(2026, 11, 9))
