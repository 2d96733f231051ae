"""Which obligations can be judged on a candidate at all: columns that are missing or of another type leave rules unjudged."""

from contract_core.contract.history_sql import of_row
from contract_core.contract.model import Contract
from contract_core.contract.sql_expression import RowExpression
from contract_core.validation.conditions import why_not_compiled
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import (
    DeclaresContract,
    DeclaresPartition,
    DeclaresUnit,
    DeliveryPromise,
    Fresh,
    GroupsHold,
    HasType,
    HistoryHolds,
    Holds,
    InPartition,
    InTime,
    KeysReturn,
    NewKey,
    NoDuplicateRows,
    NoExtraFields,
    NoOtherParts,
    PartsArrived,
    Present,
    Promise,
    Readable,
    RecordsAreObjects,
    RowCountBetween,
    RowPromise,
    Steady,
    UniqueKey,
)
from contract_core.validation.subject import Subject


def why_unjudged(obligation: Obligation, subject: Subject) -> str:
    """Why this obligation cannot be judged; empty where it can."""
    promise = obligation.promise
    if isinstance(promise, Readable | InTime):
        return ""
    is_from_files = not isinstance(promise, DeliveryPromise) or isinstance(promise, PartsArrived | NoOtherParts)
    is_from_files = is_from_files or subject.facts.format == "envelope"
    if is_from_files and any(file.unreadable is not None for file in subject.facts.files):
        return "the delivery could not be read completely"
    if (
        isinstance(promise, DeclaresContract | DeclaresUnit | DeclaresPartition)
        and subject.facts.manifest == "unreadable"
    ):
        return "the manifest could not be read"
    if isinstance(promise, HasType):
        return "" if subject.columns.has(promise.column) else subject.why_not(promise.column)
    reasons = (subject.why_not(column) for column in needed_columns(promise, subject.contract))
    return next((reason for reason in reasons if reason), "") or _why_uncompiled(promise, subject)


def _why_uncompiled(promise: Promise, subject: Subject) -> str:
    """Why a condition cannot be asked of these physical types, which the contract's families leave open."""
    match promise:
        case Holds(_, condition, _) | UniqueKey(_, RowExpression() as condition) | GroupsHold(_, _, condition, _):
            why = why_not_compiled(condition, subject.columns.types)
            return f"its condition does not fit the types that were delivered: {why}" if why else ""
        case _:
            return ""


def is_vacuous(obligation: Obligation, subject: Subject) -> bool:
    """True where the obligation is about the values of an optional field that this delivery leaves out: it is kept."""
    return isinstance(obligation.promise, RowPromise | Steady) and obligation.field in subject.left_out


def needed_columns(promise: Promise, contract: Contract) -> tuple[str, ...]:  # noqa: C901 - a table, one case a promise
    """The fields that must be there, in their promised types, for the promise to be judged."""
    match promise:
        case Holds(_, condition, _):
            return condition.columns
        case UniqueKey(columns, where):
            return (*columns, *(where.columns if where is not None else ()))
        case GroupsHold(_, by, condition, _):
            return (*by, *condition.columns)
        case HistoryHolds(_, by, _, condition):
            return (*by, *of_row(condition))
        case KeysReturn(_, by):
            return by
        case NewKey(columns):
            return columns
        case InPartition(column) | Fresh(column):
            return (column,)
        case PartsArrived() | NoOtherParts():
            terms = contract.delivery.parts
            return (terms.column,) if terms is not None and terms.column is not None else ()
        case (
            Readable()
            | RecordsAreObjects()
            | NoExtraFields()
            | Present()
            | NoDuplicateRows()
            | RowCountBetween()
            | InTime()
        ):
            return ()
        case _:
            named = None if isinstance(promise, DeliveryPromise) else promise.column
            return () if named is None else (named,)
