"""Partition keys: which are canonical, and which span of time each covers."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import NoReturn
from urllib.parse import quote
from zoneinfo import ZoneInfo

from contract_core.contract.delivery_terms import PartitionTerms
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.errors import Problem, WrongUsageError

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # the folder of rows without a value, in every table that has folders
_FOLDER = 255
_LONGEST = timedelta(days=32)
_HOUR_FORMAT = "%Y-%m-%d-%H:%M"
_EXAMPLES = {"hour": "2026-10-01-13:00", "day": "2026-10-01", "week": "2026-09-27", "month": "2026-10-01"}


def check_key(contract: Contract, key: str | None) -> str | None:
    """The canonical partition key; raises WrongUsageError for one that this contract cannot have."""
    terms = contract.delivery.partition
    if terms is None:
        if key is not None:
            _refuse(contract, "the contract has no partitions", "leave --partition out, or declare delivery.partition")
        return None
    if key is None:
        _refuse(
            contract, "the contract is partitioned, and no partition was named", f"name one, such as {_example(terms)}"
        )
    if terms.every is None:
        return _value_key(contract, key)
    start = _start_of(contract, terms, key)
    if terms.start is not None and start.date() < terms.start:
        _refuse(
            contract,
            f"the partition lies before the first one, {terms.start}",
            "name a later one, or move delivery.partition.start",
        )
    try:
        window(terms, key)
    except (OverflowError, ValueError):
        _refuse(contract, "the partition ends after the last day of the calendar, 9999-12-31", "name an earlier one")
    return key


def name_of(contract: str, partition: str | None) -> str:
    """How messages name a partition of a contract's table, or the table where it has none."""
    return contract if partition is None else f"{contract}/{partition}"


def window(terms: PartitionTerms, key: str) -> tuple[datetime, datetime]:
    """The half-open span of time that a canonical key covers, aware, in the partition's own time zone."""
    zone = ZoneInfo(terms.timezone)
    if terms.every == "hour":
        naive = datetime.strptime(key, _HOUR_FORMAT)  # noqa: DTZ007 - the zone follows
        start = naive.replace(tzinfo=zone)
        return start, (start.astimezone(ZoneInfo("UTC")) + timedelta(hours=1)).astimezone(zone)
    first = date.fromisoformat(key)
    last = _next(first, terms.every or "day")
    return tuple(datetime(day.year, day.month, day.day, tzinfo=zone) for day in (first, last))  # type: ignore[return-value]  # two


def begins_at(contract: Contract, partition: str | None) -> datetime | None:
    """When the span of a partition begins; None where it is no span, or a key of an earlier version, when partitions were others."""
    terms = contract.delivery.partition
    if terms is None or terms.every is None or partition is None:
        return None
    with suppress(ValueError, OverflowError):
        return window(terms, partition)[0]
    return None


def begun(terms: PartitionTerms, moment: datetime) -> Iterator[str]:
    """Every key whose span has begun at `moment`, the newest first, back to `start`; none where partitions are no spans."""
    if terms.every is None or terms.start is None:
        return
    local = moment.astimezone(ZoneInfo(terms.timezone))
    with suppress(OverflowError):  # before the first day of the calendar
        yield from (
            _hours(local, terms.start) if terms.every == "hour" else _spans(local.date(), terms.every, terms.start)
        )


def _hours(moment: datetime, start: date) -> Iterator[str]:
    hour = moment.replace(minute=0)
    while hour.date() >= start:
        yield hour.strftime(_HOUR_FORMAT)
        hour -= timedelta(hours=1)


def _spans(day: date, every: str, start: date) -> Iterator[str]:
    first = _first_of_span(day, every)
    while first >= start:
        yield first.isoformat()
        first = _first_of_span(first - timedelta(days=1), every)


def _first_of_span(day: date, every: str) -> date:
    """The first day of the span that `day` lies in; a week begins on a Sunday."""
    if every == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.isoweekday() % 7 if every == "week" else 0)


def _next(day: date, every: str) -> date:
    if every == "month":
        return date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return day + timedelta(days=7 if every == "week" else 1)


def _start_of(contract: Contract, terms: PartitionTerms, key: str) -> datetime:
    every = terms.every or "day"
    try:
        start = datetime.strptime(key, _HOUR_FORMAT if every == "hour" else "%Y-%m-%d")  # noqa: DTZ007 - a name, no moment
    except ValueError:
        _refuse(contract, f"the partition is no {every}", f"write it as {_example(terms)}")
    canonical = start.strftime(_HOUR_FORMAT if every == "hour" else "%Y-%m-%d")
    starts_span = {"hour": start.minute == 0, "day": True, "week": start.weekday() == 6, "month": start.day == 1}[every]
    if canonical != key or not starts_span:
        what = f"the partition does not name the start of {'an' if every == 'hour' else 'a'} {every}"
        _refuse(contract, what, f"write it as {_example(terms)}")
    return start


def _value_key(contract: Contract, key: str) -> str:
    if not key or key in (".", "..") or key != key.strip() or len(key) > 200:
        _refuse(
            contract, "the partition is empty, too long or has outer blanks", "name one value of the partition column"
        )
    if any(ord(character) < 32 or character in "/\\\x7f" or "\ud800" <= character <= "\udfff" for character in key):
        _refuse(
            contract,
            "the partition holds a slash or a control character",
            "partitions become folders: use other characters",
        )
    terms = contract.delivery.partition
    folder = f"{quote(terms.column if terms is not None else '', safe='')}={quote(key, safe='')}"
    if key == _NO_VALUE or len(folder) > _FOLDER:
        _refuse(contract, "the partition cannot be the name of a folder of its table", "name a shorter or another one")
    family = contract.field(terms.column).type.family if terms is not None else Family.STRING
    if family in _CANONICAL and not _CANONICAL[family](key):
        _refuse(contract, f"the partition is no {family} as the gate writes it", f"write it as {_VALUES[family]}")
    return key


def _is_whole_number(key: str) -> bool:
    return re.fullmatch(r"0|-?[1-9][0-9]{0,19}", key) is not None and -(2**63) <= int(key) < 2**64


def _is_day(key: str) -> bool:
    try:
        return date.fromisoformat(key).isoformat() == key
    except ValueError:
        return False


_CANONICAL: dict[Family, Callable[[str], bool]] = {Family.INTEGER: _is_whole_number, Family.DATE: _is_day}
_VALUES = {Family.INTEGER: "7 or -7, without leading zeros and within 64 bits", Family.DATE: "2026-10-01"}


def _example(terms: PartitionTerms) -> str:
    """The first partition of the contract, as its key is written."""
    if terms.every is None:
        return f"a value of '{terms.column}'"
    first = first_key(terms) or _EXAMPLES[terms.every]
    return f"{first} (a Sunday)" if terms.every == "week" else first


def first_key(terms: PartitionTerms) -> str | None:
    """The key of the first partition of all; None where partitions are no spans of time, or nothing says where they begin."""
    if terms.every is None or terms.start is None:
        return None
    with suppress(OverflowError):
        begin = datetime.combine(terms.start, time(), ZoneInfo(terms.timezone))
        return list(begun(terms, begin + _LONGEST))[-1]
    return None


def _refuse(contract: Contract, what: str, hint: str) -> NoReturn:
    raise WrongUsageError(Problem(f"contract '{contract.name}' {contract.version}", what, hint))
