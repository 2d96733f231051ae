"""An upsert replaces the rows of the keys that are delivered, leaves all others, and rewrites no file that cannot hold such a key."""

from datetime import date

import polars as pl
import pytest
from deltalake import DeltaTable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.publication.store import Store
from contract_core.validation import shares
from tests.publication.samples import Site, candidate_of, contract_of, put

BY_NUMBER = """\
contract: cases
version: "1.0.0"
key: [k]
fields:
  - {name: k, type: integer, nullable: true}
  - {name: n, type: integer}
publication: {mode: upsert}
delivery: {format: {type: parquet}}
"""
BY_DAY = BY_NUMBER.replace("key: [k]", "key: [k, day]").replace(
    "  - {name: n", "  - {name: day, type: date}\n  - {name: n"
)
BY_TEXT = BY_NUMBER.replace("type: integer, nullable", "type: string, nullable")


def upserted(site: Site, text: str, frame: pl.DataFrame) -> None:
    contract = contract_of(text)
    put(site, contract, candidate_of(contract, frame, site.root / "candidates", None))


def numbered(rows: dict[int | None, int]) -> pl.DataFrame:
    return pl.DataFrame({"k": list(rows), "n": list(rows.values())}, schema={"k": pl.Int64, "n": pl.Int64})


def files(site: Site) -> set[str]:
    return set(DeltaTable(site.table()).file_uris())


def predicate(site: Site) -> str:
    return str(DeltaTable(site.table()).history(1)[0]["operationParameters"]["predicate"])


KEYED_ROWS = st.dictionaries(st.none() | st.integers(-3, 3), st.integers(0, 9), max_size=6)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(deliveries=st.lists(KEYED_ROWS, min_size=1, max_size=3), most=st.integers(1, 3))
def test_a_table_is_what_its_deliveries_say_one_after_the_other(tmp_path_factory, deliveries, most):
    """[S1-067] In however many shares the keys are looked up."""
    site, expected = Site(tmp_path_factory.mktemp("site")), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "MOST_HELD", most)
        patch.setattr(shares, "FEW_KEYS", 0)
        for number, delivered in enumerate(deliveries):
            rows = delivered | {100 + number: number}  # no two deliveries are the same submission
            upserted(site, BY_NUMBER, numbered(rows))
            expected |= rows
    assert dict(Store(site.root / "published").rows("cases").collect().rows()) == expected


def test_a_file_whose_keys_lie_elsewhere_is_left_alone(site):
    upserted(site, BY_NUMBER, numbered({1: 1, 2: 1}))
    upserted(site, BY_NUMBER, numbered({10: 1, 11: 1}))
    [kept] = [path for path in files(site) if set(pl.read_parquet(path)["k"]) == {1, 2}]
    upserted(site, BY_NUMBER, numbered({10: 2, 12: 2}))
    assert kept in files(site)
    assert predicate(site) == "k >= 10 AND k <= 12"
    assert site.store.rows("cases").sort("k").collect().rows() == [(1, 1), (2, 1), (10, 2), (11, 1), (12, 2)]


def test_the_column_of_the_key_that_leaves_most_files_alone_is_taken(site):
    def on(day: int, **rows: int) -> pl.DataFrame:
        frame = pl.DataFrame({"k": [int(name[1:]) for name in rows], "n": list(rows.values())})
        return frame.with_columns(pl.lit(date(2026, 10, day)).alias("day"))

    upserted(site, BY_DAY, on(1, k1=1, k9=1))
    upserted(site, BY_DAY, on(2, k1=1, k9=1))
    upserted(site, BY_DAY, on(2, k1=2, k8=2))
    assert predicate(site) == "day = '2026-10-02'::date"
    assert site.store.rows("cases").select(pl.col("n").sum()).collect().item() == 1 + 1 + 2 + 1 + 2


@pytest.mark.parametrize(
    ("first", "second"),
    [({None: 1, 5: 1}, {None: 2}), ({1: 1, None: 1}, {1: 2, 3: 2}), ({1: 1}, {None: 2, 1: 2})],
    ids=["a null is delivered", "a null is published", "a null is new"],
)
def test_a_key_without_a_value_is_a_key(site, first, second):
    """[S1-067]"""
    upserted(site, BY_NUMBER, numbered(first))
    upserted(site, BY_NUMBER, numbered(second))
    assert dict(site.store.rows("cases").collect().rows()) == first | second


@pytest.mark.parametrize("text", ["it's", "a\\b", "x\ny", "é", "%", "", "a" * 200])
def test_texts_of_any_signs_are_keys(site, text):
    """[S1-067]"""
    upserted(site, BY_TEXT, pl.DataFrame({"k": [text, "b"], "n": [1, 1]}))
    upserted(site, BY_TEXT, pl.DataFrame({"k": [text], "n": [2]}))
    assert dict(site.store.rows("cases").collect().rows()) == {text: 2, "b": 1}


def test_no_text_of_unusual_signs_stands_in_the_log_of_the_table(site):
    upserted(site, BY_TEXT, pl.DataFrame({"k": ["it's", "b"], "n": [1, 1]}))
    upserted(site, BY_TEXT, pl.DataFrame({"k": ["it's"], "n": [2]}))
    assert predicate(site) == "true"


def test_no_key_stands_in_the_log_where_the_statistics_of_the_table_do_not_hold_it(site):
    """Delta keeps statistics of the first 32 columns."""
    before = "".join(f"  - {{name: c{number}, type: integer}}\n" for number in range(32))
    wide = BY_TEXT.replace("  - {name: k", f"{before}  - {{name: k", 1)
    others = [pl.lit(1).alias(f"c{number}") for number in range(32)]
    upserted(site, wide, pl.DataFrame({"k": ["a", "b"], "n": [1, 1]}).with_columns(others))
    upserted(site, wide, pl.DataFrame({"k": ["y", "z"], "n": [1, 1]}).with_columns(others))
    upserted(site, wide, pl.DataFrame({"k": ["y"], "n": [2]}).with_columns(others))
    assert predicate(site) == "true"
