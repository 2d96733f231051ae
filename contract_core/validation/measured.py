"""What was measured of one delivery, as monitors compare it: numbers about its rows as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Measured:
    """What monitors compare of one delivery: its published rows, and by field the aggregates of its profile.

    `is_same_weekday` where its partition is a day of the same weekday as the one that is judged.
    """

    rows: int
    profile: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    is_same_weekday: bool = False
