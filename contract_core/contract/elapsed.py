"""How long ago something was. Clocks of machines differ and events are dated ahead, and no age is less than nothing."""

from datetime import datetime, timedelta

_NOTHING = timedelta(0)


def elapsed(since: datetime, until: datetime) -> timedelta:
    """The time from one moment to another; none where the first lies after the second."""
    return max(_NOTHING, until - since)
