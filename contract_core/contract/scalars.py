"""The small values that contracts are written with: text, durations, shares, dates. Each says what to write instead."""

import re
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal
from functools import cache
from typing import Annotated, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, Strict, WithJsonSchema
from pydantic_core import PydanticCustomError

Scalar = str | int | bool | Decimal | date | datetime | time

_EXACT = Context(prec=1000)
"""One spelling for a share, without losing a digit: 5.0% is 5%."""
_DURATION = r"[0-9]{1,6} ?[mhdw]|[0-9]{1,12} ?s"
"""Seconds have more digits, since that is how a contract writes them into its own JSON."""
_SMALLEST_FACTOR, _LARGEST_FACTOR = 0.01, 1000
DURATION_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Term(BaseModel):
    """A part of a contract: frozen, and closed to keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, protected_namespaces=())


def refuse(what: str, hint: str = "") -> NoReturn:
    """Refuse a value, saying what is wrong and what to write instead."""
    raise PydanticCustomError("contract", "{what}", {"what": what, "hint": hint})


def _duration(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    match = re.fullmatch(_DURATION, value) if isinstance(value, str) else None
    if match is None:
        refuse("is no duration", "write a whole number and a unit: 90s, 15m, 6h, 2d or 1w")
    number, unit = match[0][:-1], match[0][-1]
    return timedelta(**{DURATION_UNITS[unit]: int(number)})


def _share(value: object) -> Decimal:
    if isinstance(value, Decimal) and not isinstance(value, bool):
        share = value
    elif isinstance(value, str) and (match := re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]+)?)\s*%", value)):
        share = Decimal(match[1]) / 100
    else:
        refuse("is no share", 'write a percentage such as "25%"')
    if not 0 <= share <= 1:
        refuse("is outside 0% to 100%", 'write a percentage such as "25%"')
    return share.normalize(_EXACT)


def _change(value: object) -> Decimal:
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]+)?)\s*%", value) if isinstance(value, str) else None
    if match is None:
        refuse("is no relative change", 'write a percentage such as "50%"')
    return (Decimal(match[1]) / 100).normalize(_EXACT)


def _factor(value: object) -> int | float:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    number = float(value) if is_number and 0 < value <= _LARGEST_FACTOR else 0.0  # type: ignore[operator,arg-type]  # a number
    if not _SMALLEST_FACTOR <= number <= _LARGEST_FACTOR:
        refuse("is no factor", f"write a number from {_SMALLEST_FACTOR} to {_LARGEST_FACTOR:,}, such as 6 or 3.5")
    return int(number) if number.is_integer() else number


def _clock(value: object) -> time:
    if isinstance(value, time):
        return value
    match = re.fullmatch(r"([01][0-9]|2[0-3]):([0-5][0-9])", value) if isinstance(value, str) else None
    if match is None:
        refuse("is no time of day", 'write hours and minutes in quotes: "09:00"')
    return time(int(match[1]), int(match[2]))


def _day(value: object) -> date:
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            refuse("is no calendar day", "write year, month and day: 2026-10-01")
    if type(value) is not date:
        refuse("is no calendar day", "write year, month and day: 2026-10-01")
    return value


def is_zone(name: str) -> bool:
    """True for a name that the IANA database knows."""
    return name == "UTC" or name in _zones()


@cache
def _zones() -> frozenset[str]:
    """Read once, since it takes milliseconds, and only where a zone is named."""
    from zoneinfo import available_timezones  # noqa: PLC0415 - reads the zone database, which most commands do not need

    return frozenset(available_timezones())


def _zone(value: object) -> str:
    if not isinstance(value, str) or not is_zone(value):
        refuse("is no time zone", "write an IANA name such as UTC or Europe/Amsterdam")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        refuse(f"is read by YAML as {yaml_word(value)}, text is needed", "write it in quotes")
    return value


def _named_text(value: object) -> str:
    text = _text(value)
    if not text.strip():
        refuse("is empty", "write at least one visible character")
    return text


def yaml_word(value: object) -> str:
    """How a person calls the kind of a YAML value."""
    words = {
        bool: "true/false",
        int: "a whole number",
        Decimal: "a decimal number",
        type(None): "nothing",
        date: "a date",
    }
    words |= {datetime: "a date and time", tuple: "a list", list: "a list", dict: "a mapping", str: "text"}
    return words.get(type(value), "something else")


def _as_seconds(value: timedelta) -> str:
    return f"{int(value.total_seconds())}s"


def _written(pattern: str) -> WithJsonSchema:
    """How an editor may check a value that is written as text."""
    return WithJsonSchema({"type": "string", "pattern": pattern}, mode="validation")


Text = Annotated[str, BeforeValidator(_text)]
NamedText = Annotated[str, BeforeValidator(_named_text)]
Whole = Annotated[int, Strict(), Field(le=10**15)]
YesNo = Annotated[bool, Strict()]
Duration = Annotated[
    timedelta,
    BeforeValidator(_duration),
    PlainSerializer(_as_seconds, return_type=str),
    _written(f"^({_DURATION})$"),
]
Share = Annotated[Decimal, BeforeValidator(_share), _written("^[0-9]+([.][0-9]+)? ?%$")]
Change = Annotated[Decimal, BeforeValidator(_change), _written("^[0-9]+([.][0-9]+)? ?%$")]
Factor = Annotated[
    int | float,  # a decimal is a share elsewhere, and written as one
    BeforeValidator(_factor),
    WithJsonSchema({"type": "number", "minimum": _SMALLEST_FACTOR, "maximum": _LARGEST_FACTOR}, mode="validation"),
]
Clock = Annotated[time, BeforeValidator(_clock), _written("^[0-2][0-9]:[0-5][0-9]$")]
Day = Annotated[date, BeforeValidator(_day), _written("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
ZoneName = Annotated[str, BeforeValidator(_zone)]
