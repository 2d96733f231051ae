"""A candidate made ready for its published table: columns, rows and what they replace, with every reason against it found first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import polars as pl
from deltalake import DeltaTable

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.candidate.columns import column
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.model import Contract
from contract_core.errors import Problem, PublicationError
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.published_keys import taken_rows
from contract_core.publication.published_schema import Column, published_columns, refuse_mismatch
from contract_core.publication.replacement import Replacement, replacement_of
from contract_core.publication.tables import TABLE_FAILURES
from contract_core.publication.windows import in_windows, sifted_in_windows
from contract_core.validation.breaking_rows import Split, split_of

_JUDGE_AGAIN = "nothing was written; check the delivery again, against the table as it is now"


@dataclass(frozen=True, slots=True)
class Offer:
    """What one commit would write: lazy rows in published form, their types, and what is replaced.

    `form` makes them of rows of the candidate. `apart` tells which rows go to quarantine instead; None where the decision lets all
    of them through.
    """

    rows: pl.LazyFrame
    types: pl.Schema
    replacement: Replacement
    form: Callable[[pl.LazyFrame], pl.LazyFrame]
    apart: Split | None = None

    def frames(self) -> Iterator[pl.DataFrame]:
        """The rows as small frames, in memory that does not grow with the candidate."""
        split = self.apart
        if split is None:
            return in_windows(self.rows)
        return sifted_in_windows(lambda begin, size: self.form(split.stretch(begin, size).staying()), split.height)

    def replaced_by(self, contract: Contract) -> str | None:
        """The predicate of the published rows that go with this commit; None where none are sure to."""
        return self.replacement.predicate if contract.publication.mode == "replace_partition" else None


def prepare(contract: Contract, candidate: Candidate, table: DeltaTable | None, allowed: LedgerEntry) -> Offer:
    """The offer for a table, None for one that is not there yet, under the decision that allows it.

    Raises PublicationError before any write.
    """
    stored = None if table is None else pl.Schema(table.schema())
    if table is not None:
        _refuse_append_only(contract, table)
    source = candidate.scanned()
    columns = published_columns(contract, _schema_of(source, contract), stored or {})
    if stored is not None:
        refuse_mismatch(contract, columns, stored)
    replacement = replacement_of(contract, candidate.partition, {made.name: made.type for made in columns})
    is_asked = allowed.quarantined or contract.enforcement.on_breach != "warn"
    taken = _taken(contract, candidate, table) if contract.publication.mode == "append" and is_asked else None
    apart = None
    if allowed.quarantined:
        apart = _split(contract, candidate, taken)
        source = apart.staying()
        if taken is not None:
            _refuse_another_split(source, allowed, contract)
    elif taken is not None:
        _refuse_taken(taken, contract)
    form = partial(_published, columns=columns, contract=contract)
    rows = form(source)
    _refuse_inexact(source, columns, contract)
    if contract.publication.mode != "upsert":
        _refuse_strangers(rows, replacement, contract)
    return Offer(rows, pl.Schema({made.name: made.type for made in columns}), replacement, form, apart)


def _published(source: pl.LazyFrame, columns: tuple[Column, ...], contract: Contract) -> pl.LazyFrame:
    rows = source.with_columns(made.rows for made in columns).select(column(made.name) for made in columns)
    return rows.with_columns(_one_nan(contract, columns))


def _refuse_append_only(contract: Contract, table: DeltaTable) -> None:
    """A table in which somebody forbade changes is left as it is, its columns and constraints too."""
    is_closed = str(table.metadata().configuration.get("delta.appendOnly")).lower() == "true"
    if is_closed and contract.publication.mode != "append":
        what = f"the published table lets rows be added only (delta.appendOnly), and the contract's mode is {contract.publication.mode}"
        raise PublicationError(
            Problem(_where(contract), what, "nothing was written; remove that property, or publish into a new table")
        )


def _one_nan(contract: Contract, columns: tuple[Column, ...]) -> list[pl.Expr]:
    """Keys of floats with one NaN, which is one key here: a merge tells NaNs of different bits apart."""
    floats = [made.name for made in columns if made.name in contract.key and made.type.is_float()]
    return [pl.when(column(name).is_nan()).then(float("nan")).otherwise(column(name)).alias(name) for name in floats]


def _split(contract: Contract, candidate: Candidate, taken: pl.LazyFrame | None) -> Split:
    try:
        return split_of(contract, candidate, taken)
    except READ_FAILURES as error:
        kind = type(error).__name__
    raise _unreadable(contract, kind)


def _refuse_another_split(staying: pl.LazyFrame, allowed: LedgerEntry, contract: Contract) -> None:
    """What stays must be what was decided on: a rival may have published a key since then."""
    count = int(_collect(staying.select(pl.len()), contract).item())
    if count != allowed.published_rows:
        what = f"{count:,} rows break nothing now, and the decision is about {allowed.published_rows:,}"
        raise PublicationError(Problem(_where(contract), what, _JUDGE_AGAIN))


def _taken(contract: Contract, candidate: Candidate, table: DeltaTable | None) -> pl.LazyFrame:
    try:
        return taken_rows(contract, candidate, table)
    except TABLE_FAILURES as error:
        kind = type(error).__name__
    raise _unreadable(contract, kind)


def _refuse_taken(taken: pl.LazyFrame, contract: Contract) -> None:
    count = int(_collect(taken.select(pl.len()), contract).item())
    if count:
        what = f"{count:,} rows have a key that was published since the delivery was judged"
        raise PublicationError(Problem(_where(contract), what, _JUDGE_AGAIN))


def _refuse_inexact(source: pl.LazyFrame, columns: tuple[Column, ...], contract: Contract) -> None:
    counted = {str(place): made.inexact for place, made in enumerate(columns) if made.inexact is not None}
    if not counted:
        return
    found = _collect(source.select(**counted), contract).row(0, named=True)
    problems = [
        Problem(
            _where(contract),
            f"column '{columns[int(place)].label}' has {rows} rows that {columns[int(place)].type} cannot hold exactly",
            "nothing was written; deliver values of microseconds and within 64 bits, or promise another type",
        )
        for place, rows in found.items()
        if rows
    ]
    if problems:
        raise PublicationError(*problems)


def _refuse_strangers(rows: pl.LazyFrame, replacement: Replacement, contract: Contract) -> None:
    if replacement.belongs is None:
        return
    strangers = int(_collect(rows.select((~replacement.belongs).sum()), contract).item())
    if strangers:
        what = f"{strangers} rows lie outside the partition that is published"
        raise PublicationError(Problem(_where(contract), what, "nothing was written; deliver each partition by itself"))


def _schema_of(source: pl.LazyFrame, contract: Contract) -> pl.Schema:
    try:
        return source.collect_schema()
    except READ_FAILURES as error:
        kind = type(error).__name__
    raise _unreadable(contract, kind)


def _collect(query: pl.LazyFrame, contract: Contract) -> pl.DataFrame:
    """The answer to a query; the library's own words stay here, since they may quote a value."""
    try:
        return query.collect(engine="streaming")
    except READ_FAILURES as error:
        kind = type(error).__name__
    raise _unreadable(contract, kind)


def _unreadable(contract: Contract, kind: str) -> PublicationError:
    return PublicationError(
        Problem(_where(contract), f"the candidate cannot be read ({kind})", "nothing was written; take it again")
    )


def _where(contract: Contract) -> str:
    return f"contract '{contract.name}' {contract.version}"
