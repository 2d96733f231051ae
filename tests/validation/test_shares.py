"""How evenly rows are shared out: what a pass holds is bounded only as long as the shares are alike."""

import polars as pl
import pytest

from contract_core.validation.shares import shares

ROWS = pl.LazyFrame({"a": range(10_000)}).with_columns(
    again=pl.col("a"), few=pl.col("a") % 3, nothing=pl.lit(None, pl.Int64), text=pl.col("a").cast(pl.String)
)


@pytest.mark.parametrize("passes", [2, 4])
@pytest.mark.parametrize(
    "names", [["a"], ["a", "again"], ["a", "again", "a", "again"], ["few", "a"], ["a", "nothing"], ["text", "few"]]
)
def test_the_shares_of_a_key_are_about_as_large_as_each_other(names: list[str], passes: int) -> None:
    """Two columns that hold the same make joined hashes that are all even."""
    key = [pl.col(name) for name in names]
    sizes = [share.among(ROWS, key).select(pl.len()).collect().item() for share in shares(passes)]
    assert sum(sizes) == 10_000
    assert min(sizes) > 9_000 // passes
