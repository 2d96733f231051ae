"""The columns of a candidate that are not the contract's own, and how to name a column without Polars reading a pattern."""

from collections.abc import Iterable

import polars as pl
import polars.selectors as cs

RAW, ABSENT, EXTRA = "__raw.", "__absent.", "__extra."
FILE_INDEX, ROW_NUMBER, NOT_AN_OBJECT, PART_NAME = "__file", "__row", "__not_object", "__part"


def column(name: str) -> pl.Expr:
    """The column of exactly this name: `pl.col` would take `*` and `^…$` for patterns."""
    return cs.by_name(name).as_expr()


def columns_of(names: Iterable[str]) -> list[pl.Expr]:
    """The columns of exactly these names."""
    return [column(name) for name in names]


def stored_name(name: str, position: int) -> str:
    """The column that keeps an undeclared one: its own name, unless that is none or could be taken for one of ours."""
    if not name:
        return f"{EXTRA}{position}"
    return f"{EXTRA}{name}" if name.startswith("__") else name
