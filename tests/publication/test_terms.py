"""A table belongs to one way of telling its partitions apart: other terms are refused before a row is touched."""

from datetime import datetime

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from contract_core.errors import PublicationError
from contract_core.publication import commits as commits_module
from contract_core.publication import store as store_module
from contract_core.publication import terms as terms_module
from contract_core.publication.markers import terms_marker
from contract_core.publication.terms import terms_in_words, terms_number
from tests.publication.processes import at_once
from tests.publication.samples import BY_REGION, CASES, DAY, WHOLE, contract_of, rows
from tests.publication.unchanged import unchanged

DAYS = "{every: day, column: day, start: 2026-10-01}"
BY_MONTH, BY_WEEK = (CASES.replace("every: day", f"every: {every}") for every in ("month", "week"))
BY_NUMBER = CASES.replace(DAYS, "{column: n}")
BY_DATE = CASES.replace(DAYS, "{column: day}")
SUNDAY = "2026-10-04"

CHANGES = {
    "day to month": (CASES, DAY, BY_MONTH, DAY),
    "month to day": (BY_MONTH, DAY, CASES, DAY),
    "day to week": (CASES, SUNDAY, BY_WEEK, SUNDAY),
    "day to value of the same column": (CASES, DAY, BY_DATE, DAY),
    "day to another column": (CASES, DAY, BY_NUMBER, "1"),
    "value to another column": (BY_REGION, "a", BY_NUMBER, "1"),
    "day to none": (CASES, DAY, WHOLE, None),
    "none to day": (WHOLE, None, CASES, DAY),
    "value to none": (BY_REGION, "a", WHOLE, None),
}


@pytest.fixture
def without_record(monkeypatch):
    """Publications as they were before the terms were recorded, until `monkeypatch.undo()`."""
    transaction = commits_module.Transaction

    def before(app_id, version):
        return transaction(app_id.replace("/terms", "/nothing"), version)

    monkeypatch.setattr(commits_module, "Transaction", before)
    monkeypatch.setattr("contract_core.publication.store.is_made_for", lambda *_: True)
    monkeypatch.setattr(commits_module, "TERMS_KEY", "nothing")


@pytest.mark.parametrize("first, key, second, other_key", CHANGES.values(), ids=CHANGES)
def test_other_terms_are_refused_and_nothing_changes(site, first, key, second, other_key):
    day = SUNDAY if SUNDAY in (key, other_key) else DAY
    site.accept(contract_of(first), rows("a", day=day), key)
    with unchanged(site.table()), pytest.raises(PublicationError, match="the contract is") as refused:
        site.accept(contract_of(second), rows("b" if second is not BY_REGION else "a", day=day), other_key)
    assert f"the published table is {terms_in_words(contract_of(first))}" in str(refused.value)
    assert terms_in_words(contract_of(second)) in str(refused.value)
    assert site.ledger.entries()[-1].reason == "PublicationError"
    site.accept(contract_of(first), rows("a", day=day, n=2), key)


def test_what_does_not_change_the_partitions_changes_no_terms(site):
    site.accept(contract_of(), rows("a"))
    site.accept(
        contract_of(CASES.replace('"1.0.0"', '"1.0.1"').replace("start: 2026-10-01", "start: 2026-09-01")), rows("b")
    )
    zone = CASES.replace("{every: day,", "{every: day, timezone: Europe/Amsterdam,")
    site.accept(contract_of(zone), rows("c"))
    assert [row[0] for row in site.shown()] == ["c"]


def test_the_zone_of_a_moment_is_a_term():
    text = CASES.replace("{name: day, type: date}", "{name: day, type: timestamp}")
    words = {
        terms_in_words(contract_of(text.replace("{every: day,", f"{{every: day, timezone: {zone},")))
        for zone in ("UTC", "Asia/Tokyo")
    }
    assert words == {"partitioned by the day of 'day' in UTC", "partitioned by the day of 'day' in Asia/Tokyo"}


def test_the_terms_outlive_the_log(site, monkeypatch):
    site.accept(contract_of(), rows("a"))
    assert DeltaTable(site.table()).transaction_version(terms_marker("cases")) == terms_number(contract_of())
    monkeypatch.setattr(terms_module, "_told", lambda _: None)
    with pytest.raises(PublicationError, match="written under other partition terms"):
        site.accept(contract_of(BY_MONTH), rows("a"))


def test_a_table_without_a_record_is_adopted_by_its_own_terms(site, without_record, monkeypatch):
    site.accept(contract_of(), rows("a"))
    site.accept(contract_of(), rows("a", day="2026-10-02"), "2026-10-02")
    assert DeltaTable(site.table()).transaction_version(terms_marker("cases")) is None
    monkeypatch.undo()
    site.accept(contract_of(CASES.replace('"1.0.0"', '"1.0.1"')), rows("b", day="2026-10-02"), "2026-10-02")
    assert [row[0] for row in site.shown()] == ["a", "b"]
    assert DeltaTable(site.table()).transaction_version(terms_marker("cases")) == terms_number(contract_of())


UNRECORDED = CHANGES | {
    "day to month, where its key is no month": (CASES, "2026-10-02", BY_MONTH, DAY),
    "month to day, where its rows are elsewhere": (BY_MONTH, DAY, CASES, DAY),
}
HARMLESS = {"day to month", "day to week", "day to value of the same column", "month to day"}
"""Where all that was ever published is one partition under both, the next publication replaces just what it names."""


@pytest.mark.parametrize("name", UNRECORDED)
def test_a_table_without_a_record_is_not_adopted_by_terms_that_do_not_fit_it(site, without_record, monkeypatch, name):
    first, key, second, other_key = UNRECORDED[name]
    day = {"month to day, where its rows are elsewhere": "2026-10-09"}.get(
        name, key if key in (SUNDAY, "2026-10-02") else DAY
    )
    site.accept(contract_of(first), rows("a", day=day), key)
    monkeypatch.undo()
    if name in HARMLESS:
        site.accept(contract_of(second), rows("b", day=day), other_key)
        assert [row[0] for row in site.shown()] == ["b"]
        return
    with unchanged(site.table()), pytest.raises(PublicationError, match="other partition terms"):
        site.accept(contract_of(second), rows("b", day=DAY), other_key)


def test_rows_that_no_publication_explains_are_not_adopted(site, without_record, monkeypatch):
    site.accept(contract_of(), rows("a"))
    write_deltalake(site.table(), rows("x", day="2026-10-05"), mode="append")
    monkeypatch.undo()
    with unchanged(site.table()), pytest.raises(PublicationError, match="other partition terms"):
        site.accept(contract_of(), rows("b"))


def test_an_empty_table_that_others_made_is_adopted(site):
    write_deltalake(site.table(), rows())
    site.accept(contract_of(), rows("a"))
    assert [row[0] for row in site.shown()] == ["a"]


def test_a_table_that_lost_a_file_is_not_adopted(site, without_record, monkeypatch):
    site.accept(contract_of(), rows("a"))
    next(site.table().rglob("*.parquet")).unlink()
    monkeypatch.undo()
    with pytest.raises(PublicationError, match="cannot be read: No such file"):
        site.accept(contract_of(), rows("b"))


RACE = """
from contract_core.errors import PublicationError
from tests.publication.samples import *
site, contract = Site(Path(FOLDER)), contract_of(CASES if NUMBER % 2 else BY_REGION)
partition = DAY if NUMBER % 2 else "a"
candidate = site.take(contract, rows("a", n=NUMBER), partition)
site.decide(contract, candidate)
allowed = site.ledger.latest_decision("cases", partition)
ready()
try:
    site.publish(contract, candidate)
except PublicationError as error:
    raise SystemExit(3 if "the contract is" in str(error) else 5)
"""


def test_of_two_terms_that_create_the_table_at_once_one_wins(site):
    assert sorted(at_once(2, RACE, site.root)) == [0, 3]
    assert len(site.shown()) == 1


def test_moments_count_as_their_own_terms(site, without_record, monkeypatch):
    text = """\
contract: cases
version: "1.0.0"
fields: [{name: at, type: timestamp}, {name: n, type: integer}]
delivery: {path: "x/{partition}/*.parquet", format: {type: parquet}, partition: {every: month, column: at, start: 2026-01-01}}
"""
    frame = pl.DataFrame({"at": [datetime(2026, 10, 1, 5), datetime(2026, 10, 31, 5)], "n": [1, 2]})
    site.accept(contract_of(text), frame, DAY)
    monkeypatch.undo()
    with pytest.raises(PublicationError, match="other partition terms"):
        site.accept(contract_of(text.replace("every: month", "every: day")), frame.head(1), DAY)
    site.accept(contract_of(text), frame.head(1), DAY)
    assert len(site.shown()) == 1


def overtaken(site, monkeypatch):
    """Another process publishes under the terms of the bare table, right before this one would make the table anew."""
    remake = store_module.remake_table

    def late(*arguments):
        monkeypatch.undo()
        site.accept(contract_of(BY_REGION), rows("a"), "a")
        return remake(*arguments)

    monkeypatch.setattr(store_module, "remake_table", late)


def test_a_bare_table_is_not_made_anew_over_what_a_rival_published_in_it(site, monkeypatch):
    site.store.set_up(contract_of(BY_REGION.replace("type: integer", "type: int64")))
    overtaken(site, monkeypatch)
    with pytest.raises(PublicationError, match="the contract is partitioned by the day"):
        site.accept(contract_of(), rows("b"))
    assert [row[0] for row in site.shown()] == ["a"]
    assert [entry.event for entry in site.ledger.entries()].count("published") == 1


@pytest.mark.parametrize("made, key, taken, other_key", CHANGES.values(), ids=CHANGES)
def test_a_bare_table_is_made_anew_under_any_terms(site, made, key, taken, other_key):
    day = SUNDAY if SUNDAY in (key, other_key) else DAY
    bounded = made.replace("type: integer", "type: int64, min: 0")
    site.store.set_up(contract_of(bounded))
    site.accept(contract_of(taken), rows("a", day=day, n=int(other_key) if other_key == "1" else -1), other_key)
    assert site.shown()[0][0] == "a"
    assert not [name for name in DeltaTable(site.table()).metadata().configuration if "range" in name]
