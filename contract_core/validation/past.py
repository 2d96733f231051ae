"""What was accepted before, as far as promises about a candidate look back: found by the caller, since rules do no I/O of their own."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl


@dataclass(frozen=True, slots=True)
class Past:
    """What a judgement knows of earlier deliveries.

    `taken` are the rows whose key is published already, by the candidate's file and row number; where a contract appends and
    nobody has looked, its promise about them is unjudged. `arrived` is when the partition was first received, at the moment of
    judgement where nobody says.
    """

    taken: pl.LazyFrame | None = None
    arrived: datetime | None = None


NOTHING_KNOWN = Past()
