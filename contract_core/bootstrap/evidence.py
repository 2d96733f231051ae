"""What the values of a candidate show: nulls, absence, lower bounds, closed sets. Each guess carries the counts that it rests on.

Names of columns say nothing here. A closed set is the one place where values of the data enter a contract, so it is kept to
few, short, often repeated texts of the form of codes, and none of a column is told where one could be of a person.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from contract_core.bootstrap.draft import Draft, FieldDraft
from contract_core.candidate.columns import ABSENT, column

_MOST_VALUES, _LONGEST, _FEWEST_ROWS, _ROWS_A_VALUE = 20, 40, 50, 10
_FEWEST_NUMBERS = 10
_CODE = re.compile(r"[\w.+/&%#:()<>=*-]+")  # no blank, comma, quote or @: names, addresses, sentences have one of them
_MOST_DIGITS = 4  # a year has four; telephone and account numbers, identifiers and addresses of machines have more
_PERSONAL = re.compile(
    r".*(?://|www\.).*|\d+(?:\.\d+){3}|[1-9]\d{3}[A-Z]{2}|(?:[A-Z]\.)+\w{2,}|[^\W\d_]{2,}(?:\.[^\W\d_]{2,})+|[0-9a-fA-F-]{12,}"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """The counts of one field; `low` is its smallest number, `high` its largest, `distinct` about how many values it has."""

    rows: int
    nulls: int
    absent: int = 0
    not_finite: int = 0
    low: Any = None
    high: Any = None
    distinct: int = 0

    @property
    def values(self) -> int:
        """The rows that have a value."""
        return self.rows - self.nulls


def facts_of(rows: pl.LazyFrame, names: Sequence[str]) -> dict[str, Facts]:
    """The counts of every field, in one pass over the candidate."""
    types = rows.collect_schema()
    asked: dict[str, pl.Expr] = {"rows": pl.len()}
    for place, name in enumerate(names):
        asked |= {f"{place}.{what}": expression for what, expression in _asked(name, types).items()}
    found = rows.select(**asked).collect(engine="streaming").row(0, named=True)
    return {name: _facts(found, place) for place, name in enumerate(names)}


def _asked(name: str, types: Mapping[str, pl.DataType]) -> dict[str, pl.Expr]:
    values, dtype = column(name), types[name]
    asked = {"nulls": values.is_null().sum()}
    if ABSENT + name in types:
        asked["absent"] = column(ABSENT + name).sum()
    if dtype.is_float():
        asked["not_finite"] = (values.is_not_null() & ~values.is_finite()).sum()
    if dtype.is_integer():
        asked |= {"low": values.min(), "high": values.max()}
    if dtype.is_integer() or isinstance(dtype, pl.String | pl.Date | pl.Datetime | pl.Boolean):
        asked["distinct"] = values.approx_n_unique()
    return asked


def _facts(found: Mapping[str, Any], place: int) -> Facts:
    def count(what: str) -> int:
        return int(found.get(f"{place}.{what}") or 0)

    low, high = found.get(f"{place}.low"), found.get(f"{place}.high")
    return Facts(found["rows"], count("nulls"), count("absent"), count("not_finite"), low, high, count("distinct"))


def with_evidence(draft: Draft, rows: pl.LazyFrame, facts: Mapping[str, Facts]) -> Draft:
    """The draft with nulls, absence, lower bounds and closed sets as they were found."""
    for item in draft.fields:
        found = facts[item.name]
        draft = draft.with_field(_closed(_bounded(_missing(item, found), found), rows, found))
    return draft


def _missing(item: FieldDraft, found: Facts) -> FieldDraft:
    many = f"{found.rows:,} rows"
    if found.rows and not found.values:
        item = item.having(f"no value in {many}, so nothing is known of it", type=item.terms["type"])
    if found.absent:
        item = item.having(f"absent in {found.absent:,} of {many}", required=False)
    if found.nulls > found.absent:
        item = item.having(_nulls(found.nulls - found.absent, many), nullable=True)
    if found.not_finite:
        item = item.having(f"{found.not_finite:,} of {many} are no finite number", allow_nan=True)
    return item


def _nulls(count: int, many: str) -> str:
    return f"{count:,} null{'' if count == 1 else 's'} in {many}"


def _bounded(item: FieldDraft, found: Facts) -> FieldDraft:
    """A whole number that is never negative may be a count; what it is, nobody can tell from the numbers."""
    if found.low is None or found.low < 0 or found.values < _FEWEST_NUMBERS:
        return item
    return item.having(f"none below 0 in {found.values:,} rows", min=0)


def _closed(item: FieldDraft, rows: pl.LazyFrame, found: Facts) -> FieldDraft:
    is_small = 0 < found.distinct <= 2 * _MOST_VALUES and found.values >= _FEWEST_ROWS
    if item.terms["type"] != "string" or not is_small:
        return item
    counted = rows.select(value=column(item.name)).drop_nulls().group_by("value").len("times").sort("value")
    values = counted.collect(engine="streaming")
    texts, fewest = values["value"].to_list(), min(values["times"].to_list(), default=0)
    is_repeated = len(texts) * _ROWS_A_VALUE <= found.values and fewest > 1
    if not is_repeated or len(texts) > _MOST_VALUES or not all(map(_is_short, texts)):
        return item
    counts = f"{len(texts):,} distinct in {found.values:,} rows"
    if not all(map(_is_code, texts)):
        why = "not listed: some could be names, numbers or words of people; list them if they are codes"
        return replace(item, notes={**item.notes, "enum": f"{counts}, {why}"})
    return item.having(counts, enum=tuple(texts))


def _is_short(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and text.isprintable()


def _is_code(text: str) -> bool:
    """False for what has the form of addresses, telephone and account numbers, identifiers, names of people or sentences.

    One such text is enough for no text of a column to be told, since a person may stand in any column of codes.
    """
    letters = [letter for letter in text if letter.isalpha()]
    has_script_without_case = any(letter.upper() == letter.lower() for letter in letters)  # names have no blank there
    is_numbered = sum(letter.isdigit() for letter in text) > _MOST_DIGITS
    is_one_word = _CODE.fullmatch(text) is not None and _PERSONAL.fullmatch(text) is None
    return is_one_word and not is_numbered and not has_script_without_case
