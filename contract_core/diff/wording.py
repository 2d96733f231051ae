"""How values of a contract are told within a change: from what to what, in words that stay the same."""

from datetime import timedelta
from decimal import Decimal

_PARTS = {86_400: "day", 3_600: "hour", 60: "minute", 1: "second"}


def from_to(before: object, after: object) -> str:
    """Both values, `none` where there is none."""
    return f"from {shown(before)} to {shown(after)}"


def shown(value: object) -> str:
    """One value: a duration in its largest whole part, a share in percent, a list in brackets."""
    match value:
        case None | ():
            return "none"
        case bool():
            return str(value).lower()
        case tuple():
            return f"({', '.join(map(str, value))})"
        case timedelta():
            return _duration(int(value.total_seconds()))
        case Decimal():
            return f"{value * 100:f}".rstrip("0").rstrip(".") + "%" if value else "0%"
    return str(value)


def _duration(seconds: int) -> str:
    size, name = next((size, name) for size, name in _PARTS.items() if seconds % size == 0)
    count = seconds // size
    return f"{count} {name}{'s' * (count != 1)}"
