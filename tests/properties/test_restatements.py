"""The law of restatements: what is counted is what a reading of both tables in plain Python counts, however values are spelt."""

import math
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.restated_keys import ENOUGH_KEYS, MOST_PPM
from contract_core.publication.restatement import restated
from contract_core.validation import shares
from tests.publication.samples import Site, contract_of, put

KEYED = """\
contract: cases
version: "1.0.0"
key: [k, name]
fields:
  - {name: k, type: float64, nullable: true, allow_nan: true}
  - {name: name, type: string, nullable: true}
  - {name: n, type: int64, nullable: true}
  - {name: x, type: float64, nullable: true, allow_nan: true}
  - {name: secret, type: int64, classification: restricted}
delivery: {format: {type: parquet}}
"""
SCHEMA = {"k": pl.Float64, "name": pl.String, "n": pl.Int64, "x": pl.Float64, "secret": pl.Int64}
Row = tuple[Any, ...]
FLOATS = st.sampled_from([None, math.nan, -math.nan, 0.0, -0.0, 1.0, -2.5, math.inf])
NAMES = st.sampled_from([None, "", "a", "b", "A"])
NUMBERS = st.sampled_from([None, 0, 1, 2, 2**53 + 1, -(2**63), 2**63 - 1])
ROWS = st.tuples(FLOATS, NAMES, NUMBERS, FLOATS, st.sampled_from([0, 1]))
SIDES = st.lists(ROWS, max_size=12)
PLENTY = st.lists(st.integers(-50, 50), min_size=ENOUGH_KEYS + 5, max_size=ENOUGH_KEYS + 15)


def same(value: Any) -> Any:
    """One spelling for each value: there is one NaN and one zero."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


def spelt(rows: list[Row]) -> list[Row]:
    return [tuple(same(value) for value in row) for row in rows]


def counted(before: list[Row], after: list[Row]) -> dict[str, int]:
    """The counts of keys and fields, by hand."""
    before, after = spelt(before), spelt(after)
    sizes = [Counter(row[:2] for row in rows) for rows in (before, after)]
    repeated = {key for size in sizes for key, times in size.items() if times > 1}
    old, new = ({row[:2]: row[2:] for row in rows if row[:2] not in repeated} for rows in (before, after))
    changed = {
        key: [now != then for then, now in zip(old[key], new[key], strict=True)] for key in old.keys() & new.keys()
    }
    restated_keys = [key for key, fields in changed.items() if any(fields)]
    told = {
        "rows_before": len(before),
        "rows_after": len(after),
        "keys_added": len(new.keys() - old.keys()),
        "keys_removed": len(old.keys() - new.keys()),
        "keys_restated": len(restated_keys),
    }
    fields = {
        f"field:{name}": sum(row[place] for row in changed.values()) for place, name in enumerate(("n", "x", "secret"))
    }
    touched = {
        f"touched:{name}": len({key[place] for key in restated_keys}) for place, name in enumerate(("k", "name"))
    }
    return (
        told
        | {name: count for name, count in (fields | touched).items() if count}
        | ({"keys_repeated": len(repeated)} if repeated else {})
    )


def found(before: list[Row], after: list[Row], mode: str = "replace_partition") -> dict[str, int]:
    """The product's own counts, against a table that holds the one side."""
    with tempfile.TemporaryDirectory() as folder:
        site, contract = Site(Path(folder)), contract_of(KEYED + f"publication: {{mode: {mode}}}\n")
        first, second = (
            site.take(contract, pl.DataFrame(rows, schema=SCHEMA, orient="row"), None) for rows in (before, after)
        )
        put(site, contract, first)
        second = replace(second, submission="f" * 64)
        return dict(restated(contract, second, Decision(Verdict.PUBLISH), site.table()))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=SIDES, after=SIDES)
def test_what_is_counted_is_what_plain_python_counts(before: list[Row], after: list[Row]) -> None:
    told = {name: count for name, count in found(before, after).items() if not name.startswith("relative")}
    assert told == counted(before, after)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=SIDES, after=SIDES)
def test_by_key_only_the_rows_of_delivered_keys_are_compared(before: list[Row], after: list[Row]) -> None:
    delivered = {row[:2] for row in spelt(after)}
    concerned = [row for row in before if spelt([row])[0][:2] in delivered]
    told = {name: count for name, count in found(before, after, "upsert").items() if not name.startswith("relative")}
    assert told == (counted(concerned, after) if concerned else {})


@pytest.mark.parametrize("mode", ["replace_partition", "upsert"])
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=SIDES, after=SIDES, most=st.sampled_from([1, 3]))
def test_in_however_many_passes_keys_are_compared_the_counts_are_the_same(
    mode: str, before: list[Row], after: list[Row], most: int
) -> None:
    at_once = of_keys(found(before, after, mode))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "MOST_HELD", most)
        patch.setattr(shares, "FEW_KEYS", 0)
        assert of_keys(found(before, after, mode)) == at_once


def test_values_that_fall_into_one_share_by_chance_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [(float(place), f"name {place}", None, None, 0) for place in range(12)]
    after = [(*row[:4], 1) for row in before]
    monkeypatch.setattr(shares, "MOST_HELD", 2)
    monkeypatch.setattr(shares, "FEW_KEYS", 0)
    assert found(before, after)["touched:name"] == 12


def of_keys(told: dict[str, int]) -> dict[str, int]:
    """All but the shares of sums: those of doubles depend on the order of the rows."""
    return {name: count for name, count in told.items() if not name.startswith("relative")}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(numbers=PLENTY, shift=st.integers(1, 3))
def test_by_how_much_numbers_changed_is_their_share(numbers: list[int], shift: int) -> None:
    before = [(float(place), "a", number, float(number), 0) for place, number in enumerate(numbers)]
    after = [(k, name, number + shift, x, 9) for k, name, number, x, _ in before]
    whole = sum(map(abs, numbers))
    share = min(round(shift * len(numbers) / whole * 1_000_000), MOST_PPM) if whole else None
    told = found(before, after)
    assert told.get("relative_change_ppm:n") == (None if share is None else pytest.approx(share, abs=1))
    assert not {"relative_change_ppm:x", "relative_change_ppm:secret"} & told.keys()


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=SIDES)
def test_the_same_rows_again_change_no_key(rows: list[Row]) -> None:
    told = found(rows, list(reversed(rows)))
    assert [told[name] for name in ("keys_added", "keys_removed", "keys_restated")] == [0, 0, 0]
