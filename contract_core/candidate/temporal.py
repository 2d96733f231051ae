"""Text → dates, times, timestamps and durations: in the stated formats, tried in order, or else in ISO 8601.

A format is held against the whole text first, because Polars 2.1 skips blanks before numbers, cuts a fraction that is
finer than its unit, wraps around beyond the range of nanoseconds, takes second 60, and guesses where one number ends and
the next begins. Numbers may lack their leading zero only where something else stands on both sides of them.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime

import polars as pl
from polars._typing import TimeUnit

from contract_core.errors import NotYetSupportedError, Problem

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OFFSET = r"(?:[+-][0-9]{2}:?[0-9]{2}|Z)"
_NUMBERS: dict[str, str] = {
    "Y": r"[0-9]{4}",
    "y": r"[0-9]{2}",
    "m": r"(?:0[1-9]|1[0-2])",
    "d": r"(?:0[1-9]|[12][0-9]|3[01])",
    "j": r"(?:[0-2][0-9]{2}|3[0-6][0-9])",
    "H": r"(?:[01][0-9]|2[0-3])",
    "I": r"(?:0[1-9]|1[0-2])",
    "M": r"[0-5][0-9]",
    "S": r"[0-5][0-9]",
}
_FULL = _NUMBERS | {
    "b": f"(?i:{'|'.join(month[:3] for month in _MONTHS)})",
    "B": f"(?i:{'|'.join(_MONTHS)})",
    "a": f"(?i:{'|'.join(day[:3] for day in _DAYS)})",
    "A": f"(?i:{'|'.join(_DAYS)})",
    "p": r"[AaPp][Mm]",
    "z": _OFFSET,
    "%": "%",
}
_FREE = _FULL | {
    "m": r"(?:0?[1-9]|1[0-2])",
    "d": r"(?:0?[1-9]|[12][0-9]|3[01])",
    "j": r"(?:[0-2]?[0-9]{1,2}|3[0-6][0-9])",
    "H": r"(?:[01]?[0-9]|2[0-3])",
    "I": r"(?:0?[1-9]|1[0-2])",
    "M": r"[0-5]?[0-9]",
    "S": r"[0-5]?[0-9]",
}
_TOLD_ONCE = {
    "the year": "Yy",
    "the month": "mbBj",
    "the day": "dj",
    "the weekday": "aA",
    "the hour": "HI",
    "the minute": "M",
    "the second": "S",
    "the half of the day": "p",
    "the offset": "z",
}
_COMPOUND = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M"}
_FRACTION_DIGITS = {"ms": 3, "us": 6, "ns": 9}
_ISO_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_CALENDAR = (datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999))  # noqa: DTZ001 - bounds of the types
_NANOSECONDS = (datetime(1677, 9, 22), datetime(2262, 4, 11))  # noqa: DTZ001
_BOUNDS = {"ms": _CALENDAR, "us": _CALENDAR, "ns": _NANOSECONDS}
_DURATION = (
    r"^(-?)P(?:([0-9]{1,7})D)?(?:T(?:([0-9]{1,8})H)?(?:([0-9]{1,10})M)?(?:([0-9]{1,12})(?:\.([0-9]{1,6}))?S)?)?$"
)


def decoded_date(text: pl.Expr, formats: Sequence[str]) -> pl.Expr:
    """A calendar day of the years 1 to 9999; without formats YYYY-MM-DD."""
    if not formats:
        iso = pl.when(text.str.contains(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")).then(
            text.str.to_date("%Y-%m-%d", strict=False)
        )
        return _in_calendar(iso)
    parsers = [_guarded(text, stated, 0, _as_date) for stated in formats]
    return _in_calendar(pl.coalesce(parsers))


def decoded_time(text: pl.Expr, formats: Sequence[str]) -> pl.Expr:
    """A time of day with at most six digits of fraction; without formats HH:MM:SS."""
    if not formats:
        matches = text.str.contains(rf"^{_ISO_CLOCK}(?:\.[0-9]{{1,6}})?$")
        return pl.when(matches).then(text.str.to_time("%H:%M:%S%.f", strict=False))
    return pl.coalesce([_guarded(text, stated, 6, _as_time) for stated in formats])


def decoded_timestamp(text: pl.Expr, formats: Sequence[str], dtype: pl.Datetime) -> pl.Expr:
    """A point in time: an offset exactly where the type has a time zone, no fraction finer than the type's unit."""
    zone = "UTC" if dtype.time_zone else None
    micros = _moment(text, formats, dtype, "us")
    first, last = (pl.lit(bound, pl.Datetime("us")).dt.replace_time_zone(zone) for bound in _BOUNDS[dtype.time_unit])
    exact = micros if dtype.time_unit == "us" else _moment(text, formats, dtype, dtype.time_unit)
    value = pl.when(micros.is_between(first, last)).then(exact)
    return value.dt.convert_time_zone(dtype.time_zone) if dtype.time_zone else value


def decoded_duration(text: pl.Expr) -> pl.Expr:
    """ISO 8601 days, hours, minutes and seconds; years and months have no fixed length, weeks do not mix."""
    part = [text.str.extract(_DURATION, group).fill_null("0").cast(pl.Int64, strict=False) for group in range(2, 6)]
    fraction = text.str.extract(_DURATION, 6).fill_null("").str.pad_end(6, "0").cast(pl.Int64, strict=False)
    seconds = part[0] * 86_400 + part[1] * 3_600 + part[2] * 60 + part[3]
    micros = (seconds * 1_000_000 + fraction) * pl.when(text.str.starts_with("-")).then(-1).otherwise(1)
    is_whole = text.str.contains(_DURATION) & text.str.contains("[0-9][DHMS]$")
    return pl.when(is_whole).then(micros.cast(pl.Duration("us")))


def _moment(text: pl.Expr, formats: Sequence[str], dtype: pl.Datetime, unit: TimeUnit) -> pl.Expr:
    """The timestamp in UTC or without a zone, read in one unit and not yet held against the range of its type."""
    is_zoned = dtype.time_zone is not None
    digits = _FRACTION_DIGITS[dtype.time_unit]

    def parsed(moment: pl.Expr, pattern: str) -> pl.Expr:
        return moment.str.to_datetime(pattern, time_unit=unit, time_zone="UTC" if is_zoned else None, strict=False)

    if not formats:
        lexical = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{_ISO_CLOCK}(?:\.[0-9]{{1,{digits}}})?{_OFFSET if is_zoned else ''}$"
        joined = text.str.replace(" ", "T", literal=True)
        return pl.when(text.str.contains(lexical)).then(
            parsed(joined, f"%Y-%m-%dT%H:%M:%S%.f{'%#z' if is_zoned else ''}")
        )
    usable = [stated for stated in formats if ("%z" in stated) is is_zoned]
    none = pl.lit(None, pl.Datetime(unit, "UTC" if is_zoned else None))
    return pl.coalesce([_guarded(text, stated, digits, parsed) for stated in usable] or [none])


def _guarded(text: pl.Expr, stated: str, digits: int, parsed: Callable[[pl.Expr, str], pl.Expr]) -> pl.Expr:
    lexical, pattern = _strict_format(stated, digits)
    _refuse_unparsable(stated, pattern, parsed)
    return pl.when(text.str.contains(lexical)).then(parsed(text, pattern))


def _strict_format(stated: str, digits: int) -> tuple[str, str]:
    """The regular expression that the whole text must match, and the same format in the words of Polars."""
    pieces = re.findall(r"\.%f|%.|[^%]|%", re.sub("%.", lambda found: _COMPOUND.get(found[0], found[0]), stated))
    _refuse_repeats(stated, "".join(piece[1:] for piece in pieces if piece[1:] in _FULL))
    lexical, pattern = "", ""
    for before, piece, after in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False):
        if piece == ".%f" and digits:
            lexical, pattern = lexical + rf"\.[0-9]{{1,{digits}}}", pattern + "%.f"
        elif len(piece) == 1 and piece != "%":
            lexical, pattern = lexical + re.escape(piece), pattern + piece
        elif piece[1:] in _FULL:
            is_touched = _ends_with_digit(before) or _begins_with_digit(after)
            lexical += (_FULL if is_touched else _FREE)[piece[1:]]
            pattern += "%#z" if piece == "%z" else piece
        else:
            raise NotYetSupportedError(_unknown_format(stated))
    return f"^{lexical}$", pattern


def _refuse_repeats(stated: str, directives: str) -> None:
    """A format that tells one thing twice: Polars 2.1 lets the last of two win, even where they differ."""
    for what, group in _TOLD_ONCE.items():
        if sum(directives.count(directive) for directive in group) > 1:
            hint = "name each thing once"
            raise NotYetSupportedError(
                Problem("delivery.format.dates", f"the format '{stated}' tells {what} twice", hint)
            )


def _begins_with_digit(piece: str) -> bool:
    return piece.isdigit() or piece[1:] in _NUMBERS


def _ends_with_digit(piece: str) -> bool:
    return _begins_with_digit(piece) or piece in ("%z", ".%f")


def _refuse_unparsable(stated: str, pattern: str, parsed: Callable[[pl.Expr, str], pl.Expr]) -> None:
    """A format that Polars can read no text with (an hour without minutes) is wrong in the contract, not the data."""
    try:
        pl.select(parsed(pl.lit(""), pattern))
    except pl.exceptions.PolarsError:
        raise NotYetSupportedError(_unknown_format(stated)) from None


def _unknown_format(stated: str) -> Problem:
    known = " ".join(f"%{directive}" for directive in _FULL)
    return Problem(
        "delivery.format.dates", f"the format '{stated}' cannot be read", f"write a format of {known} and .%f"
    )


def _as_date(text: pl.Expr, pattern: str) -> pl.Expr:
    return text.str.to_date(pattern, strict=False)


def _as_time(text: pl.Expr, pattern: str) -> pl.Expr:
    return text.str.to_time(pattern, strict=False)


def _in_calendar(value: pl.Expr) -> pl.Expr:
    return pl.when(value.is_between(date(1, 1, 1), date(9999, 12, 31))).then(value)
