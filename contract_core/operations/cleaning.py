"""What a clean-up takes away and what it leaves, as frozen values: one for each contract and kind of thing that is kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

KEPT_BY_DEFAULT = timedelta(days=30)
LEFT_OVER_AFTER = timedelta(days=1)
"""How old something unfinished is before it is believed that nobody is going to finish it."""


class Kind(StrEnum):
    """What is cleaned up; attempts belong to an environment and to no contract."""

    CANDIDATES = "candidates"
    UNRECORDED = "unrecorded_rows"
    QUARANTINE = "quarantine"
    VERSIONS = "table_versions"
    ATTEMPTS = "attempts"


class Why(StrEnum):
    """Why something may go."""

    REFUSED = "refused"
    FOLLOWED = "followed by another publication"
    PUBLISHED = "quarantined by a publication"
    NEVER_PUBLISHED = "quarantined and never published"
    REPLACED = "no version that stays needs it"
    LEFT_OVER = "left over"


@dataclass(frozen=True, slots=True)
class Going:
    """One submission, file or folder that goes, in bytes; `since` is the moment from which its age is counted."""

    name: str
    why: Why
    size: int
    partition: str | None = None
    since: datetime | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What goes of one kind and how many of them stay. `files` are removed in their order, whole folders where they are some."""

    kind: Kind
    contract: str | None
    goes: tuple[Going, ...]
    stays: int
    files: tuple[Path, ...] = ()

    @property
    def size(self) -> int:
        """How many bytes go."""
        return sum(item.size for item in self.goes)
