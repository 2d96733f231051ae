"""What a correction changes of what is published: counted at judgement, kept in ledger and commit, and never a value."""

import shutil

import pytest

from contract_core.operations.reconciliation import complete, reconcile_contract
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event
from contract_core.publication.history import decisions
from contract_core.publication.submit import judge, judge_again
from tests.publication.correcting import CASES, FIRST, SECOND, Desk, lines

UPSERT = CASES + "publication: {mode: upsert}\n"
REGIONS = [f"R{number}" for number in range(12)]


def counts(**more: int) -> dict[str, int]:
    """The counts of keys, zero where a test does not say more."""
    return {"keys_added": 0, "keys_removed": 0, "keys_restated": 0} | more


def restated(judged):
    return dict(judged.report.learned.restated)


def test_a_correction_says_how_many_published_keys_it_changes(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1, BE=2, DE=3))
    assert restated(desk.judged(lines(NL=1, BE=9, FR=4, IT=5))) == counts(
        rows_before=3, rows_after=4, keys_added=2, keys_removed=1, keys_restated=1
    ) | {"field:n": 1, "touched:region": 1, "touched:day": 1}


def test_the_first_delivery_of_a_partition_restates_nothing(tmp_path):
    desk = Desk.of(tmp_path)
    assert restated(desk.published(lines(NL=1))) == {}
    assert restated(desk.published(lines(SECOND, NL=2), SECOND)) == {}


def test_another_partition_is_not_looked_at(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    desk.published(lines(SECOND, NL=2, BE=2), SECOND)
    assert restated(desk.judged(lines(NL=7))) == counts(rows_before=1, rows_after=1, keys_restated=1) | {
        "field:n": 1, "touched:region": 1, "touched:day": 1,
    }  # fmt: skip


def test_a_retry_of_what_is_published_restates_nothing(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    corrected = desk.published(lines(NL=2))
    assert restated(judge(desk.contract, corrected.candidate, desk.places, desk.at)) == {}
    assert restated(judge_again(desk.contract, FIRST, desk.places, desk.at, desk.at)) == {}


def test_the_record_of_a_correction_that_is_judged_again_keeps_what_it_restated(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    desk.published(lines(NL=2))
    judge_again(desk.contract, FIRST, desk.places, desk.at, desk.at)
    first, second = decisions(desk.ledger.entries())
    assert (first.restated, second.restated["keys_restated"]) == ({}, 1)


def test_a_refused_correction_restates_nothing(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    refused = desk.judged(lines(NL=-1))
    assert (refused.decision.verdict, restated(refused)) == (Verdict.REFUSE, {})


def test_what_is_only_added_restates_nothing(tmp_path):
    desk = Desk.of(tmp_path, CASES + "publication: {mode: append}\n")
    desk.published(lines(NL=1))
    assert restated(desk.judged(lines(BE=1))) == {}


def test_without_a_key_only_rows_are_counted(tmp_path):
    desk = Desk.of(tmp_path, CASES.replace("key: [region, day]\n", ""))
    desk.published(lines(NL=1, BE=2))
    assert restated(desk.judged(lines(NL=1))) == {"rows_before": 2, "rows_after": 1}


def test_an_empty_delivery_takes_every_key_away(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1, BE=2))
    assert restated(desk.judged(lines())) == counts(rows_before=2, rows_after=0, keys_removed=2)


def test_rows_that_are_kept_apart_take_no_part(tmp_path):
    desk = Desk.of(tmp_path, CASES + "enforcement: {on_breach: quarantine}\n")
    desk.published(lines(NL=1, BE=2))
    judged = desk.judged(lines(NL=1, BE=-2))
    assert judged.decision.verdict is Verdict.PUBLISH_WITH_QUARANTINE
    assert restated(judged) == counts(rows_before=2, rows_after=1, keys_removed=1)


def test_by_key_rows_are_replaced_in_whatever_partition_they_stand(tmp_path):
    """[S1-068] Those that nobody delivered again stay, and are not counted."""
    desk = Desk.of(tmp_path, UPSERT)
    desk.published(lines(NL=1, BE=2))
    correction = lines(NL=5) + lines(SECOND, NL=2).partition("\n")[2]
    assert restated(desk.judged(correction, SECOND)) == counts(
        rows_before=1, rows_after=2, keys_added=1, keys_restated=1
    ) | {"field:n": 1, "touched:region": 1, "touched:day": 1}


def test_new_keys_alone_restate_nothing(tmp_path):
    desk = Desk.of(tmp_path, UPSERT)
    desk.published(lines(NL=1))
    assert restated(desk.judged(lines(SECOND, NL=2), SECOND)) == {}


def test_null_is_a_value_like_others(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL="", BE="", DE=1))
    assert restated(desk.judged(lines(NL="", BE=0, DE="")))["field:n"] == 2


def test_a_field_that_comes_later_is_told_by_its_name(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1, BE=2))
    assert restated(desk.judged("region,day,n,note\nNL,2026-10-01,1,late\nBE,2026-10-01,2,\n"))["field:note"] == 1


def test_undeclared_columns_are_one_field_without_a_name(tmp_path):
    desk = Desk.of(tmp_path, CASES + "extra_fields: keep\n")
    desk.published("region,day,n,a,b\nNL,2026-10-01,1,x,y\nBE,2026-10-01,1,x,y\n")
    found = restated(desk.judged("region,day,n,a,b\nNL,2026-10-01,1,x,z\nBE,2026-10-01,1,u,v\n"))
    assert {name: count for name, count in found.items() if name.startswith("field:")} == {"field:<extra>": 2}


def test_keys_that_stand_more_than_once_are_counted_and_not_compared(tmp_path):
    desk = Desk.of(tmp_path, CASES + "enforcement: {on_breach: warn}\n")
    desk.published(lines(NL=1, BE=2) + "BE,2026-10-01,3\n")
    assert restated(desk.judged(lines(NL=4, BE=2, FR=1))) == counts(
        rows_before=3, rows_after=3, keys_added=1, keys_restated=1, keys_repeated=1
    ) | {"field:n": 1, "touched:region": 1, "touched:day": 1}


def many(change: int) -> str:
    return lines(**dict.fromkeys(REGIONS, 100 + change))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(CASES, 50_000, id="told"),
        pytest.param(CASES.replace("true, min: 0}", "true, min: 0, classification: internal}"), 50_000, id="internal"),
        pytest.param(
            CASES.replace("true, min: 0}", "true, min: 0, classification: confidential}"), None, id="confidential"
        ),
        pytest.param(
            CASES.replace("true, min: 0}", "true, min: 0, classification: restricted}"), None, id="restricted"
        ),
    ],
)
def test_by_how_much_numbers_changed_is_told_of_fields_that_may_be_known(tmp_path, text, told):
    desk = Desk.of(tmp_path, text)
    desk.published(many(0))
    found = restated(desk.judged(many(5)))
    assert (found["field:n"], found.get("relative_change_ppm:n")) == (12, told)


def test_of_a_few_keys_nobody_is_told_by_how_much_they_changed(tmp_path):
    """The change of one key would be its value."""
    desk = Desk.of(tmp_path)
    desk.published(many(0))
    nine_changed = lines(**{region: 101 if place < 9 else 100 for place, region in enumerate(REGIONS)})
    ten_changed = lines(**{region: 101 if place < 10 else 100 for place, region in enumerate(REGIONS)})
    assert "relative_change_ppm:n" not in restated(desk.judged(nine_changed))
    assert restated(desk.judged(ten_changed))["relative_change_ppm:n"] == 8_333


def test_nulls_that_became_numbers_do_not_make_up_for_few_keys(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(**dict.fromkeys(REGIONS[1:], ""), R0=100))
    found = restated(desk.judged(many(5)))
    assert (found["field:n"], "relative_change_ppm:n" in found) == (12, False)


def test_a_change_from_nothing_has_no_measure(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(**dict.fromkeys(REGIONS, 0)))
    assert "relative_change_ppm:n" not in restated(desk.judged(many(5)))


def test_no_change_is_told_as_larger_than_a_millionfold(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(**dict.fromkeys(REGIONS, 1)))
    found = restated(desk.judged(lines(**dict.fromkeys(REGIONS, 2**62))))
    assert found["relative_change_ppm:n"] == 10**12


@pytest.mark.parametrize("number", ["5", "-5"], ids=["accepted", "refused"])
def test_where_the_published_table_cannot_be_read_judging_goes_on(tmp_path, number):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    for file in (desk.places.published / "cases").rglob("*.parquet"):
        file.unlink()
    judged = desk.judged(lines(NL=number))
    assert (judged.is_accepted, restated(judged)) == (number == "5", {})


def test_where_the_log_of_the_table_is_damaged_judging_goes_on(tmp_path):
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1))
    for file in (desk.places.published / "cases" / "_delta_log").glob("*.json"):
        file.write_text("{")
    assert restated(desk.judged(lines(NL=2))) == {}


def test_ledger_and_commit_hold_the_same_counts(tmp_path):
    """A ledger that is written anew from the table says what was restated."""
    desk = Desk.of(tmp_path)
    desk.published(lines(NL=1, BE=2))
    told = restated(desk.published(lines(NL=3)))
    recorded = [entry.restated for entry in desk.ledger.entries() if entry.event is Event.PUBLISHED]
    shutil.rmtree(desk.places.ledger)
    complete(reconcile_contract(desk.contract, desk.places, desk.at), desk.ledger)
    rebuilt = [entry.restated for entry in desk.ledger.entries() if entry.event is Event.PUBLISHED]
    assert recorded == rebuilt == [{}, told]


def test_no_count_holds_a_value_or_the_name_of_an_undeclared_column(tmp_path):
    """S1-063, S1-092."""
    desk = Desk.of(tmp_path, CASES + "extra_fields: keep\n")
    desk.published("region,day,n,zqcolumn\nzqregion,2026-10-01,700000001,zqold\n")
    desk.published("region,day,n,zqcolumn\nzqregion,2026-10-01,700000002,zqnew\n")
    told = repr([entry.restated for entry in desk.ledger.entries()])
    assert "'field:<extra>': 1" in told
    assert [word for word in ("zq", "70000000") if word in told] == []
