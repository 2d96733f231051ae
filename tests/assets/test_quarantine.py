"""Rows kept apart, as Dagster tells it: what breaks a rule is seen and stops nothing; what breaks the whole still refuses.

A failed check with severity ERROR that blocks would stop the published asset in the same run and in automation, so that the
checks of rows do not block here, and the check `decision` does.
"""

import dagster as dg
import polars as pl
import pytest

from contract_assets import assets as assets_module
from contract_assets.checks import DECISION, check_specs
from contract_core.publication.decision import Verdict
from tests.assets.bench import BAD, CASES, DAY, GOOD, MARKER, contract_of, csv, everything_told, failures, outcomes
from tests.assets.test_automation import Watched
from tests.assets.test_recheck import recheck
from tests.publication.unchanged import unchanged

APART = CASES + 'enforcement: {on_breach: quarantine, quarantine: {max_rate: "50%"}}\n'
TELLING = CASES + "enforcement: {on_breach: warn}\n"
ONE_BAD = csv(("NL", DAY, -1), ("BE", DAY, 2), ("DE", DAY, 3), ("FR", DAY, 4))
TOO_MANY = csv(("NL", DAY, -1), ("BE", DAY, -2), ("DE", DAY, -3), ("FR", DAY, 4))
ELSEWHERE = csv(("NL", DAY, -1), ("BE", "2026-11-11", 2), ("DE", DAY, 3), ("FR", DAY, 4))
WITHOUT_N = csv(("NL", DAY), header="region,day")

pytestmark = pytest.mark.filterwarnings("ignore:Parameter `include_sources`")  # Dagster's own call, in 1.13


@pytest.fixture
def apart(bench):
    bench.contract = contract_of(APART)
    return bench


def told(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {check.check_name: check for check in result.get_asset_check_evaluations()}


def numbers(metadata: dict[str, dg.MetadataValue]) -> dict[str, object]:
    return {name: metadata[name].value for name in ("rows_conforming", "rows_quarantined") if name in metadata}


def test_the_conforming_rows_are_published_and_the_others_kept_apart(apart):
    """S3-019, S1-004: in one run, and each row is in one place."""
    result = apart.take(ONE_BAD)
    assert result.success
    assert sorted(row[0] for row in apart.shown()) == ["BE", "DE", "FR"]
    kept = apart.gate.store().quarantine.rows("cases").collect()
    assert kept.select("rule", "row", "version").rows() == [("n.range", 1, "1.0.0")]


def test_the_check_of_the_rows_fails_as_a_warning_and_the_decision_passes(apart):
    """S3-033: what a person sees is yellow for what is kept apart, and green for what may be published."""
    checks = told(apart.take(ONE_BAD))
    assert {name for name, check in checks.items() if not check.passed} == {"field_n"}
    broken, decision = checks["field_n"], checks[DECISION]
    assert (broken.severity, broken.blocking) == (dg.AssetCheckSeverity.WARN, False)
    assert broken.description.startswith(
        "broken: 'n' is at least 0; 1 of 4 rows breaks it (kept apart in quarantine; to do: look for"
    )
    assert (decision.passed, decision.blocking) == (True, True)
    assert decision.description == "1 of 4 rows goes to quarantine/cases (n.range); the other 3 may be published"
    assert numbers(decision.metadata) == {"rows_conforming": 3, "rows_quarantined": 1}
    assert decision.metadata["reasons"].value == "n.range"


def test_both_assets_count_the_rows_that_were_kept_apart(apart):
    """S3-033: numbers that the UI plots, and where the rows are."""
    result = apart.take(ONE_BAD)
    taken = result.asset_materializations_for_node("candidate__cases")[0].metadata
    shown = result.asset_materializations_for_node("published__cases")[0].metadata
    assert (taken["dagster/partition_row_count"].value, numbers(taken)) == (
        4,
        {"rows_conforming": 3, "rows_quarantined": 1},
    )
    assert (shown["dagster/partition_row_count"].value, shown["rows_quarantined"].value) == (3, 1)
    assert shown["quarantine"].value == str(apart.root / "quarantine" / "cases")
    assert "1 row of it is kept apart in quarantine/cases" in shown["outcome"].value


def test_a_day_without_a_broken_row_plots_a_zero_and_names_no_place(apart):
    result = apart.take(GOOD)
    shown = result.asset_materializations_for_node("published__cases")[0].metadata
    assert shown["rows_quarantined"].value == 0
    assert "quarantine" not in shown
    assert told(result)[DECISION].description == "all 2 rows may be published"


def test_a_contract_without_quarantine_has_neither_check_nor_numbers(bench):
    result = bench.take(GOOD)
    assert DECISION not in told(result)
    for step in ("candidate__cases", "published__cases"):
        metadata = result.asset_materializations_for_node(step)[0].metadata
        assert not {"rows_conforming", "rows_quarantined", "quarantine"} & set(metadata)


def test_a_table_that_shows_fewer_rows_than_were_delivered_still_agrees_with_the_ledger(apart):
    result = apart.take(ONE_BAD)
    reconciled = told(result)["reconciled"]
    assert (reconciled.passed, reconciled.metadata["rows_in_ledger"].value) == (True, 3)


@pytest.mark.parametrize(
    ("text", "decision", "failed"),
    [
        pytest.param(TOO_MANY, "3 of 4 rows break a rule, and at most 50", {"field_n"}, id="the budget is exceeded"),
        pytest.param(
            ELSEWHERE,
            "nothing of it may be published: partition is about the whole delivery, not about single rows",
            {"field_n", "partition"},
            id="S3-019 a breach of the whole delivery",
        ),
        pytest.param(
            WITHOUT_N,
            "nothing of it may be published: n.missing is about the whole delivery, not about single rows",
            {"schema", "field_n"},
            id="a column is missing",
        ),
    ],
)
def test_what_cannot_be_kept_apart_refuses_the_whole(apart, text, decision, failed):
    """S1-013: with a red check that blocks, nothing materialised, nothing published and nothing in quarantine."""
    result = apart.take(text)
    checks = told(result)
    errors = {
        name for name, check in checks.items() if not check.passed and check.severity is dg.AssetCheckSeverity.ERROR
    }
    assert not result.success
    assert errors == failed | {DECISION}
    assert checks[DECISION].description.startswith(decision)
    assert apart.materialized(apart.candidate) == apart.materialized(apart.published) == set()
    assert not apart.table.exists()
    assert apart.gate.store().quarantine.counts("cases") == {}


def test_the_end_of_a_run_says_which_budget_was_exceeded(apart):
    (words,) = failures(apart.take(TOO_MANY))
    assert "refused, the published table is as it was. 3 of 4 rows break a rule, and at most" in words
    assert words.endswith("broken: 'n' is at least 0; 3 of 4 rows break it")


def test_automation_publishes_a_candidate_that_is_accepted_with_quarantine(apart):
    """The condition looks at checks that block alone, and those of rows do not."""
    watched = Watched(apart)
    apart.land(ONE_BAD)
    assert apart.run(apart.candidate).success
    assert watched.requested() == {DAY}
    assert apart.run(apart.published).success
    assert len(apart.shown()) == 3
    assert watched.requested() == set()


@pytest.mark.parametrize(
    "text", [TOO_MANY, ELSEWHERE, WITHOUT_N], ids=["budget", "whole delivery", "a column is missing"]
)
def test_automation_never_publishes_one_that_is_refused_after_a_good_one(apart, text):
    """The candidate's old materialisation is still there: only a check that blocks keeps automation from it."""
    watched = Watched(apart)
    for delivery in (GOOD, text):
        apart.land(delivery)
        apart.run(apart.candidate)
    assert watched.requested() == set()


def test_a_day_with_broken_rows_is_corrected_by_the_next_delivery(apart):
    """S1-068: the correction shows all rows; what was kept apart of the first one stays in quarantine under its submission."""
    apart.take(ONE_BAD)
    assert apart.take(ONE_BAD.replace(",-1", ",1")).success
    assert len(apart.shown()) == 4
    assert list(apart.gate.store().quarantine.counts("cases").values()) == [1]
    first, second = apart.ledger.latest_decision("cases", DAY), apart.ledger.entries()[0]
    assert (first.verdict, second.verdict) == (Verdict.PUBLISH, Verdict.PUBLISH_WITH_QUARANTINE)


def test_the_same_delivery_again_is_published_and_kept_apart_once(apart):
    """S1-066."""
    apart.take(ONE_BAD)
    with unchanged(apart.table):
        result = apart.run()
    shown = result.asset_materializations_for_node("published__cases")[0].metadata
    assert (shown["already_published"].value, shown["rows_quarantined"].value) == (True, 1)
    assert list(apart.gate.store().quarantine.counts("cases").values()) == [1]


def test_a_candidate_that_is_judged_again_tells_its_decision_again(apart):
    apart.take(ONE_BAD)
    assert recheck(apart).success


def test_a_candidate_that_could_not_be_judged_answers_the_check_of_the_decision_too(apart):
    result = apart.run(apart.candidate)
    assert outcomes(result)[DECISION] is False
    assert not any(outcomes(result).values())


def test_a_decision_that_yields_no_result_stops_the_run(apart, monkeypatch):
    monkeypatch.setattr(assets_module, "check_results", lambda *_: iter(()))
    assert not apart.take(ONE_BAD).success
    assert not apart.table.exists()


def test_no_value_of_a_row_that_was_kept_apart_is_in_any_event(apart):
    """S1-092, S3-015."""
    rows = csv((MARKER, DAY, 1), ("BE", DAY, 2), ("DE", DAY, MARKER), ("FR", DAY, 4))
    assert apart.take(rows).success
    assert MARKER in apart.gate.store().quarantine.rows("cases").collect()["record"].str.join("").item()
    assert MARKER not in everything_told(apart.instance)
    assert MARKER not in repr(apart.ledger.entries())


def test_a_contract_that_only_warns_tells_each_breach_once_and_publishes_every_row(bench):
    """S3-021: counted, told in the one check it belongs to, and written as it came."""
    bench.contract = contract_of(TELLING)
    result = bench.take(ONE_BAD)
    checks = told(result)
    assert result.success
    assert [name for name, check in checks.items() if not check.passed] == ["field_n"]
    assert (checks["field_n"].severity, checks["field_n"].metadata["breaches"].value) == (
        dg.AssetCheckSeverity.WARN,
        1,
    )
    assert "(published all the same, as on_breach: warn says; to do: look for" in checks["field_n"].description
    assert sorted(row[2] for row in bench.shown()) == [-1, 2, 3, 4]
    assert "n.range" not in repr([check.description for name, check in checks.items() if name != "field_n"])


def test_a_contract_that_only_warns_still_refuses_what_is_about_the_whole(bench):
    bench.contract = contract_of(TELLING)
    result = bench.take(ELSEWHERE)
    checks = told(result)
    assert not result.success
    assert not bench.table.exists()
    assert checks["partition"].severity is dg.AssetCheckSeverity.ERROR
    assert checks["field_n"].severity is dg.AssetCheckSeverity.WARN


def test_automation_publishes_what_a_contract_that_only_warns_lets_through(bench):
    bench.contract = contract_of(TELLING)
    watched = Watched(bench)
    bench.land(BAD)
    assert bench.run(bench.candidate).success
    assert watched.requested() == {DAY}


@pytest.mark.parametrize(
    ("text", "blocking"),
    [
        pytest.param(CASES, {"schema", "field_region", "field_day", "field_n", "key", "rows", "partition"}, id="fail"),
        pytest.param(APART, {DECISION, "rows", "partition"}, id="quarantine"),
        pytest.param(TELLING, {DECISION, "schema", "rows", "partition"}, id="warn"),
    ],
)
def test_only_what_refuses_for_certain_blocks(text, blocking):
    """S1-055: Dagster fixes before any run which checks block."""
    specs = check_specs(contract_of(text), dg.AssetKey("x"), None)
    assert {spec.name for spec in specs if spec.blocking} == blocking
    assert all(spec.description for spec in specs)


def test_what_was_published_holds_no_row_that_is_kept_apart(apart):
    apart.take(ONE_BAD)
    assert pl.read_delta(str(apart.table)).filter(pl.col("n") < 0).is_empty()
