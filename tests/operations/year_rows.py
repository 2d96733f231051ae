"""The rows of the simulated year, right and wrong: with the rhythm of the week, and a total that only grows."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache

from tests.operations.year_calendar import days
from tests.operations.year_terms import REGIONS

Row = tuple[str, str, str, object, int]
HEADER = "region,product,day,count,cumulative\n"
_KEY = ("region", "product", "day")
_FIRST = date(2026, 1, 1)
_OFFERED = {6: "abcd", 7: "ab"}
_RHYTHM = {5: 30, 6: 55, 7: 12}


@dataclass(frozen=True, slots=True)
class Offered:
    """The rows of one delivery: what stands in it, what it breaks by itself and how often, and the rows that break nothing.

    `apart` is the number of rows that could be kept apart; None where it is not rows that are wrong.
    """

    rows: tuple[Row, ...]
    good: tuple[Row, ...]
    broken: dict[str, int] = field(default_factory=dict)
    apart: int | None = 0

    @property
    def text(self) -> str:
        return HEADER + "".join(",".join(map(str, row)) + "\n" for row in self.rows)


@cache
def truth(day: date) -> tuple[Row, ...]:
    """What was really sold on a day."""
    return tuple(
        (region, product, day.isoformat(), _sold(day, region, product), _total(day, region, product))
        for region in REGIONS
        for product in _OFFERED.get(day.isoweekday(), "abc")
    )


def _sold(day: date, region: str, product: str) -> int:
    return _RHYTHM.get(day.isoweekday(), 20) + 3 * REGIONS.index(region) + "abcd".index(product) + day.toordinal() % 4


@cache
def _total(day: date, region: str, product: str) -> int:
    before = _total(day - timedelta(days=1), region, product) if day > _FIRST else 0
    is_sold = product in _OFFERED.get(day.isoweekday(), "abc")
    return before + (_sold(day, region, product) if is_sold else 0)


def _warm() -> None:
    """Totals are sums of all days before: asked for in order, none is far from one that is known."""
    for day in days(_FIRST, date(2026, 12, 31)):
        truth(day)


_warm()


def whole(day: date) -> Offered:
    return Offered(truth(day), truth(day))


def provisional(day: date, lacking: int) -> Offered:
    """What was known first: `lacking` pieces less in two rows, one row that comes later, and one that will go."""
    rows = list(truth(day))
    for place in (0, 3):
        region, product, shown, count, total = rows[place]
        rows[place] = (region, product, shown, int(str(count)) - lacking, total - lacking)
    gone = rows.pop(1)
    extra = (gone[0], "d", gone[2], 1, _total(day, gone[0], "d") + 1)
    rows = rows if any(row[:2] == extra[:2] for row in rows) else [*rows, extra]
    return Offered(tuple(rows), tuple(rows))


def negative(day: date, number: int) -> Offered:
    rows = truth(day)
    wrong = tuple((*row[:3], -1, row[4]) for row in rows[:number])
    return Offered((*wrong, *rows[number:]), rows[number:], {"count.range": number}, number)


def unknown_product(day: date) -> Offered:
    first, *others = truth(day)
    return Offered(((first[0], "z", *first[2:]), *others), tuple(others), {"product.enum": 1}, 1)


def repeated(day: date) -> Offered:
    first, *others = truth(day)
    return Offered((first, *others, (*first[:3], 1, first[4])), tuple(others), {"key": 1}, 2)


def negative_and_repeated(day: date) -> Offered:
    first, second, *others = truth(day)
    rows = ((*first[:3], -1, first[4]), second, *others, (*second[:3], 1, second[4]))
    return Offered(rows, tuple(others), {"count.range": 1, "key": 1}, 3)


def without_a_region(day: date) -> Offered:
    rows = tuple(row for row in truth(day) if row[0] != REGIONS[1])
    return Offered(rows, rows, {"coverage.missing": 1}, None)


def with_another_region(day: date) -> Offered:
    rows = (*truth(day), ("NL99", "a", day.isoformat(), 1, 1))
    return Offered(rows, rows[:-1], {"coverage.unexpected": 1}, None)


def with_another_day(day: date) -> Offered:
    first, *others = truth(day)
    before = (day - timedelta(days=1)).isoformat()
    return Offered((first, *others, (*first[:2], before, *first[3:])), (first, *others), {"partition": 1}, None)


def with_a_word(day: date) -> Offered:
    first, *others = truth(day)
    return Offered(((*first[:3], "seven", first[4]), *others), tuple(others), {"count.type": 1}, 1)


def empty(_: date) -> Offered:
    return Offered((), (), {"row_count": 1, "coverage.missing": 3}, None)


def difference(before: tuple[Row, ...], after: tuple[Row, ...]) -> dict[str, int]:
    """How rows that take the place of others differ from them, as a correction is counted: keys, fields, and parts of keys."""
    old, new = ({row[:3]: row[3:] for row in rows} for rows in (before, after))
    changed = [key for key in old.keys() & new.keys() if old[key] != new[key]]
    told = {
        "rows_before": len(before),
        "rows_after": len(after),
        "keys_added": len(new.keys() - old.keys()),
        "keys_removed": len(old.keys() - new.keys()),
        "keys_restated": len(changed),
    }
    fields = {
        f"field:{name}": sum(old[key][place] != new[key][place] for key in changed)
        for place, name in enumerate(("count", "cumulative"))
    }
    touched = {f"touched:{name}": len({key[place] for key in changed}) for place, name in enumerate(_KEY)}
    return told | {name: count for name, count in (fields | touched).items() if count}
