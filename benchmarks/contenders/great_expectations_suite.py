"""Great Expectations: the rules as expectations over a pandas frame, results as counts only."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import great_expectations as gx
import great_expectations.expectations as gxe
import pandas as pd

from benchmarks.contenders.answer import say

_STATUSES = ["open", "paid", "sent", "returned", "closed"]
EXPECTATIONS = {
    **{
        f"{name}.null": gxe.ExpectColumnValuesToNotBeNull(column=name)
        for name in ("order_id", "shop", "ticket", "sku", "status", "quantity")
    },
    "email.pattern": gxe.ExpectColumnValuesToMatchRegex(column="email", regex=r"^[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,}$"),
    "sku.pattern": gxe.ExpectColumnValuesToMatchRegex(column="sku", regex=r"^[A-Z]{3}-[0-9]{5}$"),
    "status.enum": gxe.ExpectColumnValuesToBeInSet(column="status", value_set=_STATUSES),
    "quantity.range": gxe.ExpectColumnValuesToBeBetween(column="quantity", min_value=1, max_value=1000),
    "price.range": gxe.ExpectColumnValuesToBeBetween(column="price", min_value=0, max_value=100_000),
    "note.length": gxe.ExpectColumnValueLengthsToBeBetween(column="note", max_value=60),
    "note.blank": gxe.ExpectColumnValuesToMatchRegex(column="note", regex=r"\S"),
    "ordered_on.range": gxe.ExpectColumnValuesToBeBetween(
        column="ordered_on", min_value=date(2024, 1, 1), max_value=date(2025, 12, 31)
    ),
    "order_id.unique": gxe.ExpectColumnValuesToBeUnique(column="order_id"),
    "key": gxe.ExpectCompoundColumnsToBeUnique(column_list=["shop", "ticket"]),
}


def count(path: Path) -> Mapping[str, int]:
    """The unexpected counts. Rows without a part of the key are left out of it there, so that it is not told here."""
    context = gx.get_context(mode="ephemeral")
    asset = context.data_sources.add_pandas("orders").add_dataframe_asset("orders")
    batch = asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": pd.read_parquet(path)})
    suite = gx.ExpectationSuite(name="orders", expectations=list(EXPECTATIONS.values()))
    results = batch.validate(suite, result_format="BASIC").results
    by_kind = {(str(item.expectation_config.type), str(item.expectation_config.kwargs)): item for item in results}
    found = {}
    for rule, expectation in EXPECTATIONS.items():
        same = expectation.configuration
        found[rule] = next(
            item.result["unexpected_count"]
            for (kind, _), item in by_kind.items()
            if kind == same.type
            and all(item.expectation_config.kwargs.get(name) == value for name, value in same.kwargs.items())
        )
    return found


if __name__ == "__main__":
    say(count)
