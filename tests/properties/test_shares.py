"""The law of shares: in however many passes one looks, the answer is that of a single one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.contract.group_sql import parse_group_sql
from contract_core.contract.history_sql import parse_history_sql
from contract_core.validation import shares
from contract_core.validation.group_passes import judged_in_passes
from contract_core.validation.group_rules import judged_groups
from contract_core.validation.history_rules import compared_rows, history_finding, returned_keys
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.past import Past, Predecessor
from contract_core.validation.plan import validate
from contract_core.validation.profile import distinct_values
from contract_core.validation.promise_kinds import GroupsHold, HistoryHolds, KeysReturn
from contract_core.validation.report import ValidationReport
from contract_core.validation.schema_match import Columns
from contract_core.validation.shares import Share, added_up, passes_over, passes_over_values
from tests.properties import group_rules as groups
from tests.properties import test_history_rules as history
from tests.validation.judged import candidate_of, contract_of

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large]
PASSES = 3
COLUMNS = Columns(groups.SCHEMA, is_text=False)


@contextmanager
def held(most: int, few: int = 0) -> Iterator[None]:
    """So little is held at a time that a handful of rows is too much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "MOST_HELD", most)
        patch.setattr(shares, "FEW_KEYS", few)
        yield


def in_thirds(question: Callable[[Share], pl.LazyFrame]) -> dict[str, Any]:
    return added_up(question, PASSES)


RULES = st.sampled_from(groups.KEYS).flatmap(
    lambda by: st.tuples(st.just(by), st.lists(groups.keyed(groups.conditions, by), min_size=1, max_size=3))
)


@settings(max_examples=60, deadline=None, suppress_health_check=CALM)
@given(RULES, st.lists(groups.rows, min_size=1, max_size=12), st.booleans())
def test_groups_are_judged_alike_in_however_many_passes(case: Any, rows: list[dict[str, Any]], keeps: bool) -> None:
    by, written = case
    rules = {
        f"{place}": GroupsHold("g", by, parse_group_sql(ours, by), keeps_unknown=keeps)
        for place, (ours, _) in enumerate(written)
    }
    frame = pl.LazyFrame(rows, schema=groups.SCHEMA)
    at_once = judged_groups(frame, rules, COLUMNS).collect(engine="streaming").row(0, named=True)
    with held(most=1 + len(rows) // PASSES):
        assert judged_in_passes(frame, rules, COLUMNS, len(rows)) == at_once


TALLIES = ("count(DISTINCT i) = 1", "count(DISTINCT s) FILTER (WHERE b) >= 1", "count(DISTINCT f) > 2 OR sum(i) > 0")


@settings(max_examples=40, deadline=None, suppress_health_check=CALM)
@given(
    st.sampled_from(groups.KEYS),
    st.lists(st.sampled_from(TALLIES), min_size=1, max_size=2),
    st.lists(groups.rows, min_size=4, max_size=6),
)
def test_values_that_differ_within_few_groups_are_counted_alike(
    by: tuple[str, ...], written: list[str], rows: list[dict[str, Any]]
) -> None:
    rules = {
        f"{place}": GroupsHold("g", by, parse_group_sql(sql, by), keeps_unknown=False)
        for place, sql in enumerate(written)
    }
    frame = pl.LazyFrame(rows, schema=groups.SCHEMA)
    at_once = judged_groups(frame, rules, COLUMNS).collect(engine="streaming").row(0, named=True)
    with held(most=2):
        assert judged_in_passes(frame, rules, COLUMNS, len(rows)) == at_once


@settings(max_examples=100, deadline=None, suppress_health_check=CALM)
@given(
    history.conditions,
    st.sampled_from(history.KEYS),
    st.lists(history.rows, max_size=12),
    st.lists(history.rows, max_size=12),
    st.booleans(),
)
def test_rows_are_compared_alike_in_however_many_passes(
    condition: Any, by: tuple[str, ...], now: list[dict[str, Any]], before: list[dict[str, Any]], has_latest: bool
) -> None:
    rule = HistoryHolds("h", by, "day" if has_latest else None, parse_history_sql(condition[0]), keeps_unknown=False)
    sides = history.frame(now), {"r": rule}, history.COLUMNS, history.frame(before)
    at_once = compared_rows(*sides).collect(engine="streaming").row(0, named=True)
    assert in_thirds(lambda share: compared_rows(*sides, share)) == at_once


@settings(max_examples=75, deadline=None, suppress_health_check=CALM)
@given(st.sampled_from(history.KEYS), st.lists(history.rows, max_size=12), st.lists(history.rows, max_size=12))
def test_keys_that_are_gone_are_counted_alike_in_however_many_passes(
    by: tuple[str, ...], now: list[dict[str, Any]], before: list[dict[str, Any]]
) -> None:
    promise = KeysReturn("v", by)
    sides = history.frame(now), promise, history.COLUMNS, history.frame(before)
    at_once = returned_keys(*sides).collect(engine="streaming").row(0, named=True)
    assert in_thirds(lambda share: returned_keys(*sides, share)) == at_once


@given(st.integers(0, 9), st.integers(0, 9))
def test_as_many_keys_are_forgiven_as_rows_have_an_unknown_one(gone: int, undecoded: int) -> None:
    promise = KeysReturn("v", ("g",))
    asked = Obligation("v.history", "history", promise, Layer.OPERATIONS)
    told = history_finding(asked, promise, {"keys": 9, "gone": gone, "undecoded": undecoded})
    assert (told.breaches, told.details["gone"]) == (max(0, gone - undecoded),) * 2


CELLS: dict[str, tuple[pl.DataType, st.SearchStrategy[Any]]] = {
    "text": (pl.String(), st.sampled_from(["", "a", "b", "ä", None])),
    "whole": (pl.Int64(), st.integers(-3, 3) | st.none()),
    "float": (pl.Float64(), st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf"), None])),
    "flag": (pl.Boolean(), st.booleans() | st.none()),
}


@pytest.mark.parametrize("name", sorted(CELLS))
@given(data=st.data())
def test_values_that_differ_are_as_many_in_all_shares_together(name: str, data: Any) -> None:
    dtype, cells = CELLS[name]
    column = pl.Series("v", data.draw(st.lists(cells, max_size=30)), dtype)
    value = pl.col("v")
    assert in_thirds(
        lambda share: share.among(column.to_frame().lazy(), [value]).select(several=distinct_values(value))
    ) == {"several": column.drop_nulls().n_unique()}


@given(st.lists(st.integers(0, 5), min_size=1), st.integers(1, 4))
def test_every_row_is_in_one_share_and_equal_keys_are_in_the_same(keys: list[int], passes: int) -> None:
    frame = pl.LazyFrame({"k": keys})
    found = [share.among(frame, [pl.col("k")]).collect()["k"].to_list() for share in shares.shares(passes)]
    assert sorted(key for share in found for key in share) == sorted(keys)
    assert sum(len(set(share)) for share in found) == len(set(keys))


TEXT = """\
key: [k]
fields:
  - {name: k, type: int64}
  - {name: g, type: string, nullable: true}
  - {name: n, type: float64, allow_nan: true, nullable: true}
groups: [{name: few, by: [g], sql: "count(DISTINCT n) < 3 AND sum(n) > 0", severity: warn}]
history: [{name: grows, sql: "n >= previous.n", severity: warn}, {name: back, vanished: true, severity: warn}]
monitors: {fields: {n: {quantiles_change: 10%, distinct_change: 10%, mean_change: 10%}, g: {distinct_change: 10%}}}
delivery: {format: {type: parquet}}
"""
SCHEMA = {"k": pl.Int64, "g": pl.String, "n": pl.Float64}
ROWS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from(["a", "b", None]), st.integers(-9, 9).map(float) | st.none()),
    unique_by=lambda row: row[0],
    min_size=1,
    max_size=40,
)


def report_on(now: list[Any], before: list[Any], ending: str) -> ValidationReport:
    past = Past(predecessor=Predecessor(pl.DataFrame(before, SCHEMA, orient="row").lazy(), "p" * 64))
    with TemporaryDirectory() as folder:
        candidate = candidate_of(pl.DataFrame(now, SCHEMA, orient="row"), Path(folder))
        return validate(contract_of(TEXT + ending), candidate, datetime(2026, 10, 2, tzinfo=UTC), past)


@pytest.mark.parametrize(
    "ending", ["", "enforcement: {on_breach: quarantine, quarantine: {max_rows: 9}}\n"], ids=["fail", "quarantine"]
)
@settings(max_examples=25, deadline=None, suppress_health_check=CALM)
@given(now=ROWS, before=ROWS)
def test_a_report_is_the_same_in_however_many_passes(ending: str, now: list[Any], before: list[Any]) -> None:
    at_once = report_on(now, before, ending)
    with held(most=1 + len(now) // PASSES):
        assert report_on(now, before, ending) == at_once


@pytest.mark.parametrize(
    ("most", "few", "passes"),
    [(9, 0, 1), (8, 0, 2), (3, 0, 3), (3, 3, 1), (1, 0, 9)],
    ids=["all are held", "one too many", "three at a time", "there are few keys", "one at a time"],
)
def test_there_are_as_many_passes_as_the_rows_need_unless_their_keys_are_few(most: int, few: int, passes: int) -> None:
    rows = pl.LazyFrame({"k": [1, 2, 3] * 3})
    with held(most, few):
        assert passes_over(rows, 9, [pl.col("k")]) == passes


def test_values_are_held_by_how_many_differ() -> None:
    rows = pl.LazyFrame({"k": list(range(100)), "one": [1] * 100})
    with held(most=20):
        assert passes_over_values(rows, 100, [[pl.col("one")]]) == 1
        assert passes_over_values(rows, 100, [[pl.col("k")], [pl.col("one")]]) in (4, 5)
        assert passes_over_values(rows, 100, []) == 1
