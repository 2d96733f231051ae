"""What was accepted before, as far as promises about a candidate look back: found by the caller, since rules do no I/O of their own."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from contract_core.validation.measured import Measured


@dataclass(frozen=True, slots=True)
class ListedParts:
    """The parts that another contract's published table requires of one partition, and which version of that table said so.

    Where none could be found out `required` is empty and `why_not` says why: that is never the same as nothing being required.
    """

    required: tuple[str, ...] = ()
    version: int | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Predecessor:
    """What the rows of a candidate are compared with: published rows, in types as the contract promises them, and whose they are.

    `rows` is None where nothing is published that they could be compared with, or where that cannot be read any more, as
    `why_not` says.
    """

    rows: pl.LazyFrame | None = None
    submission: str | None = None
    why_not: str = ""


NONE_PUBLISHED = Predecessor()


@dataclass(frozen=True, slots=True)
class Past:
    """What a judgement knows of earlier deliveries.

    `taken` are the rows whose key is published already, by the candidate's file and row number; where a contract appends and
    nobody has looked, its promise about them is unjudged. `arrived` is when the partition was first received, at the moment of
    judgement where nobody says. `listed` are the parts that another contract's table requires, where the contract takes them
    from there and somebody looked. `earlier` are the accepted partitions that monitors compare with, the newest first,
    `predecessor` is what rows are compared with; None where nobody looked. `newest_elsewhere` is the moment of the newest event
    that stays published whatever becomes of this delivery.
    """

    taken: pl.LazyFrame | None = None
    arrived: datetime | None = None
    listed: ListedParts | None = None
    earlier: tuple[Measured, ...] = ()
    predecessor: Predecessor | None = None
    newest_elsewhere: datetime | None = None


NOTHING_KNOWN = Past()
