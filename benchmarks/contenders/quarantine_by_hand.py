"""The split written by hand in Polars: both sides as Parquet files, in one streaming run, with the rules that each bad row breaks.

python -m benchmarks.contenders.quarantine_by_hand CANDIDATE FOLDER
"""

import shutil
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import polars as pl

_STATUSES = ("open", "paid", "sent", "returned", "closed")
_KEYS = {"order_id.unique": ["order_id"], "key": ["shop", "ticket"]}
_NEVER_NULL = ("order_id", "shop", "ticket", "sku", "status", "quantity")


def _rules() -> Mapping[str, pl.Expr]:
    status = pl.col("status")
    return {f"{name}.null": pl.col(name).is_null() for name in _NEVER_NULL} | {
        "email.pattern": ~pl.col("email").str.contains(r"^(?:[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,})$"),
        "sku.pattern": ~pl.col("sku").str.contains(r"^(?:[A-Z]{3}-[0-9]{5})$"),
        "status.enum": ~pl.any_horizontal(status == word for word in _STATUSES),
        "quantity.range": ~pl.col("quantity").is_between(1, 1000),
        "price.range": ~pl.col("price").is_between(0, 100_000),
        "note.length": pl.col("note").str.len_chars() > 60,
        "note.blank": pl.col("note").str.contains(r"^\s*$"),
        "ordered_on.range": ~pl.col("ordered_on").is_between(date(2024, 1, 1), date(2025, 12, 31)),
    }


def split(candidate: Path, folder: Path) -> None:
    """Repeated keys first, then every row with the rules that it breaks, into two files."""
    rows = pl.scan_parquet(candidate, glob=False)
    marks = [broken.fill_null(value=False).alias(f"breaks {rule}") for rule, broken in _rules().items()]
    judged = rows.with_columns(marks)
    for rule, by in _KEYS.items():
        again = rows.group_by(by).len("size").filter(pl.col("size") > 1).select(*by, pl.lit(value=True).alias(rule))
        found = again.collect(engine="streaming").lazy()
        judged = judged.join(found, on=by, how="left", nulls_equal=True)
        judged = judged.with_columns(pl.col(rule).fill_null(value=False).alias(f"breaks {rule}")).drop(rule)
    names = [f"breaks {rule}" for rule in (*_rules(), *_KEYS)]
    bad = pl.any_horizontal(names)
    labels = [pl.when(pl.col(name)).then(pl.lit(name.removeprefix("breaks "))) for name in names]
    gone = judged.filter(bad).with_columns(pl.concat_list(labels).list.drop_nulls().alias("rules")).drop(names)
    options = {"compression": "zstd", "row_group_size": 250_000, "lazy": True}
    pl.collect_all(
        [
            judged.filter(~bad).drop(names).sink_parquet(folder / "good.parquet", **options),
            gone.sink_parquet(folder / "bad.parquet", **options),
        ],
        engine="streaming",
    )


def outcome(folder: Path) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """What stayed, and the place and rules of what went."""
    gone = pl.scan_parquet(folder / "bad.parquet").select(pl.col("__row").cast(pl.Int64).alias("row"), "rules")
    return pl.scan_parquet(folder / "good.parquet").drop("__file", "__row"), gone


if __name__ == "__main__":
    place = Path(sys.argv[2])
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    split(Path(sys.argv[1]), place)
