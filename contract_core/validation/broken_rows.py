"""Which rows of a candidate go to quarantine: one bit for each of them, found while the breaches are counted.

What a row breaks by itself is asked once for every row; rows that share a value are found in the columns that hold it. The bits
tell what stays from what goes, so that no rule is asked for a second time.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from contract_core.candidate.columns import ABSENT, FILE_INDEX, NOT_AN_OBJECT, ROW_NUMBER, column
from contract_core.validation.obligations import Obligation
from contract_core.validation.promise_kinds import (
    HasType,
    NewKey,
    Present,
    RecordsAreObjects,
    RowPromise,
    UniqueKey,
)
from contract_core.validation.repeats import Repeats, by_of
from contract_core.validation.row_rules import kept
from contract_core.validation.subject import Subject
from contract_core.validation.table_rules import is_concerned

MARK = "__breaks."
"""Before the id of an obligation: the column that is true where a row breaks it."""
_PLACE, _IS_BROKEN = "__place", "__is_broken"


@dataclass(frozen=True, slots=True, eq=False)
class BrokenRows:
    """Bits for each row, in the candidate's order: whether it goes, and for each promise about several rows whether it breaks that.

    What a row breaks by itself can be asked of it again. A bit takes an eighth of a byte, whatever the row holds.
    """

    bits: pl.DataFrame

    @property
    def flags(self) -> pl.Series:
        """True for each row that goes."""
        return self.bits[_IS_BROKEN]

    @property
    def count(self) -> int:
        """How many rows go."""
        return int(self.flags.sum())

    def staying(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """The rows of the candidate that stay, in their order."""
        if not self.flags.any():
            return rows
        return _beside(rows, self.bits.select(_IS_BROKEN)).filter(~pl.col(_IS_BROKEN)).drop(_IS_BROKEN)

    def going(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """The others, each with its further bits under the marks of the obligations; nothing is read where none goes."""
        if not self.flags.any():
            return _beside(rows.head(0), self.bits.head(0)).drop(_IS_BROKEN)
        return _beside(rows, self.bits).filter(pl.col(_IS_BROKEN)).drop(_IS_BROKEN)

    def stretch(self, begin: int, size: int) -> "BrokenRows":
        """The bits of `size` rows from one of them on."""
        return BrokenRows(self.bits.slice(begin, size))

    def with_those_at(self, places: Mapping[str, pl.Series]) -> "BrokenRows":
        """The same, and that the rows at these places break what is named besides."""
        none = pl.repeat(value=False, n=self.bits.height, dtype=pl.Boolean, eager=True)
        marks = [none.clone().scatter(found, values=True).alias(MARK + name) for name, found in places.items()]
        broken = pl.any_horizontal(_IS_BROKEN, *(mark.name for mark in marks))
        return BrokenRows(self.bits.with_columns(marks).with_columns(broken.alias(_IS_BROKEN)))


def _beside(rows: pl.LazyFrame, bits: pl.DataFrame) -> pl.LazyFrame:
    """Rows with their bits. Polars raises where there are other rows than bits."""
    return pl.concat([rows, bits.lazy()], how="horizontal")


def is_record(subject: Subject) -> pl.Expr:
    """True for each row that a record was read from."""
    return ~pl.col(NOT_AN_OBJECT) if subject.columns.has(NOT_AN_OBJECT) else pl.lit(value=True)


def breaks_alone(obligation: Obligation, subject: Subject) -> pl.Expr | None:
    """True for each row that breaks the obligation by itself; None for what is about several rows, or cannot be asked of one."""
    promise, columns = obligation.promise, subject.columns
    match promise:
        case RecordsAreObjects():
            return pl.col(NOT_AN_OBJECT) if columns.has(NOT_AN_OBJECT) else None
        case Present(name):
            return column(ABSENT + name) & is_record(subject) if columns.has(ABSENT + name) else None
        case HasType(name, promised) if not columns.fits(name, promised):
            return None
        case _:
            return ~kept(promise, columns) & is_record(subject) if isinstance(promise, RowPromise) else None


def counted_alone(
    rows: pl.LazyFrame, obligations: Collection[Obligation], sending: Collection[Obligation], subject: Subject
) -> tuple[Mapping[str, int], BrokenRows]:
    """By the ids of the obligations how many rows break each by itself, and which break one of those that send rows away."""
    marks = {
        item.id: mark.alias(f"{place}")
        for place, item in enumerate(obligations)
        if (mark := breaks_alone(item, subject)) is not None
    }
    names = {name: mark.meta.output_name() for name, mark in marks.items()}
    broken = pl.any_horizontal(pl.lit(value=False), *(names[item.id] for item in sending if item.id in names))
    judged = rows.with_columns(marks.values()).with_columns(broken.alias(_IS_BROKEN))
    sums = [pl.col(place).sum() for place in names.values()]
    found = judged.select(*sums, pl.col(_IS_BROKEN).implode()).collect(engine="streaming")
    return {name: int(found[place].item()) for name, place in names.items()}, BrokenRows(
        pl.DataFrame({_IS_BROKEN: found[_IS_BROKEN].item()})
    )


def places_of_repeats(
    rows: pl.LazyFrame, obligations: Iterable[Obligation], subject: Subject, repeats: Repeats
) -> Mapping[str, pl.Series]:
    """Where the rows are whose values are repeated, for each obligation that has any: all rows of a value go together."""
    found = {}
    for item in obligations:
        if item.id in repeats and not repeats[item.id].is_empty():
            where = item.promise.where if isinstance(item.promise, UniqueKey) else None
            meant = is_record(subject) & is_concerned(where, subject.columns)
            found[item.id] = _places(rows, repeats[item.id].lazy(), by_of(repeats[item.id]), meant)
    return found


def places_taken(
    rows: pl.LazyFrame, obligations: Iterable[Obligation], subject: Subject, taken: pl.LazyFrame | None
) -> Mapping[str, pl.Series]:
    """Where the rows are whose key is published already, if that sends them away."""
    asking = [item.id for item in obligations if isinstance(item.promise, NewKey)]
    if not asking:
        return {}
    assert taken is not None, "it is unjudged where nobody looked at the published table"
    found = _places(rows, taken, [FILE_INDEX, ROW_NUMBER], is_record(subject))
    return dict.fromkeys(asking, found)


def _places(rows: pl.LazyFrame, values: pl.LazyFrame, by: list[str], meant: pl.Expr) -> pl.Series:
    offered = rows.with_row_index(_PLACE).filter(meant).select(pl.col(_PLACE), *map(column, by))
    found = offered.join(values.select(map(column, by)), on=by, how="semi", nulls_equal=True)
    return found.select(_PLACE).collect(engine="streaming")[_PLACE]
