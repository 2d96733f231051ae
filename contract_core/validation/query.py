"""Every obligation that can be asked → one lazy query over the candidate, collected once → an answer for each.

Asked by themselves are repeated values (`repeats`), the rows that go to quarantine (`broken_rows`), and what would hold too much
in memory at once (`keyed`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from contract_core.candidate.columns import ABSENT, NOT_AN_OBJECT, PART_NAME
from contract_core.validation import nulls
from contract_core.validation.breaking_rows import is_in_rows, sends_away
from contract_core.validation.broken_rows import BrokenRows, counted_alone, places_of_repeats, places_taken
from contract_core.validation.findings import Answers
from contract_core.validation.keyed import ask_by_key, merged
from contract_core.validation.obligations import Obligation
from contract_core.validation.past import Past
from contract_core.validation.profile import MEASURES
from contract_core.validation.promise_kinds import (
    HasType,
    MeasuredPromise,
    Present,
    RecordsAreObjects,
    RowPromise,
)
from contract_core.validation.remembered import remember
from contract_core.validation.repeats import Repeats, counts_of, repeats_of
from contract_core.validation.row_rules import kept
from contract_core.validation.subject import Subject
from contract_core.validation.table_rules import Question, answer

PARTS, BROKEN = "parts", "broken rows"
"""Beside the answers, which stand under the ids of the obligations: the rows of each part, and how many rows break a promise."""
_Places = Mapping[str, Obligation]
"""The obligations by the names of their columns in the query."""


def ask(rows: pl.LazyFrame, obligations: list[Obligation], subject: Subject, past: Past) -> Answers:
    """The answers by the ids of the obligations. In the query there is one row of counts for the row rules, and beside it one row for each
    question about the table.
    """
    places = {f"{index}": obligation for index, obligation in enumerate(obligations)}
    records = rows.filter(~pl.col(NOT_AN_OBJECT)) if subject.columns.has(NOT_AN_OBJECT) else rows
    repeats = repeats_of(obligations, records, subject.candidate.rows, subject.contract, subject.columns)
    alone: Mapping[str, int] = {}
    if subject.contract.enforcement.on_breach == "quarantine":
        alone, broken = _split(rows, obligations, subject, past, repeats)
        frames, staying = [], broken.staying(rows)
    else:
        frames, staying = [*_counted(places, rows, records, subject)], records
    for place, item in places.items():
        if isinstance(item.promise, MeasuredPromise):
            whole = records if is_in_rows(item, subject) else staying
            frames.append(_in_one(answer(item.promise, whole, _question(subject, past)), place))
    keyed, in_passes = ask_by_key(places, staying, subject, past)
    frames += keyed
    frames += _by_part(staying, subject)
    found = pl.concat(frames, how="horizontal").collect(engine="streaming").row(0, named=True) if frames else {}
    return (
        {name: counts_of(values) for name, values in repeats.items()}
        | dict(_read(merged(found, in_passes), places))
        | dict(alone)
    )


def _split(
    rows: pl.LazyFrame, obligations: list[Obligation], subject: Subject, past: Past, repeats: Repeats
) -> tuple[Mapping[str, int], BrokenRows]:
    """The counts of all that single rows break, of the rows that go to quarantine too, and which these are."""
    sending = [item for item in obligations if sends_away(item, subject)]
    counts, found = counted_alone(rows, obligations, sending, subject)
    found = remember(found.with_those_at(places_of_repeats(rows, sending, subject, repeats)), sending, subject)
    found = found.with_those_at(places_taken(rows, sending, subject, past.taken))
    return {**counts, BROKEN: found.count}, found


def _read(found: Mapping[str, Any], places: _Places) -> Iterator[tuple[str, Any]]:
    for place, item in places.items():
        if place in found:
            yield item.id, found[place]
        elif isinstance(item.promise, RecordsAreObjects):
            yield item.id, found.get(NOT_AN_OBJECT)
    if MEASURES in found:
        yield MEASURES, found[MEASURES]
    yield PARTS, {part["name"]: part["rows"] for part in found.get(PARTS) or ()}


def _counted(places: _Places, rows: pl.LazyFrame, records: pl.LazyFrame, subject: Subject) -> Iterator[pl.LazyFrame]:
    """The counts of all that is about rows, and how many rows are no records."""
    alone = nulls.asked_alone(places, subject)
    yield from nulls.counted(records, alone)
    others = ((place, _broken(item, subject)) for place, item in places.items() if place not in alone)
    counts = [broken.alias(place) for place, broken in others if broken is not None]
    if counts:
        yield records.select(counts)
    if subject.columns.has(NOT_AN_OBJECT):
        yield rows.select(pl.col(NOT_AN_OBJECT).sum())


def _broken(obligation: Obligation, subject: Subject) -> pl.Expr | None:
    """How many rows break the obligation, where rows are what it is about."""
    promise, columns = obligation.promise, subject.columns
    match promise:
        case HasType(column, promised) if not columns.fits(column, promised):
            return None
        case Present(column):
            return pl.col(ABSENT + column).sum() if columns.has(ABSENT + column) else None
        case _:
            return (~kept(promise, columns)).sum() if isinstance(promise, RowPromise) else None


def _question(subject: Subject, past: Past) -> Question:
    terms = subject.contract.delivery.partition
    judges_missing = terms is not None and not subject.refuses_missing(terms.column)
    return Question(subject.columns, subject.candidate.partition, terms, judges_missing, past.taken)


def _by_part(rows: pl.LazyFrame, subject: Subject) -> Iterator[pl.LazyFrame]:
    name = part_column(subject)
    if name is not None:
        sizes = rows.select(name=pl.col(name).cast(pl.String)).group_by("name").len("rows")
        yield sizes.select(pl.struct("name", "rows").implode().alias(PARTS))


def part_column(subject: Subject) -> str | None:
    """The column that tells which part a row is of: the contract's own, or, to see of which parts rows stay, the candidate's."""
    if subject.part_column is not None or subject.contract.enforcement.on_breach != "quarantine":
        return subject.part_column
    return PART_NAME if subject.columns.has(PART_NAME) else None


def _in_one(answers: pl.LazyFrame, place: str) -> pl.LazyFrame:
    """The one row of an answer as one value, so that all answers fit into one row."""
    return answers.select(pl.struct(pl.all()).alias(place))
