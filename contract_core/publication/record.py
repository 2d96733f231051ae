"""What a publication was, as a frozen value for those who tell about it; how it is made is known in `publish`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PublicationRecord:
    """What a submission became in the published table; two records of one publication are equal, whoever completed it.

    `restated` counts what it changed of what was published before, `effort` is what this run's publication cost, and empty where
    it found it done.
    """

    contract: str
    version: str
    partition: str | None
    submission: str
    table: Path
    table_version: int | None
    rows: int
    published_at: datetime
    quarantined: int = 0
    superseded_by: str | None = None
    restated: Mapping[str, int] = field(default_factory=dict)
    received_at: datetime | None = None
    already_published: bool = field(default=False, compare=False)
    effort: Mapping[str, float] = field(default_factory=dict, compare=False)
