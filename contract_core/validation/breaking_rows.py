"""Which rows break which promises, one by one: what quarantine takes, and what stays to be published.

Only a promise of severity `error` sends a row to quarantine. A row that repeats a key goes together with all others of that
key, since nothing here can tell which of them is right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.validation.askable import is_vacuous, why_unjudged
from contract_core.validation.broken_rows import (
    MARK,
    BrokenRows,
    breaks_alone,
    counted_alone,
    is_record,
    places_of_repeats,
    places_taken,
)
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.promise_kinds import (
    HasType,
    NewKey,
    NoDuplicateRows,
    Present,
    RecordsAreObjects,
    RowPromise,
    UniqueKey,
)
from contract_core.validation.remembered import recalled, remember
from contract_core.validation.repeats import repeats_of
from contract_core.validation.subject import Subject, open_subject

RULE, RULES = "__rule", "__rules"
_BETWEEN = "\x1f"


def is_in_rows(obligation: Obligation, subject: Subject) -> bool:
    """True where a breach of the obligation lies in rows that can be told one by one."""
    match obligation.promise:
        case RecordsAreObjects() | UniqueKey() | NewKey() | NoDuplicateRows():
            return True
        case Present(column):
            return subject.is_one_by_one(column)
        case HasType(column, promised):
            has_it = subject.columns.has(column) and subject.columns.fits(column, promised)
            return has_it and column not in subject.facts.mixed_types
        case promise:
            return isinstance(promise, RowPromise)


def sends_away(obligation: Obligation, subject: Subject) -> bool:
    """True for an obligation whose breach sends the rows in question to quarantine, where the contract says so."""
    return obligation.severity is Severity.ERROR and is_in_rows(obligation, subject)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A candidate's rows, or a stretch of them, and which of these go to quarantine."""

    rows: pl.LazyFrame
    subject: Subject
    obligations: tuple[Obligation, ...]
    broken: BrokenRows

    @property
    def height(self) -> int:
        """How many rows there are, on both sides."""
        return self.broken.bits.height

    def stretch(self, begin: int, size: int) -> "Split":
        """The same of `size` rows from one of them on."""
        return replace(self, rows=self.rows.slice(begin, size), broken=self.broken.stretch(begin, size))

    def staying(self) -> pl.LazyFrame:
        """The rows that break nothing of severity `error`, in the candidate's columns."""
        return self.broken.staying(self.rows).drop(self.subject.left_out)

    def going(self) -> pl.LazyFrame:
        """The other rows, with the id of the first obligation that each breaks (`RULE`) and of all of them (`RULES`).

        What a row breaks by itself is asked of these rows alone.
        """
        rows = self.broken.going(self.rows)
        marks = {MARK + item.id: breaks_alone(item, self.subject) for item in self.obligations}
        told, never = rows.collect_schema(), pl.lit(value=False)
        asked = {name: never if mark is None else mark for name, mark in marks.items() if name not in told}
        broken: list[pl.Expr] = [pl.when(pl.col(name)).then(pl.lit(name.removeprefix(MARK))) for name in marks]
        broken = broken or [pl.lit(None, pl.String())]
        between = _BETWEEN * (1 + max((item.id.count(_BETWEEN) for item in self.obligations), default=0))
        joined = pl.concat_str(broken, separator=between, ignore_nulls=True)  # a list of them takes ten times as long
        labels = [pl.coalesce(broken).alias(RULE), joined.str.split(between).alias(RULES)]
        return rows.with_columns(**asked).with_columns(labels).drop(marks)


def split_of(contract: Contract, candidate: Candidate, taken: pl.LazyFrame | None) -> Split:
    """Which rows of a candidate go; `taken` are those whose key is published already, by file and row number."""
    rows, subject = open_subject(contract, candidate)
    obligations = tuple(_obligations(contract, subject))
    return Split(rows, subject, obligations, broken_rows(rows, obligations, subject, taken))


def conforming_rows(contract: Contract, candidate: Candidate, taken: pl.LazyFrame | None) -> pl.LazyFrame:
    """The rows that stay."""
    return split_of(contract, candidate, taken).staying()


def breaking_rows(contract: Contract, candidate: Candidate, taken: pl.LazyFrame | None) -> pl.LazyFrame:
    """The rows that go, each with why."""
    return split_of(contract, candidate, taken).going()


def broken_rows(
    rows: pl.LazyFrame, obligations: Sequence[Obligation], subject: Subject, taken: pl.LazyFrame | None
) -> BrokenRows:
    """Which rows break one of these obligations, without asking again what was asked last; `taken` as in `split_of`."""
    found = recalled(obligations, subject)
    if found is None:
        _, alone = counted_alone(rows, obligations, obligations, subject)
        records, candidate = rows.filter(is_record(subject)), subject.candidate
        repeats = repeats_of(obligations, records, candidate.rows, subject.contract, subject.columns)
        together = alone.with_those_at(places_of_repeats(rows, obligations, subject, repeats))
        found = remember(together, obligations, subject)
    return found.with_those_at(places_taken(rows, obligations, subject, taken))


def _obligations(contract: Contract, subject: Subject) -> list[Obligation]:
    """What sends rows away, in the contract's order; what cannot be judged holds the whole delivery back and is not asked."""
    return [
        item
        for item in obligations_of(contract)
        if sends_away(item, subject) and not is_vacuous(item, subject) and not why_unjudged(item, subject)
    ]
