"""The promises beyond single rows: freshness, groups, history, monitors, and what happens when one is broken."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from contract_core.contract.scalars import Change, Duration, Factor, NamedText, Share, Term, Text, Whole, YesNo


class Severity(StrEnum):
    """`error` holds publication back, `warn` only tells."""

    ERROR = "error"
    WARN = "warn"


class RowRule(Term):
    """A promise across the columns of one row, as SQL that must be true."""

    name: NamedText
    sql: NamedText
    severity: Severity = Severity.ERROR
    on_null: Literal["breach", "keep"] = "breach"
    description: Text | None = None


class Unique(Term):
    """No two rows (among those where `where` is true) share the values of `fields`."""

    name: NamedText
    fields: Annotated[tuple[NamedText, ...], Field(min_length=1)]
    where: NamedText | None = None
    severity: Severity = Severity.ERROR


class RowCount(Term):
    """How many rows a candidate has; one at least, unless the contract says that none is fine."""

    min: Annotated[Whole, Field(ge=0)] = 1
    max: Annotated[Whole, Field(ge=0)] | None = None
    severity: Severity = Severity.ERROR


class GroupRule(Term):
    """A promise about each group of rows, as SQL with aggregates that must be true."""

    name: NamedText
    by: Annotated[tuple[NamedText, ...], Field(min_length=1)]
    sql: NamedText
    severity: Severity = Severity.ERROR
    on_null: Literal["breach", "keep"] = "breach"
    description: Text | None = None


class HistoryRule(Term):
    """A promise about each row and its published predecessor as SQL that must be true, or that no published key has `vanished`.

    With `max_share` it is broken only where a larger share of the rows breaks it.
    """

    name: NamedText
    sql: NamedText | None = None
    vanished: YesNo = False
    severity: Severity = Severity.ERROR
    max_share: Share | None = None
    on_null: Literal["breach", "keep"] = "breach"
    description: Text | None = None


class Freshness(Term):
    """How old the newest event may be at the moment of judgement, and how long the table may go without a new publication."""

    column: NamedText
    max_age: Duration
    max_silence: Duration | None = None
    severity: Severity = Severity.ERROR


class Monitor(Term):
    """What a measure is compared with: the median over the accepted partitions before, so many of them, of which weekday.

    `max_deviation` counts robust standard deviations; beside another limit both must be exceeded.
    """

    window: Annotated[Whole, Field(ge=1, le=1000)] = 14
    min_history: Annotated[Whole, Field(ge=1, le=1000)] = 5
    season: Literal["weekday"] | None = None
    max_deviation: Factor | None = None
    severity: Severity = Severity.WARN

    @property
    def needed(self) -> int:
        """How many partitions must have been accepted before anything is compared; a short window needs no more than it holds."""
        return min(self.min_history, self.window)


class VolumeMonitor(Monitor):
    """How far the number of rows may move from the last accepted partitions."""

    max_change: Change | None = None


class FieldMonitor(Monitor):
    """How far the profile of one field may move from the last accepted partitions."""

    null_rate: Share | None = None
    distinct_change: Change | None = None
    mean_change: Change | None = None
    quantiles_change: Change | None = None
    shares: Share | None = None


class Monitors(Term):
    """Comparisons with the last accepted partitions."""

    volume: VolumeMonitor | None = None
    fields: dict[Text, FieldMonitor] = Field(default={}, validate_default=False)


class QuarantineTerms(Term):
    """How many rows may go to quarantine before the whole delivery is refused, what is kept of them there, and how long."""

    max_rows: Annotated[Whole, Field(ge=0)] | None = None
    max_rate: Share | None = None
    rows: Literal["kept", "withheld"] = "kept"
    keep: Duration | None = None


class Enforcement(Term):
    """What a broken promise does to publication."""

    on_breach: Literal["fail", "quarantine", "warn"] = "fail"
    quarantine: QuarantineTerms = QuarantineTerms()


class Publication(Term):
    """How accepted rows enter the published table, and how long candidates and replaced versions of the table stay."""

    mode: Literal["replace_partition", "upsert", "append"] = "replace_partition"
    keep_candidates: Duration | None = None
    keep_refused: Duration | None = None
    keep_newest: Annotated[Whole, Field(ge=0)] = 0
    keep_versions: Duration | None = None


class Assumption(Term):
    """Something that no check here can prove, and where its evidence is to be found."""

    claim: NamedText
    evidence: NamedText | None = None
