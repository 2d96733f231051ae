"""A contract as a pandera `DataFrameSchema`, for producers' own tests and decorators, with the gate's own expressions inside.

What it does not hold stays with the gate: groups of rows, parts, partitions, completeness, freshness, row counts. A family stands for the
type that its text is decoded to, since pandera names one type for a column.
"""

from collections.abc import Iterator
from typing import Any

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData

from contract_core.candidate.physical_types import decoded_dtype
from contract_core.contract.model import Contract, Field
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.promise_kinds import HasType, Holds, RowPromise
from contract_core.validation.row_rules import kept
from contract_core.validation.schema_match import Columns


class _RowsToo(pa.DataFrameSchema):
    """Judges a lazy frame as it judges the frame that comes of it; pandera 0.35 alone looks at the columns of one and passes its rows."""

    def validate(self, check_obj: Any, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as pandera has them
        """The frame as it came, where it keeps the contract: a lazy one is collected once and given back lazy."""
        if isinstance(check_obj, pl.LazyFrame):
            return super().validate(check_obj.collect(), *arguments, **options).lazy()
        return super().validate(check_obj, *arguments, **options)

    @classmethod
    def get_backend(cls, *of: Any, **kind: Any) -> Any:  # noqa: ANN401 - as pandera has them
        """Pandera's own, which it looks up by the very class."""
        return pa.DataFrameSchema.get_backend(*of, **kind)


def pandera_schema(contract: Contract) -> pa.DataFrameSchema:
    """The schema that keeps a frame to this contract; each check is named by its obligation."""
    types = {field.name: decoded_dtype(field.type) for field in contract.fields}
    columns = Columns(types, is_text=False)
    obligations = obligations_of(contract)
    return _RowsToo(
        {field.name: _column(field, obligations, columns) for field in contract.fields},
        checks=[_check(item, columns) for item in obligations if isinstance(item.promise, Holds)],
        strict=contract.extra_fields == "reject",
        unique=list(contract.key) or None,
        name=contract.name,
        coerce=False,
        description=contract.description,
    )


def _column(field: Field, obligations: tuple[Obligation, ...], columns: Columns) -> pa.Column:
    return pa.Column(
        columns.types[field.name],
        checks=[_check(item, columns) for item in _value_rules(field, obligations)],
        nullable=True,  # our own check judges nulls: pandera 0.35 takes NaN for one
        required=field.required,
        description=field.description or field.semantics,
    )


def _value_rules(field: Field, obligations: tuple[Obligation, ...]) -> Iterator[Obligation]:
    """The obligations about a field's values; pandera itself judges its presence and its type."""
    return (
        item
        for item in obligations
        if item.id == f"{field.name}.{item.rule}"
        and isinstance(item.promise, RowPromise)
        and not isinstance(item.promise, HasType)
    )


def _check(obligation: Obligation, columns: Columns) -> pa.Check:
    promise = obligation.promise
    assert isinstance(promise, RowPromise)
    holds = kept(promise, columns)

    def judged(data: PolarsData) -> pl.LazyFrame:
        return data.lazyframe.select(holds)

    return pa.Check(judged, name=obligation.id, error=obligation.id, raise_warning=obligation.severity.value == "warn")
