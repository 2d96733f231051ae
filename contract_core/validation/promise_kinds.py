"""Every kind of promise an obligation can be about, as a value. What each means is one case of one `match` in the rules."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum

from contract_core.contract.delivery_terms import Due
from contract_core.contract.logical_type import LogicalType
from contract_core.contract.promises import Monitor
from contract_core.contract.scalars import Scalar
from contract_core.contract.sql_expression import GroupExpression, RowExpression


@dataclass(frozen=True, slots=True)
class Readable:
    """Every file of the delivery can be read as the contract says."""


@dataclass(frozen=True, slots=True)
class RecordsAreObjects:
    """Every record of a JSON delivery is an object."""


@dataclass(frozen=True, slots=True)
class NoExtraFields:
    """The delivery has no column that the contract does not declare; where they are `kept`, none that cannot be."""

    kept: bool = False


@dataclass(frozen=True, slots=True)
class Present:
    """The field is there: as a column, and in formats where records differ, in every record."""

    column: str


@dataclass(frozen=True, slots=True)
class HasType:
    """The column has the promised type, and every text in it decodes as that type."""

    column: str
    type: LogicalType


@dataclass(frozen=True, slots=True)
class NotNull:
    """The value is there. Only this rule judges missing values."""

    column: str


@dataclass(frozen=True, slots=True)
class Finite:
    """The number is neither NaN nor infinite."""

    column: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is one of a list."""

    column: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """The whole text matches a regular expression (Rust syntax)."""

    column: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Between:
    """The value lies between two bounds, both included; `judges_nan` where NaN breaks this rule too."""

    column: str
    low: Scalar | None
    high: Scalar | None
    judges_nan: bool


@dataclass(frozen=True, slots=True)
class LengthBetween:
    """The text has a length in code points between two bounds, both included."""

    column: str
    shortest: int | None
    longest: int | None


@dataclass(frozen=True, slots=True)
class NotBlank:
    """The text is more than white space, of the kind named: space, ascii or unicode."""

    column: str
    white_space: str


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The text neither begins nor ends with Unicode white space."""

    column: str


@dataclass(frozen=True, slots=True)
class Holds:
    """A condition across the columns of a row is true; unknown breaks it unless `keeps_unknown`."""

    name: str
    condition: RowExpression
    keeps_unknown: bool


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """No two rows share the values of these columns; two nulls are equal. With `where`, among the rows where it is true."""

    columns: tuple[str, ...]
    where: RowExpression | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """No row has a key that is published already: asked where rows are appended."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoDuplicateRows:
    """No row stands twice in the candidate, all declared columns taken together."""


@dataclass(frozen=True, slots=True)
class GroupsHold:
    """A condition over aggregates is true for each group of rows; unknown breaks it unless `keeps_unknown`."""

    name: str
    by: tuple[str, ...]
    condition: GroupExpression
    keeps_unknown: bool


@dataclass(frozen=True, slots=True)
class HistoryHolds:
    """A condition over a row and its published predecessor is true; unknown breaks it unless `keeps_unknown`.

    The predecessor agrees in the columns `by`; of several the one with the latest value of `latest` counts, where that is named.
    With `max_share` it is broken only where a larger share of the rows that have a predecessor breaks it.
    """

    name: str
    by: tuple[str, ...]
    latest: str | None
    condition: RowExpression
    keeps_unknown: bool
    max_share: Decimal | None = None


@dataclass(frozen=True, slots=True)
class KeysReturn:
    """Every published key is there again, in the columns `by`; with `max_share`, all but that share of them."""

    name: str
    by: tuple[str, ...]
    max_share: Decimal | None = None


@dataclass(frozen=True, slots=True)
class RowCountBetween:
    """The candidate has a number of rows between two bounds."""

    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class InPartition:
    """Every row belongs to the partition that is offered."""

    column: str


@dataclass(frozen=True, slots=True)
class DeclaresPartition:
    """What the manifest or envelope says about the partition is the partition that is offered."""


@dataclass(frozen=True, slots=True)
class DeclaresContract:
    """The manifest or envelope names this contract, in this major version."""


@dataclass(frozen=True, slots=True)
class DeclaresUnit:
    """The manifest or envelope states the contract's unit."""


@dataclass(frozen=True, slots=True)
class PartsArrived:
    """Every required part is there; `listed_in` says where they are listed, if not in the contract itself."""

    required: tuple[str, ...]
    listed_in: str = ""


@dataclass(frozen=True, slots=True)
class NoOtherParts:
    """No part is there that the contract does not require."""

    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartsComplete:
    """The producer declares each part complete, and what was declared agrees with what is there."""

    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fresh:
    """The newest event is not older than promised."""

    column: str
    max_age: timedelta


@dataclass(frozen=True, slots=True)
class InTime:
    """The partition arrives for the first time by the moment at which it is due."""

    due: Due


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Those that monitors compare."""


class Measure(StrEnum):
    """What monitors compare: of all rows, or of the values of one field."""

    ROWS = "rows"
    NULL_RATE = "null_rate"
    DISTINCT = "distinct"
    MEAN = "mean"
    QUANTILES = "quantiles"
    SHARES = "shares"

    @property
    def is_share(self) -> bool:
        """True where a movement is told in percentage points, and not in relation to what was there before."""
        return self in (Measure.NULL_RATE, Measure.SHARES)


@dataclass(frozen=True, slots=True)
class Steady:
    """A measure has not moved far from the median over the accepted partitions before: by a limit, by a number of robust
    standard deviations, or by both where both are stated. `values` are those of the enum whose shares are compared.
    """

    measure: Measure
    column: str | None
    limit: Decimal | None
    terms: Monitor
    values: tuple[Scalar, ...] = ()


RowPromise = HasType | NotNull | Finite | OneOf | Matches | Between | LengthBetween | NotBlank | Trimmed | Holds
UniquePromise = UniqueKey | NoDuplicateRows
MeasuredPromise = NewKey | RowCountBetween | InPartition | Fresh
TablePromise = UniquePromise | MeasuredPromise
SchemaPromise = Readable | RecordsAreObjects | NoExtraFields | Present
HistoryPromise = HistoryHolds | KeysReturn
DeliveryPromise = DeclaresPartition | DeclaresContract | DeclaresUnit | PartsArrived | NoOtherParts | PartsComplete
Promise = RowPromise | TablePromise | GroupsHold | HistoryPromise | SchemaPromise | DeliveryPromise | InTime | Steady
