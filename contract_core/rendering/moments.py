"""Moments and lengths of time, as text and in JSON."""

from datetime import datetime, timedelta

MINUTE, SECOND = "%Y-%m-%d %H:%MZ", "%Y-%m-%d %H:%M:%SZ"
"""How a moment in UTC is written: to the minute where people act on it, to the second where events are told apart."""


def stamp(moment: datetime | None) -> str | None:
    """A moment in JSON; null where there is none."""
    return None if moment is None else moment.isoformat()


def length_words(length: timedelta) -> str:
    """A length of time in its two largest units."""
    return age_words(int(length.total_seconds()))


def age_words(seconds: int) -> str:
    """So many seconds in their two largest units."""
    parts = []
    rest = abs(seconds)
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        amount, rest = divmod(rest, length)
        if amount:
            parts.append(f"{amount}{unit}")
    return ("-" if seconds < 0 else "") + (" ".join(parts[:2]) or "0s")
