"""The check of a published table that says at a glance what is wrong, since when, what consumers see, what to do and who must act."""

from datetime import timedelta

import dagster as dg
import pytest

from contract_assets import incidents
from contract_core.errors import LedgerDamagedError, Problem
from tests.assets.bench import BAD, CASES, DAY, FRESH, GOOD, MARKER, NEXT, NOW, contract_of, csv, failures
from tests.assets.test_published import last
from tests.assets.test_watch import looked

OWNED = CASES + 'owners: {producer: {name: shop, contact: "team:shop"}}\nrecovery: Ask the desk.\n'
REFUSED = csv(("NL", NEXT, -1))


def test_a_table_of_which_all_is_well_passes(bench):
    bench.take(GOOD)
    told = last(bench, "incidents")
    assert (told.passed, told.description) == (True, f"nothing is open; consumers see {DAY}")
    assert told.metadata["open"].value == 0


def test_a_refusal_says_what_is_wrong_what_consumers_see_and_who_must_act(bench):
    """[S1-016] [S2-040]"""
    bench.contract = contract_of(OWNED)
    bench.take(GOOD)
    bench.take(REFUSED, NEXT)
    told = last(bench, "incidents")
    assert (told.passed, told.severity, told.blocking, told.partition) == (
        False,
        dg.AssetCheckSeverity.WARN,
        False,
        None,
    )
    assert told.description.startswith(f"1 open; consumers see {DAY}\n\n- refused: {NEXT} since ")
    assert told.description.endswith(": n.range (to act: the producer, shop (team:shop))")


def test_the_table_of_incidents_says_what_to_do(bench):
    """[S2-040]"""
    bench.contract = contract_of(OWNED)
    bench.take(REFUSED, NEXT)
    (record,) = last(bench, "incidents").metadata["incidents"].records
    assert (record.data["kind"], record.data["to act"]) == ("refused", "the producer, shop (team:shop)")
    assert record.data["what to do"].startswith("look for typing errors")
    assert record.data["what to do"].endswith("the contract says: Ask the desk.")


def test_the_publication_that_mends_it_passes_the_check_again(bench):
    bench.take(BAD)
    before = last(bench, "incidents").passed
    bench.take(GOOD)
    assert (before, last(bench, "incidents").passed) == (False, True)


def test_the_watch_tells_what_went_wrong_although_nothing_arrived(bench):
    """[S1-016]"""
    bench.contract = contract_of(FRESH)
    bench.take(GOOD)
    looked(bench, bench.ledger.entries()[-1].at + timedelta(hours=1) - NOW)
    found = last(bench, "incidents").description
    assert ("- stale: the newest event is" in found, "old, at most 3d is promised; since" in found) == (True, True)


def test_of_very_many_incidents_the_newest_are_named_and_the_rest_counted(bench, monkeypatch):
    monkeypatch.setattr(incidents, "_MOST", 1)
    bench.take(BAD)
    bench.take(REFUSED, NEXT)
    told = last(bench, "incidents")
    assert (told.metadata["open"].value, len(told.metadata["incidents"].records)) == (2, 1)
    assert told.description.endswith("\n- and 1 more")


def test_what_cannot_be_told_does_not_hide_the_refusal(bench, monkeypatch):
    def damaged(*_):
        raise LedgerDamagedError(Problem("ledger", "it is damaged"))

    monkeypatch.setattr(incidents, "told_incidents", damaged)
    assert "refused, the published table is as it was" in failures(bench.take(BAD))[0]


def test_no_value_of_a_refused_delivery_is_told(bench):
    """S1-063."""
    bench.take(csv((MARKER, DAY, 1)))
    assert MARKER not in repr(last(bench, "incidents"))


@pytest.mark.parametrize("catalog", [None, "main"])
def test_the_check_belongs_to_the_published_table(catalog):
    spec = incidents.incidents_check_spec(contract_of(), catalog)
    assert spec.asset_key.path == [*([] if catalog is None else [catalog]), "published", "cases"]
    assert (spec.partitions_def, spec.blocking) == (None, False)
