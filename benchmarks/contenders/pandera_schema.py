"""pandera: the same rules as a DataFrameSchema for Polars, asked for all failures at full depth."""

import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path

os.environ["PANDERA_VALIDATION_DEPTH"] = "SCHEMA_AND_DATA"

import pandera.polars as pa
import polars as pl

from benchmarks.contenders.answer import say

_STATUSES = ["open", "paid", "sent", "returned", "closed"]
SCHEMA = pa.DataFrameSchema(
    {
        "order_id": pa.Column(pl.Int64, unique=True),
        "shop": pa.Column(pl.String),
        "ticket": pa.Column(pl.Int64),
        "email": pa.Column(pl.String, pa.Check.str_matches(r"^[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,}$"), nullable=True),
        "sku": pa.Column(pl.String, pa.Check.str_matches(r"^[A-Z]{3}-[0-9]{5}$")),
        "status": pa.Column(pl.String, pa.Check.isin(_STATUSES)),
        "quantity": pa.Column(pl.Int32, pa.Check.in_range(1, 1000)),
        "price": pa.Column(pl.Float64, pa.Check.in_range(0, 100_000)),
        "note": pa.Column(
            pl.String,
            [pa.Check.str_length(max_value=60), pa.Check.str_matches(r"\S")],
            nullable=True,
        ),
        "ordered_on": pa.Column(pl.Date, pa.Check.in_range(date(2024, 1, 1), date(2025, 12, 31))),
        "is_gift": pa.Column(pl.Boolean),
        "weight": pa.Column(pl.Float64),
    },
    unique=["shop", "ticket"],
)


def count(path: Path) -> Mapping[str, int]:
    """The failure cases, counted by check."""
    try:
        SCHEMA.validate(pl.read_parquet(path), lazy=True)
    except pa.errors.SchemaErrors as error:
        cases = error.failure_cases.group_by("column", "check").len().rows()
        return {_rule(column, check): size for column, check, size in cases}
    return {}


_KINDS = {"in_range": "range", "isin": "enum", "str_matches": "pattern", "str_length": "length"}


def _rule(column: str, check: str) -> str:
    if check == "not_nullable":
        return f"{column}.null"
    if check == "field_uniqueness":
        return f"{column}.unique"
    if check.startswith("multiple_fields_uniqueness"):
        return "key"
    kind = _KINDS[check.split("(", 1)[0]]
    return "note.blank" if (column, kind) == ("note", "pattern") else f"{column}.{kind}"


if __name__ == "__main__":
    say(count)
