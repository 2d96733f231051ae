"""Monitors in Dagster: one check for the volume and one for each watched field, with movements as numbers that the UI plots."""

import dagster as dg
import pytest

from contract_assets.checks import check_groups
from tests.assets.bench import CASES, contract_of, outcomes
from tests.assets.test_published import last

DAYS = [f"2026-10-{day:02}" for day in range(1, 6)]
FIELDS = (
    "    n: {null_rate: 5%, mean_change: 50%, min_history: 2}\n    region: {distinct_change: 50%, min_history: 2}\n"
)
WATCHED = CASES + "monitors:\n  volume: {max_change: 50%, min_history: 2}\n  fields:\n" + FIELDS


def delivered(day: str, rows: int, number: int = 10) -> str:
    lines = (f"{chr(65 + row // 26)}{chr(65 + row % 26)},{day},{number + row % 2}\n" for row in range(rows))
    return "region,day,n\n" + "".join(lines)


@pytest.fixture
def watched(bench):
    """The bench under a contract with monitors, after three ordinary days."""
    bench.contract, bench.as_of = contract_of(WATCHED), "2026-10-10T12:00:00+00:00"
    for day in DAYS[:3]:
        assert bench.take(delivered(day, 20), day).success
    return bench


def numbers(check: dg.AssetCheckEvaluation) -> dict[str, object]:
    """What a monitor adds to the metadata of every check."""
    usual = {"breaches", "unjudged", "submission", "as_of", "obligations"}
    return {name: value.value for name, value in check.metadata.items() if name not in usual}


def test_the_volume_and_each_watched_field_have_a_check_of_their_own() -> None:
    """[S4-022] Its name stays when a monitor that warned becomes blocking, and so do its plots."""
    strict = WATCHED.replace("min_history: 2}", "min_history: 2, severity: error}")
    found = [
        {
            group.name: group.is_blocking
            for group in check_groups(contract_of(text))
            if group.name.startswith(("volume", "drift"))
        }
        for text in (WATCHED, strict)
    ]
    names = ("volume", "drift_n", "drift_region")
    assert found == [dict.fromkeys(names, False), dict.fromkeys(names, True)]


def test_an_ordinary_day_passes_with_its_movements_as_numbers(watched) -> None:
    assert watched.take(delivered(DAYS[3], 22), DAYS[3]).success
    assert numbers(last(watched, "volume", watched.candidate)) == {
        "rows": 22,
        "rows_moved_percent": 10.0,
        "partitions_compared": 3,
    }
    drift = last(watched, "drift_n", watched.candidate)
    assert (drift.passed, numbers(drift)) == (
        True,
        {
            "rows": 22,
            "null_rate_moved_percent": 0.0,
            "null_percent": 0.0,
            "mean_moved_percent": 0.0,
            "partitions_compared": 3,
        },
    )


def test_a_day_unlike_those_before_is_told_and_published(watched) -> None:
    """[S4-022]"""
    result = watched.take(delivered(DAYS[3], 200, number=500), DAYS[3])
    assert result.success
    assert [name for name, passed in outcomes(result).items() if not passed] == ["volume", "drift_n", "drift_region"]
    seen = last(watched, "volume", watched.candidate)
    assert (seen.severity, seen.blocking) == (dg.AssetCheckSeverity.WARN, False)
    assert "it moved by 900% (allowed 50%), over 3 partitions" in seen.description
    assert len(watched.shown()) == 260


def test_a_day_that_a_blocking_monitor_refuses_leaves_the_table_as_it_was(watched) -> None:
    watched.contract = contract_of(
        WATCHED.replace("50%, min_history: 2}\n  fields", "50%, min_history: 2, severity: error}\n  fields").replace(
            "1.0.0", "1.1.0"
        )
    )
    assert not watched.take(delivered(DAYS[3], 2), DAYS[3]).success
    assert last(watched, "volume", watched.candidate).severity is dg.AssetCheckSeverity.ERROR
    assert len(watched.shown()) == 60


def test_no_mean_stands_in_the_metadata_of_a_check(watched) -> None:
    watched.take(delivered(DAYS[3], 20, number=7654321), DAYS[3])
    checks = [last(watched, name, watched.candidate) for name in ("volume", "drift_n", "drift_region")]
    assert "76543" not in repr(checks)
