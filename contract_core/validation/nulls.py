"""Nulls of columns that no other rule looks at: they are asked for in a scan of their own, which passes over every row group that
has none by the statistics of the candidate's file.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from contract_core.candidate.columns import ABSENT, RAW
from contract_core.validation.askable import needed_columns
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import HasType, NotNull, RowPromise
from contract_core.validation.row_rules import kept
from contract_core.validation.subject import Subject

MOST_SCANS = 64
"""A scan takes some 60 µs though it reads nothing; beyond so many columns, several share one."""


def asked_alone(places: Mapping[str, Obligation], subject: Subject) -> dict[str, pl.Expr]:
    """What breaks those rules, by their places: that the value of a column is there, where nothing else is asked of it."""
    asked = {place: item.promise for place, item in places.items() if isinstance(item.promise, RowPromise)}
    plain = {
        place: promise
        for place, promise in asked.items()
        if isinstance(promise, NotNull) and _is_plain(promise.column, subject)
    }
    looked_at = {
        name
        for place, promise in asked.items()
        if place not in plain and not (isinstance(promise, HasType) and _is_plain(promise.column, subject))
        for name in needed_columns(promise, subject.contract)
    }
    return {
        place: ~kept(promise, subject.columns) for place, promise in plain.items() if promise.column not in looked_at
    }


def _is_plain(name: str, subject: Subject) -> bool:
    """True where one column of one value holds all there is to know: no text that did not decode, no record without the field."""
    columns = subject.columns
    return not (columns.has(RAW + name) or columns.has(ABSENT + name) or columns.types[name].is_nested())


def counted(rows: pl.LazyFrame, broken: Mapping[str, pl.Expr]) -> Iterator[pl.LazyFrame]:
    """One row of counts for each of the scans, all places once."""
    places = list(broken)
    for first in range(min(len(places), MOST_SCANS)):
        mine = {place: broken[place] for place in places[first::MOST_SCANS]}
        found = rows.filter(pl.any_horizontal(*mine.values()))
        yield found.select(expr.sum().alias(place) for place, expr in mine.items())
