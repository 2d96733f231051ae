"""Orders as a Parquet file of any number of rows: twelve columns, the same values for the same arguments, breaches where asked for."""

from pathlib import Path

import polars as pl

BREACHES = 0.001
STATUSES = ("open", "paid", "sent", "returned", "closed")
SHOPS = 400
_FIRST_DAY, _DAYS = 19_723, 731  # 2024 and 2025, in days since 1970
_NUMBER = pl.col("number")


def orders_file(folder: Path, rows: int, breaches: float = BREACHES) -> Path:
    """The file for these arguments; written where it is not there yet, as it streams by."""
    path = folder / f"orders-{rows}-{breaches:g}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        orders(rows, breaches).sink_parquet(unfinished, compression="zstd", row_group_size=250_000)
        unfinished.rename(path)
    return path


def orders(rows: int, breaches: float = BREACHES) -> pl.LazyFrame:
    """The rows. Each rule is broken by its own tenth of the share `breaches`, and one order in as many is there twice."""
    share = breaches / 10
    again = (_NUMBER > 0) & _happens("again", share)
    number = pl.when(again).then(_NUMBER - 1).otherwise(_NUMBER) if share else _NUMBER
    columns = {name: _unless(name, value, share) for name, value in _columns(number).items()}
    return pl.LazyFrame({"number": pl.int_range(rows, eager=True)}).select(**columns)


def _columns(number: pl.Expr) -> dict[str, pl.Expr]:
    return {
        "order_id": number * 7 + 11,
        "shop": pl.format("S{}", (number % SHOPS).cast(pl.String).str.zfill(3)),
        "ticket": number // SHOPS,
        "email": pl.when(~_happens("email", 0.02)).then(pl.format("c{}@mail.example.org", _dice("email", 5_000_000))),
        "sku": pl.format("ABC-{}", _dice("sku", 100_000).cast(pl.String).str.zfill(5)),
        "status": _dice("status", len(STATUSES)).replace_strict(dict(enumerate(STATUSES)), return_dtype=pl.String),
        "quantity": (_dice("quantity", 1000) + 1).cast(pl.Int32),
        "price": _dice("price", 9_000_000) / 100,
        "note": pl.format("left at the door {}", _dice("note", 1_000_000)),
        "ordered_on": (_dice("ordered_on", _DAYS) + _FIRST_DAY).cast(pl.Int32).cast(pl.Date),
        "is_gift": _happens("is_gift", 0.1),
        "weight": _dice("weight", 30_000) / 1000,
    }


_BAD = {
    "email": pl.lit("nobody at example"),
    "sku": pl.lit("AB-1"),
    "status": pl.lit("lost"),
    "quantity": pl.lit(0, pl.Int32),
    "price": pl.lit(-1.0),
    "note": pl.lit("   "),
    "ordered_on": pl.lit(30_000, pl.Int32).cast(pl.Date),
}
_MISSING = ("sku", "quantity", "shop")


def _unless(name: str, value: pl.Expr, share: float) -> pl.Expr:
    if share and name in _BAD:
        value = pl.when(_happens(f"bad {name}", share)).then(_BAD[name]).otherwise(value)
    if share and name in _MISSING:
        value = pl.when(_happens(f"no {name}", share)).then(None).otherwise(value)
    return value


def _dice(what: str, sides: int) -> pl.Expr:
    """A whole number below `sides` for each row, from the row's number and what it is for."""
    return (_NUMBER.hash(sum(what.encode())) // 65_536 % sides).cast(pl.Int64)


def _happens(what: str, share: float) -> pl.Expr:
    return _dice(f"{what}?", 10_000_000) < int(share * 10_000_000)
