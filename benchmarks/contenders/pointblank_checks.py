"""pointblank: the rules as one validation of a lazy Polars frame. It takes a null for a breach of some rules, which is said there."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pointblank as pb
import polars as pl

from benchmarks.contenders.answer import say

_STATUSES = ["open", "paid", "sent", "returned", "closed"]


def count(path: Path) -> Mapping[str, int]:
    """How many test units of each step failed; a null is passed over where the step can be told so."""
    checked = pb.Validate(pl.scan_parquet(path))
    rules = []
    for name in ("order_id", "shop", "ticket", "sku", "status", "quantity"):
        checked, rules = checked.col_vals_not_null(columns=name), [*rules, f"{name}.null"]
    checked = checked.col_vals_regex("email", r"^[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,}$", na_pass=True)
    checked = checked.col_vals_regex("sku", r"^[A-Z]{3}-[0-9]{5}$", na_pass=True)
    checked = checked.col_vals_in_set("status", _STATUSES)
    checked = checked.col_vals_between("quantity", 1, 1000, na_pass=True)
    checked = checked.col_vals_between("price", 0, 100_000, na_pass=True)
    checked = checked.col_vals_expr(pl.col("note").str.len_chars() <= 60)
    checked = checked.col_vals_regex("note", r"\S", na_pass=True)
    checked = checked.col_vals_between("ordered_on", date(2024, 1, 1), date(2025, 12, 31), na_pass=True)
    checked = checked.rows_distinct(["order_id"]).rows_distinct(["shop", "ticket"])
    rules += [
        "email.pattern",
        "sku.pattern",
        "status.enum",
        "quantity.range",
        "price.range",
        "note.length",
        "note.blank",
    ]
    rules += ["ordered_on.range", "order_id.unique", "key"]
    failed = checked.interrogate(collect_extracts=False).n_failed()
    return dict(zip(rules, failed.values(), strict=True))


if __name__ == "__main__":
    say(count)
