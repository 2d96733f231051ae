"""The example environment played through: what is accepted is published once, and what is refused changes nothing."""

from datetime import UTC, datetime

import polars as pl
import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.environment import Environment
from contract_core.publication.ledger import Ledger
from contract_core.publication.submit import publish_judged, store_of, take_and_decide
from tests.examples.offering import DATA, shipped
from tests.publication.unchanged import table_state, unchanged

EVENING = datetime(2026, 10, 7, 18, 0, tzinfo=UTC)
REPAIRED = [
    pytest.param(
        "ita_regions", "2020-03-16", "2020-03-17", "corrections/ita_regions/2020-03-17/r1", 21, id="dragged dates"
    ),
    pytest.param(
        "ita_regions",
        "2020-03-05",
        "2020-03-06",
        "corrections/ita_regions/2020-03-06/r4",
        21,
        id="spreadsheet round trip",
    ),
    pytest.param(
        "run_durations",
        "2026-10-01",
        "2026-10-04",
        "corrections/run_durations/2026-10-04/second",
        4,
        id="incomplete worker",
    ),
    pytest.param(
        "run_durations",
        "2026-10-01",
        "2026-10-05",
        "corrections/run_durations/2026-10-05/second",
        2,
        id="missing worker",
    ),
    pytest.param("orders", "2026-10-01", "2026-10-02", "corrections/orders/2026-10-02/second", 7, id="bad orders"),
    pytest.param(
        "regional_daily_cases",
        "2026-10-01",
        "2026-10-02",
        "corrections/regional_daily_cases/2026-10-02/second",
        2,
        id="bad cases",
    ),
]


def publish(environment, name, folder, partition):
    """What `contract-gate publish` does: take, judge, decide, publish, record."""
    contract = shipped(name)
    judged = take_and_decide(
        contract, collect_delivery(contract, [DATA / folder], partition), environment, EVENING, EVENING
    )
    return publish_judged(judged, environment, EVENING)


def published(environment, name):
    return pl.read_delta(str(environment.published / name))


@pytest.mark.parametrize("name, before, day, repair, rows", REPAIRED)
def test_a_refused_day_changes_nothing_and_its_repair_is_published(name, before, day, repair, rows, tmp_path):
    """S1-001, S1-013, S1-086: seen on the table itself, version, rows and files."""
    environment = Environment.at(tmp_path)
    accepted = publish(environment, name, f"landing/{name}/{before}", before)
    with unchanged(environment.published / name):
        refused = publish(environment, name, f"landing/{name}/{day}", day)
    repaired = publish(environment, name, repair, day)
    assert refused is None
    assert repaired.rows == rows
    assert published(environment, name).height == accepted.rows + rows


def test_numbers_beside_the_wrong_regions_are_refused_where_the_day_before_is_published(tmp_path):
    """[S4-022] The file keeps every promise about its own day."""
    environment = Environment.at(tmp_path)
    publish(environment, "ita_regions", "landing/ita_regions/2020-03-05", "2020-03-05")
    with unchanged(environment.published / "ita_regions"):
        assert publish(environment, "ita_regions", "corrections/ita_regions/2020-03-06/r0", "2020-03-06") is None
    refused = Ledger(environment.ledger).latest_decision("ita_regions", "2020-03-06")
    assert refused.held_back == ("cumulative_collapse.history", "stated_change_widespread.history")
    assert refused.counts["cumulative_collapse.history"] == 10
    repaired = publish(environment, "ita_regions", "corrections/ita_regions/2020-03-06/r4", "2020-03-06")
    assert (repaired.rows, published(environment, "ita_regions").height) == (21, 42)


def test_days_of_italy_with_gaps_between_them_are_all_published(tmp_path):
    """A stated change is that since the day before: where that is not published, nothing is asked of it."""
    environment = Environment.at(tmp_path)
    days = ("2020-03-05", "2020-03-09", "2020-03-10", "2020-03-16", "2020-03-24")
    records = [publish(environment, "ita_regions", f"landing/ita_regions/{day}", day) for day in days]
    assert [record.rows for record in records] == [21] * 5
    warned = {entry.warned for entry in Ledger(environment.ledger).entries("ita_regions")}
    assert "stated_change.history" not in {name for names in warned for name in names}


def test_a_refused_first_day_makes_no_table(tmp_path):
    """S1-013, S2-038."""
    environment = Environment.at(tmp_path)
    assert publish(environment, "run_durations", "landing/run_durations/2026-10-05", "2026-10-05") is None
    assert table_state(environment.published / "run_durations").version is None


def test_a_day_without_runs_is_a_publication_of_no_rows(tmp_path):
    """S2-013, S2-029: nothing happened is a result, and other days stay as they are."""
    environment = Environment.at(tmp_path)
    publish(environment, "run_durations", "landing/run_durations/2026-10-01", "2026-10-01")
    nothing = publish(environment, "run_durations", "landing/run_durations/2026-10-03", "2026-10-03")
    assert nothing.rows == 0
    assert published(environment, "run_durations")["duration_ms"].sort().to_list() == [800, 1200]


def test_the_same_day_offered_twice_is_published_once(tmp_path):
    """S1-066."""
    environment = Environment.at(tmp_path)
    first = publish(environment, "orders", "landing/orders/2026-10-01", "2026-10-01")
    with unchanged(environment.published / "orders"):
        second = publish(environment, "orders", "landing/orders/2026-10-01", "2026-10-01")
    assert (second, second.already_published) == (first, True)


def test_a_day_with_two_bad_orders_is_published_without_them_and_then_corrected(tmp_path):
    """S3-019, S1-068: what is kept apart holds nothing up, and the first version stays readable by its submission."""
    environment = Environment.at(tmp_path)
    store = store_of(environment)
    first = publish(environment, "orders", "landing/orders/2026-10-03", "2026-10-03")
    assert (first.rows, first.quarantined, published(environment, "orders").height) == (48, 2, 48)
    kept = store.quarantine.rows("orders").sort("row").select("rule", "row").collect()
    assert kept.rows() == [("amount.type", 21), ("status.enum", 35)]
    second = publish(environment, "orders", "corrections/orders/2026-10-03/second", "2026-10-03")
    assert (second.rows, second.quarantined, published(environment, "orders").height) == (50, 0, 50)
    assert store.rows_at("orders", first.submission).collect().height == 48


@pytest.mark.parametrize(
    "name, day",
    [
        ("ita_regions", "2020-03-05"),
        ("run_durations", "2026-10-01"),
        ("orders", "2026-10-01"),
        ("regional_daily_cases", "2026-10-01"),
    ],
)
def test_the_published_table_has_the_fields_of_the_contract_first_and_in_its_order(name, day, tmp_path):
    """S1-065."""
    environment = Environment.at(tmp_path)
    publish(environment, name, f"landing/{name}/{day}", day)
    names = shipped(name).field_names
    assert tuple(published(environment, name).columns[: len(names)]) == names
