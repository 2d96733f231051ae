"""The ledger read once for many contracts says of each what reading it alone would say."""

from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest
from deltalake import write_deltalake
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract_core.errors import LedgerDamagedError
from contract_core.publication.ledger import Ledger
from contract_core.publication.ledger_portions import portions_of
from contract_core.publication.ledger_rows import as_row
from tests.publication.test_ledger import entry

NAMES = ("cases", "orders", "returns")


def filled(ledger: Ledger, names: tuple[str, ...]) -> Ledger:
    """An entry about each of these contracts, one after the other."""
    for number, name in enumerate(names):
        ledger.append(entry(f"{number:064x}", contract=name))
    return ledger


@given(names=st.lists(st.sampled_from(NAMES[:2]), max_size=4).map(tuple))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_of_each_contract_it_says_what_reading_it_alone_says(tmp_path_factory, names):
    """[S1-103] A contract without an entry has none."""
    ledger = filled(Ledger(tmp_path_factory.mktemp("ledger") / "ledger"), names)
    entries_of = ledger.at_once(NAMES)
    assert {name: entries_of(name) for name in NAMES} == {name: ledger.entries(name) for name in NAMES}


def test_a_folder_that_is_not_there_says_nothing_of_any(tmp_path):
    assert Ledger(tmp_path / "ledger").at_once(NAMES)("cases") == ()


def test_what_is_recorded_later_is_not_in_it(tmp_path):
    ledger = filled(Ledger(tmp_path / "ledger"), ("cases",))
    entries_of = ledger.at_once(NAMES)
    ledger.append(entry("9" * 64))
    assert (len(entries_of("cases")), len(ledger.entries("cases"))) == (1, 2)


def test_what_is_damaged_of_one_contract_keeps_no_other_from_being_told(tmp_path):
    ledger = filled(Ledger(tmp_path / "ledger"), ("cases", "orders"))
    (first,) = ledger.entries("orders")
    write_deltalake(ledger.root, pl.concat([as_row(replace(first, sequence=9))]), mode="append")
    entries_of = ledger.at_once(NAMES)
    assert len(entries_of("cases")) == 1
    with pytest.raises(LedgerDamagedError, match="one entry stands in it twice"):
        entries_of("orders")


@given(
    sizes=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 9)),
    asked=st.lists(st.sampled_from("abcdefgh")),
    most=st.integers(1, 12),
)
def test_a_portion_holds_as_many_as_fit_and_each_contract_stands_in_one(sizes, asked, most):
    portions = portions_of(asked, sizes, most)
    assert list(portions) == list(dict.fromkeys(asked))
    together = list(dict.fromkeys(portions.values()))
    assert [name for portion in together for name in portion] == list(portions)
    for portion, following in pairwise((*together, None)):
        used = sum(sizes.get(name, 0) for name in portion)
        assert used <= most or len(portion) == 1
        assert following is None or used + sizes.get(following[0], 0) > most


def test_contracts_of_several_portions_are_told_in_whatever_order_they_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("contract_core.publication.ledger._PORTION", 1)
    ledger = filled(Ledger(tmp_path / "ledger"), ("cases", "orders", "cases", "orders"))
    entries_of = ledger.at_once(NAMES)
    for name in ("orders", "cases", "returns", "orders", "elsewhere"):
        assert entries_of(name) == ledger.entries(name)
