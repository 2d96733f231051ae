"""Which rows break which promises, one by one: what quarantine takes, and what stays to be published.

Only a promise of severity `error` sends a row to quarantine. A row that repeats a key goes together with all others of that
key, since nothing here can tell which of them is right.
"""

from collections.abc import Collection, Iterable, Mapping

import polars as pl

from contract_core.candidate.columns import ABSENT, FILE_INDEX, NOT_AN_OBJECT, ROW_NUMBER
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.contract.promises import Severity
from contract_core.validation.askable import is_vacuous, why_unjudged
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
from contract_core.validation.repeats import Repeats, by_of, repeats_of
from contract_core.validation.row_rules import kept
from contract_core.validation.subject import Subject, open_subject
from contract_core.validation.table_rules import is_concerned

RULE, RULES = "__rule", "__rules"
_MARK = "__breaks."
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


def mark(obligation: Obligation) -> pl.Expr:
    """The column of a marked frame that is true where a row breaks the obligation."""
    return pl.col(_MARK + obligation.id)


def any_mark(obligations: Iterable[Obligation]) -> pl.Expr:
    """True where a row of a marked frame breaks one of these obligations."""
    return pl.any_horizontal(pl.lit(value=False), *(mark(item) for item in obligations))


def marked(
    rows: pl.LazyFrame,
    obligations: Collection[Obligation],
    subject: Subject,
    taken: pl.LazyFrame | None,
    repeats: Repeats | None = None,
) -> pl.LazyFrame:
    """The rows with one boolean column for each obligation; `taken` are the rows whose key is published already.

    `repeats` are the repeated values, where they were looked up before.
    """
    if repeats is None:
        repeats = _repeats(rows, obligations, subject)
    is_record = ~pl.col(NOT_AN_OBJECT) if subject.columns.has(NOT_AN_OBJECT) else pl.lit(value=True)
    alone: dict[str, pl.Expr] = {}
    joined: dict[str, tuple[pl.LazyFrame, list[str], pl.Expr]] = {}
    for item in obligations:
        name = _MARK + item.id
        match item.promise:
            case RecordsAreObjects():
                alone[name] = ~is_record
            case Present(column):
                alone[name] = pl.col(ABSENT + column) & is_record
            case UniqueKey(_, where):
                is_meant = is_record & is_concerned(where, subject.columns)
                joined[name] = (repeats[item.id].lazy(), by_of(repeats[item.id]), is_meant)
            case NoDuplicateRows():
                joined[name] = (repeats[item.id].lazy(), by_of(repeats[item.id]), is_record)
            case NewKey():
                assert taken is not None, "it is unjudged where nobody looked at the published table"
                joined[name] = (taken, [FILE_INDEX, ROW_NUMBER], is_record)
            case promise:
                assert isinstance(promise, RowPromise), "other promises are not about single rows"
                alone[name] = ~kept(promise, subject.columns) & is_record
    return _joined(rows.with_columns(**alone), joined)


def _joined(rows: pl.LazyFrame, repeats: Mapping[str, tuple[pl.LazyFrame, list[str], pl.Expr]]) -> pl.LazyFrame:
    for name, (groups, by, condition) in repeats.items():
        found = groups.select(*by, pl.lit(value=True).alias(name))
        rows = rows.join(found, on=by, how="left", nulls_equal=True, maintain_order="left")
        rows = rows.with_columns((pl.col(name).fill_null(value=False) & condition).alias(name))
    return rows


def _repeats(rows: pl.LazyFrame, obligations: Iterable[Obligation], subject: Subject) -> Repeats:
    records = rows.filter(~pl.col(NOT_AN_OBJECT)) if subject.columns.has(NOT_AN_OBJECT) else rows
    return repeats_of(obligations, records, subject.candidate.rows, subject.contract, subject.columns)


def conforming_rows(contract: Contract, candidate: Candidate, taken: pl.LazyFrame | None) -> pl.LazyFrame:
    """The rows that break nothing of severity `error`, in the candidate's columns; `taken` as in `marked`."""
    rows, subject = open_subject(contract, candidate)
    obligations = _obligations(contract, subject)
    stay = marked(rows, obligations, subject, taken).filter(~any_mark(obligations))
    return stay.drop(_MARK + item.id for item in obligations).drop(subject.left_out)


def breaking_rows(contract: Contract, candidate: Candidate, taken: pl.LazyFrame | None) -> pl.LazyFrame:
    """The other rows, with the id of the first obligation that each breaks (`RULE`) and of all of them (`RULES`)."""
    rows, subject = open_subject(contract, candidate)
    obligations = _obligations(contract, subject)
    gone = marked(rows, obligations, subject, taken).filter(any_mark(obligations))
    broken: list[pl.Expr] = [pl.when(mark(item)).then(pl.lit(item.id)) for item in obligations]
    broken = broken or [pl.lit(None, pl.String())]
    between = _BETWEEN * (1 + max((item.id.count(_BETWEEN) for item in obligations), default=0))
    all_of_them = pl.concat_str(broken, separator=between, ignore_nulls=True)  # a list of them takes ten times as long
    named = gone.with_columns(pl.coalesce(broken).alias(RULE), all_of_them.str.split(between).alias(RULES))
    return named.drop(_MARK + item.id for item in obligations)


def _obligations(contract: Contract, subject: Subject) -> list[Obligation]:
    """What sends rows away, in the contract's order; what cannot be judged holds the whole delivery back and is not asked."""
    return [
        item
        for item in obligations_of(contract)
        if sends_away(item, subject) and not is_vacuous(item, subject) and not why_unjudged(item, subject)
    ]
