"""Promises → words: what each kind of promise says, in the contract's own terms."""

from datetime import timedelta
from decimal import Decimal
from typing import assert_never

from contract_core.contract.delivery_terms import WEEKDAYS, Due
from contract_core.contract.scalars import Scalar
from contract_core.rendering.counts import many
from contract_core.rendering.moments import length_words
from contract_core.validation.promise_kinds import (
    Between,
    DeclaresContract,
    DeclaresPartition,
    DeclaresUnit,
    DeliveryPromise,
    Finite,
    Fresh,
    GroupsHold,
    HasType,
    HistoryHolds,
    HistoryPromise,
    Holds,
    InPartition,
    InTime,
    KeysReturn,
    LengthBetween,
    Matches,
    Measure,
    NewKey,
    NoDuplicateRows,
    NoExtraFields,
    NoOtherParts,
    NotBlank,
    NotNull,
    OneOf,
    PartsArrived,
    PartsComplete,
    Present,
    Promise,
    Readable,
    RecordsAreObjects,
    RowCountBetween,
    Steady,
    TablePromise,
    Trimmed,
    UniqueKey,
)


def promise_words(promise: Promise) -> str:  # noqa: C901 - a table, one case a promise
    """What is promised, in the contract's words."""
    match promise:
        case Readable():
            return "every file can be read"
        case RecordsAreObjects():
            return "every record is an object"
        case NoExtraFields(kept):
            return "every undeclared field can be kept" if kept else "no undeclared field"
        case Present(column):
            return f"'{column}' is there"
        case HasType(column, type_):
            return f"'{column}' is of type {type_}"
        case NotNull(column):
            return f"'{column}' is never null"
        case Finite(column):
            return f"'{column}' is never NaN or infinite"
        case OneOf(column, values):
            return f"'{column}' is one of {_listed(values)}"
        case Matches(column, pattern):
            return f"'{column}' matches {_short(pattern)}"
        case Between(column, low, high):
            return f"'{column}' is {_span(low, high)}"
        case LengthBetween(column, low, high):
            return f"'{column}' has a length {_span(low, high)}"
        case NotBlank(column, white_space):
            return f"'{column}' is more than white space ({white_space})"
        case Trimmed(column):
            return f"'{column}' has no outer white space"
        case Holds(_, condition, keeps_unknown):
            return f"{_short(condition.canonical)}{' or is unknown' if keeps_unknown else ''}"
        case _:
            return _table_words(promise)


def _table_words(  # noqa: C901 - a table, one case a promise
    promise: TablePromise | GroupsHold | HistoryPromise | DeliveryPromise | InTime | Steady,
) -> str:
    match promise:
        case UniqueKey(columns, where):
            return f"({', '.join(columns)}) is unique{f' where {_short(where.canonical)}' if where else ''}"
        case NewKey(columns):
            return f"({', '.join(columns)}) is not published yet"
        case GroupsHold(_, by, condition, keeps_unknown):
            return (
                f"for each ({', '.join(by)}): {_short(condition.canonical)}{' or is unknown' if keeps_unknown else ''}"
            )
        case HistoryHolds(_, _, _, condition, keeps_unknown, max_share):
            unknown = " or is unknown" if keeps_unknown else ""
            return (
                f"beside what was published before: {_short(condition.canonical)}{unknown}{_all_but(max_share, 'rows')}"
            )
        case KeysReturn(_, by, max_share):
            return f"every published key ({', '.join(by)}) is there again{_all_but(max_share, 'them')}"
        case NoDuplicateRows():
            return "no row stands twice"
        case RowCountBetween(low, high):
            return f"the number of rows is {_span(low, high)}"
        case InPartition(column):
            return f"'{column}' lies in the partition"
        case DeclaresPartition():
            return "the declared partition is the one offered"
        case DeclaresContract():
            return "the delivery declares this contract"
        case DeclaresUnit():
            return "the delivery declares the contract's unit"
        case PartsArrived(required, listed_in):
            return f"all {_required_words(required, listed_in)} are there"
        case NoOtherParts():
            return "no part is there that is not required"
        case PartsComplete():
            return "every part is declared complete, and the declaration agrees with the files"
        case InTime(due):
            return f"it is there {due_words(due)}"
        case Steady(measure, column):
            return f"{_MEASURES[measure].format(column)} stays within {_limits(promise)} of the median of {_compared(promise)}"
        case Fresh(column, max_age):
            return f"the newest '{column}' is at most {length_words(max_age)} old"
        case _:
            assert_never(promise)


def _required_words(required: tuple[str, ...], listed_in: str) -> str:
    if not listed_in:
        return f"{len(required)} required parts"
    return f"{f'{len(required):,} ' if required else ''}parts that {listed_in} lists"


_MEASURES = {
    Measure.ROWS: "the number of rows",
    Measure.NULL_RATE: "the share of nulls in '{}'",
    Measure.DISTINCT: "the number of distinct values of '{}'",
    Measure.MEAN: "the mean of '{}'",
    Measure.QUANTILES: "each of five quantiles of '{}'",
    Measure.SHARES: "the share of each value of '{}'",
}


def _limits(promise: Steady) -> str:
    deviation = promise.terms.max_deviation
    limits = [limit_words(promise)] if promise.limit is not None else []
    limits += [f"{deviation} robust standard deviations"] if deviation is not None else []
    return " or ".join(limits)


def limit_words(promise: Steady) -> str:
    """How far a measure may move from the median: relative to it, or in points where it is a share itself."""
    return moved_words(promise, promise.limit or Decimal())


def moved_words(promise: Steady, moved: Decimal) -> str:
    """A movement, or the limit of one."""
    number = f"{(moved * 100).normalize():f}"
    return f"{number} percentage point{'' if number == '1' else 's'}" if promise.measure.is_share else f"{number}%"


def _compared(promise: Steady) -> str:
    """What the median is taken of."""
    terms = promise.terms
    which = " of the same weekday" if terms.season is not None else ""
    return f"the last {f'{terms.window:,} accepted partitions' if terms.window > 1 else 'accepted partition'}{which}"


def silence_words(allowed: timedelta) -> str:
    """How long a published table may go without a new publication."""
    return f"something new is published every {length_words(allowed)} at least"


def due_words(due: Due) -> str:
    """By when a partition must have arrived."""
    days = f", {many(due.days_after, 'day')} after its partition" if due.days_after else ""
    but = f", but on {many(len(due.holidays), 'named holiday')}" if due.holidays else ""
    when = "on weekdays" if due.calendar == "weekdays" else "every day"
    return f"by {due.by:%H:%M} {due.timezone} {when}{days}{but}{_never(due)}"


def _never(due: Due) -> str:
    """For which days nothing is expected: weekdays by name, others by their number."""
    named = [f"{name}s".capitalize() for name in WEEKDAYS if name in due.not_for]
    days = len(set(due.not_for) - set(WEEKDAYS))
    named += [many(days, "named day")] if days else []
    return f", and never for {', '.join(named)}" if named else ""


def _all_but(share: Decimal | None, of_what: str) -> str:
    return f", but for at most {share:%} of {of_what}" if share else ""


def _listed(values: tuple[Scalar, ...]) -> str:
    shown = ", ".join(str(value) for value in values[:10])
    return f"[{shown}, … {len(values)} in all]" if len(values) > 10 else f"[{shown}]"


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}…"


def _span(low: Scalar | None, high: Scalar | None) -> str:
    if low is not None and high is not None:
        return f"between {low} and {high}"
    return f"at least {low}" if low is not None else f"at most {high}"
