"""How many rows went to quarantine, if the split by hand and ours kept the same rows and sent the others away for the same rules.

python -m benchmarks.contenders.quarantine_compared OURS BY_HAND
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from benchmarks.contenders import quarantine_by_hand, quarantine_ours


def went(ours: Path, by_hand: Path) -> int:
    """Ends with AssertionError where the two differ."""
    one, other = quarantine_ours.outcome(ours), quarantine_by_hand.outcome(by_hand)
    assert _sums(one[0]) == _sums(other[0]), "other rows stayed"
    gone = _gone(one[1])
    assert gone == _gone(other[1]), "other rows went, or for other rules"
    return len(gone)


def _sums(rows: pl.LazyFrame) -> Sequence[object]:
    """How many rows there are, and a number that each of them is in, in any order."""
    hashes = pl.struct(sorted(rows.collect_schema())).hash().cast(pl.Int128)
    return rows.select(pl.len(), hashes.sum().alias("sum")).collect(engine="streaming").row(0)


def _gone(rows: pl.LazyFrame) -> Sequence[object]:
    """The places of the rows with the rules that each breaks; ours names one promise after itself, and not after its field."""
    rules = pl.col("rules").list.eval(pl.element().str.replace("^one_order", "order_id")).list.sort()
    return rows.with_columns(rules).sort("row").collect(engine="streaming").rows()


if __name__ == "__main__":
    print(went(Path(sys.argv[1]), Path(sys.argv[2])))
