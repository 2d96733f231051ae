"""dataframely: the rules as a Schema; `filter` tells how many rows break each."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import dataframely as dy
import polars as pl

from benchmarks.contenders.answer import say


class Orders(dy.Schema):
    """The columns and their rules."""

    order_id = dy.Int64(nullable=False, unique=True)
    shop = dy.String(nullable=False)
    ticket = dy.Int64(nullable=False)
    email = dy.String(nullable=True, regex=r"^[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,}$")
    sku = dy.String(nullable=False, regex=r"^[A-Z]{3}-[0-9]{5}$")
    status = dy.String(
        nullable=False, check={"enum": lambda value: value.is_in(["open", "paid", "sent", "returned", "closed"])}
    )
    quantity = dy.Int32(nullable=False, min=1, max=1000)
    price = dy.Float64(nullable=False, min=0, max=100_000)
    note = dy.String(nullable=True, max_length=60, check={"blank": lambda value: value.str.strip_chars() != ""})
    ordered_on = dy.Date(nullable=False, min=date(2024, 1, 1), max=date(2025, 12, 31))
    is_gift = dy.Bool(nullable=False)
    weight = dy.Float64(nullable=False)

    @dy.rule()
    def key(cls) -> pl.Expr:  # noqa: N805 - a rule is a method of the class
        """No two rows share shop and ticket."""
        return pl.struct("shop", "ticket").is_unique()


_NAMES = {
    "nullability": "null", "regex": "pattern", "check__enum": "enum", "max_length": "length", "check__blank": "blank",
    "min": "range", "max": "range", "unique": "unique",
}  # fmt: skip


def count(path: Path) -> Mapping[str, int]:
    """The counts of the failures, the two ends of a range added up."""
    _, failures = Orders.filter(pl.read_parquet(path), cast=False)
    found: dict[str, int] = {}
    for name, size in failures.counts().items():
        field, _, rule = name.partition("|")
        told = f"{field}.{_NAMES[rule]}" if rule else name
        found[told] = found.get(told, 0) + size
    return found


if __name__ == "__main__":
    say(count)
