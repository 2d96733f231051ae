"""Which obligations can be judged on a candidate at all: columns that are missing or of another type leave rules unjudged."""

from dataclasses import dataclass
from datetime import datetime

from contract_core.candidate.facts import Facts
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.contract.row_sql import RowSqlError
from contract_core.validation.expressions import compile_expression
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import (
    DeclaresContract,
    DeclaresPartition,
    DeclaresUnit,
    DeliveryPromise,
    Fresh,
    HasType,
    Holds,
    InPartition,
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
    UniqueKey,
)
from contract_core.validation.schema_match import Columns


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged, under which contract, as of when: the candidate, the types of its columns, and optional fields left out.

    A field that is left out stands among the columns as nulls, so that a condition across columns can be asked.
    """

    contract: Contract
    candidate: Candidate
    columns: Columns
    left_out: frozenset[str]
    as_of: datetime

    @property
    def facts(self) -> Facts:
        """What was found in the delivery besides its rows."""
        return self.candidate.facts

    @property
    def part_column(self) -> str | None:
        """The column that tells each row's part, where there is one and it can be read."""
        terms = self.contract.delivery.parts
        name = terms.column if terms is not None else None
        return name if name is not None and not self.why_not(name) else None

    def refuses_missing(self, column: str) -> bool:
        """True where a row without a value in this column holds the delivery back already, whatever it means to other rules."""
        field = self.contract.field(column)
        weights = {field.severity_of(rule) for rule in ("missing", "null", "type")}
        is_owed = field.required and not field.nullable and weights == {Severity.ERROR}
        return is_owed and self.contract.enforcement.on_breach == "fail"

    def why_not(self, column: str) -> str:
        """Why rules on this column cannot be asked; empty where they can."""
        if column in self.left_out:
            return ""
        if not self.columns.has(column):
            return f"the delivery has no column '{column}'"
        promised = self.contract.field(column).type
        if not self.columns.fits(column, promised):
            return f"column '{column}' has the type {self.columns.types[column]}, promised is {promised}"
        return ""


def why_unjudged(obligation: Obligation, subject: Subject) -> str:
    """Why this obligation cannot be judged; empty where it can."""
    promise = obligation.promise
    if isinstance(promise, Readable):
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
    condition = (
        promise.condition if isinstance(promise, Holds) else promise.where if isinstance(promise, UniqueKey) else None
    )
    if condition is None:
        return ""
    try:
        compile_expression(condition, subject.columns.types)
    except RowSqlError as error:
        return f"its condition does not fit the types that were delivered: {error.what}"
    return ""


def is_vacuous(obligation: Obligation, subject: Subject) -> bool:
    """True where the obligation is about the values of an optional field that this delivery leaves out: it is kept."""
    return isinstance(obligation.promise, RowPromise) and obligation.field in subject.left_out


def needed_columns(promise: Promise, contract: Contract) -> tuple[str, ...]:
    """The fields that must be there, in their promised types, for the promise to be judged."""
    match promise:
        case Holds(_, condition, _):
            return condition.columns
        case UniqueKey(columns, where):
            return (*columns, *(where.columns if where is not None else ()))
        case InPartition(column) | Fresh(column):
            return (column,)
        case PartsArrived() | NoOtherParts():
            terms = contract.delivery.parts
            return (terms.column,) if terms is not None and terms.column is not None else ()
        case Readable() | RecordsAreObjects() | NoExtraFields() | Present() | NoDuplicateRows() | RowCountBetween():
            return ()
        case _:
            return () if isinstance(promise, DeliveryPromise) else (promise.column,)
