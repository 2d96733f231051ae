"""What a delivery changes of what is published already: how many keys, in which fields and by how much, and none of their values.

Counted at judgement, for an accepted delivery that corrects another one's rows. It is no promise and holds nothing back: where
it cannot be told, nothing is.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl
from deltalake import DeltaTable

from contract_core.candidate.columns import column
from contract_core.candidate.snapshot import Candidate
from contract_core.contract.logical_type import Family
from contract_core.contract.model import Contract
from contract_core.errors import ContractCoreError
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.markers import marker_number, partition_marker
from contract_core.publication.published_keys import rows_of_partition
from contract_core.publication.published_schema import UNDECLARED, Column, published_columns, refuse_mismatch
from contract_core.publication.restated_keys import Sides, Value, key_counts
from contract_core.publication.tables import TABLE_FAILURES, open_table, rows_of
from contract_core.validation.breaking_rows import conforming_rows

_UNTELLABLE: tuple[type[BaseException], ...] = (ContractCoreError, *TABLE_FAILURES)


def restated(contract: Contract, candidate: Candidate, decision: Decision, published: Path) -> Mapping[str, int]:
    """The counts of what publishing the candidate would change in the published table at a place.

    Nothing where nothing was published before, for a delivery that is published already, refused, or only added to others,
    and where the table cannot be read or cannot take the candidate.
    """
    if contract.publication.mode == "append" or decision.verdict is Verdict.REFUSE:
        return {}
    try:
        table = open_table(published)
        if table is None or not _is_correction(contract, candidate, table):
            return {}
        return _counts(contract, candidate, _sides(contract, candidate, decision, table))
    except _UNTELLABLE:
        return {}


def _is_correction(contract: Contract, candidate: Candidate, table: DeltaTable) -> bool:
    """True where another submission was published that the candidate may correct."""
    shown = table.transaction_version(partition_marker(contract.name, candidate.partition))
    if shown == marker_number(candidate.submission):
        return False
    terms = contract.delivery.partition
    can_be_found = terms is None or terms.column in pl.Schema(table.schema())
    return contract.publication.mode == "upsert" or (shown is not None and can_be_found)


def _sides(contract: Contract, candidate: Candidate, decision: Decision, table: DeltaTable) -> Sides:
    stored = pl.Schema(table.schema())
    source = _offered(contract, candidate, decision)
    columns = published_columns(contract, source.collect_schema(), stored)
    refuse_mismatch(contract, columns, stored)
    key = {f"{place}": made.name for place, made in enumerate(columns) if made.name in contract.key}
    after = _placed(source.with_columns(made.rows for made in columns), columns)
    if contract.publication.mode == "upsert":
        shown = _placed(_completed(rows_of(table), columns, stored), columns)
        before = shown.join(after.select(list(key)), on=list(key), how="semi", nulls_equal=True)
    else:
        shown = rows_of_partition(contract, candidate.partition, table)
        before = _placed(_completed(shown, columns, stored), columns)
    return Sides(before, after, key, tuple(_values(contract, columns)))


def _offered(contract: Contract, candidate: Candidate, decision: Decision) -> pl.LazyFrame:
    if decision.verdict is Verdict.PUBLISH_WITH_QUARANTINE:
        return conforming_rows(contract, candidate, None)
    return candidate.scanned()


def _completed(rows: pl.LazyFrame, columns: tuple[Column, ...], stored: pl.Schema) -> pl.LazyFrame:
    return rows.with_columns(
        pl.lit(None, dtype=made.type).alias(made.name) for made in columns if made.name not in stored
    )


def _placed(rows: pl.LazyFrame, columns: tuple[Column, ...]) -> pl.LazyFrame:
    """The columns under their places, so that no name of a field can be one of ours."""
    return rows.select(column(made.name).alias(f"{place}") for place, made in enumerate(columns))


def _values(contract: Contract, columns: tuple[Column, ...]) -> Iterator[Value]:
    for place, made in enumerate(columns):
        if made.name not in contract.key:
            yield Value(place, made.label, made.label != UNDECLARED and _is_told(contract, made))


def _is_told(contract: Contract, made: Column) -> bool:
    field = contract.field(made.name)
    is_number = field.type.family in (Family.INTEGER, Family.NUMBER) and made.type.is_numeric()
    return is_number and field.classification not in ("confidential", "restricted")


def _counts(contract: Contract, candidate: Candidate, sides: Sides) -> dict[str, int]:
    """How many rows are replaced by how many, and what becomes of their keys; nothing where upsert replaces none."""
    is_upsert = contract.publication.mode == "upsert"
    held = candidate.rows if is_upsert else max(candidate.rows, _size(sides.before))
    found = key_counts(sides, held)
    return {} if is_upsert and not found["rows_before"] else found


def _size(rows: pl.LazyFrame) -> int:
    return int(rows.select(pl.len()).collect(engine="streaming").item())
