"""The same plan written by hand in Polars: what our planning and reporting may cost is told against it."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import polars as pl

from benchmarks.contenders.answer import say

_STATUSES = ("open", "paid", "sent", "returned", "closed")
_BLANK = r"^\s*$"


def count(path: Path) -> Mapping[str, int]:
    """One streaming query for the row rules, one group_by for each key."""
    rows = pl.scan_parquet(path)
    quantity, price, status = pl.col("quantity"), pl.col("price"), pl.col("status")
    is_known = pl.any_horizontal(status == word for word in _STATUSES)
    of_rows = rows.select(
        *(
            pl.col(name).null_count().alias(f"{name}.null")
            for name in ("order_id", "shop", "ticket", "sku", "status", "quantity")
        ),
        (~pl.col("email").str.contains(r"^(?:[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,})$")).sum().alias("email.pattern"),
        (~pl.col("sku").str.contains(r"^(?:[A-Z]{3}-[0-9]{5})$")).sum().alias("sku.pattern"),
        (~is_known).sum().alias("status.enum"),
        (~quantity.is_between(1, 1000)).sum().alias("quantity.range"),
        (~price.is_between(0, 100_000)).sum().alias("price.range"),
        (pl.col("note").str.len_chars() > 60).sum().alias("note.length"),
        pl.col("note").str.contains(_BLANK).sum().alias("note.blank"),
        (~pl.col("ordered_on").is_between(date(2024, 1, 1), date(2025, 12, 31))).sum().alias("ordered_on.range"),
    )
    keys = {"order_id.unique": ["order_id"], "key": ["shop", "ticket"]}
    of_keys = [
        rows.select(by).group_by(by).len("size").filter(pl.col("size") > 1).select(pl.col("size").sum().alias(rule))
        for rule, by in keys.items()
    ]
    return pl.concat([of_rows, *of_keys], how="horizontal").collect(engine="streaming").row(0, named=True)


if __name__ == "__main__":
    say(count)
