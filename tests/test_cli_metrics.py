"""The command that tells contracts in numbers, from deliveries to the file that a collector reads."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.commands import CASES, Run, written

MARKER = "zq7planted7marker"
AT = ("--as-of", "2126-10-03T12:00:00Z")


@pytest.fixture
def site(run: Run, tmp_path: Path) -> Run:
    """Two days: the first refused and then published, the second refused."""
    (tmp_path / "data" / "contracts").mkdir(parents=True)
    written(tmp_path / "data" / "contracts", cases_yaml=CASES)
    written(tmp_path, planted_csv=f"region,day,count,{MARKER}\n{MARKER},2026-10-01,seven,{MARKER}\n")
    for name, day in (("planted", "2026-10-01"), ("good", "2026-10-01"), ("bad", "2026-10-02")):
        run("publish", "cases", f"{name}.csv", "--partition", day, "--root", "data")
    return run


def document(run: Run, *options: str) -> dict:
    code, out, err = run("metrics", "--root", "data", *AT, *options, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_document_tells_what_became_of_the_deliveries(site: Run) -> None:
    """[S1-032] [S1-033] [S1-034] [S1-035]"""
    found = document(site)
    (told,) = found["contracts"]
    assert (found["at"], told["contract"], told["mode"]) == ("2126-10-03T12:00:00+00:00", "cases", "fail")
    assert told["submissions"] == {"publish": 1, "publish_with_quarantine": 0, "refuse": 2, "failed": 0}
    assert told["refused_by_rule"]["count.type"] == 2
    assert told["receipt_to_publication_seconds"]["count"] == 1
    assert 0 < told["receipt_to_publication_seconds"]["sum"] < 60
    assert told["newest_event_age_seconds"] == timedelta(days=36_526, hours=12).total_seconds()
    assert told["resolution"]["by_rule"]["extra_field"] == {
        "open": 0, "resolved": 1, "seconds": told["resolution"]["by_rule"]["extra_field"]["seconds"],
    }  # fmt: skip
    assert (told["resolution"]["by_rule"]["key"]["open"], told["incidents"]["refused"]) == (
        1,
        {"open": 1, "resolved": 1},
    )
    stages = told["stages"]
    assert (stages["validate"]["seconds"]["count"], stages["publish"]["cpu_seconds"]["count"]) == (3, 1)
    assert (stages["take"]["rows"]["sum"], stages["publish"]["rows"]["sum"]) == (
        told["stages"]["validate"]["rows"]["sum"],
        2,
    )
    assert (told["stale"], told["partitions"]) == (None, None)


def test_numbers_are_those_of_an_earlier_moment_where_one_is_named(site: Run) -> None:
    (told,) = json.loads(site("metrics", "cases", "--root", "data", "--as-of", "2026-01-01", "--json")[1])["contracts"]
    assert sum(told["submissions"].values()) == 0


def test_the_text_is_one_that_prometheus_reads(site: Run) -> None:
    code, out, err = site("metrics", "--root", "data", *AT)
    families = {family.name for family in text_string_to_metric_families(out)}
    assert (code, err, len(families) > 15) == (0, "", True)


def test_no_value_and_no_undeclared_name_appears(site: Run) -> None:
    """[S3-031] Labels are the contract's own words."""
    said = [site("metrics", "--root", "data", *AT, *more)[1] for more in ((), ("--json",))]
    assert ["extra_field" in text for text in said] == [True, True]
    assert MARKER not in "".join(said)


def test_a_file_for_a_collector_is_written_in_one_step_and_again(site: Run, tmp_path: Path) -> None:
    target = tmp_path / "gate.prom"
    expected = site("metrics", "--root", "data", *AT)[1]
    ended = [site("metrics", "--root", "data", *AT, "--out", target) for _ in range(2)]
    assert ended == [(0, "", "")] * 2
    assert (target.read_text(), sorted(path.name for path in tmp_path.glob("*.prom"))) == (expected, ["gate.prom"])


def test_a_file_of_somebody_else_stays(site: Run, tmp_path: Path) -> None:
    written(tmp_path, other_prom="up 1\n")
    code, out, err = site("metrics", "--root", "data", "--out", tmp_path / "other.prom")
    assert (code, out, "does not say that contract-gate wrote it" in err) == (2, "", True)
    assert (tmp_path / "other.prom").read_text() == "up 1\n"


def test_a_file_and_a_document_are_not_asked_for_together(site: Run, tmp_path: Path) -> None:
    code, _, err = site("metrics", "--root", "data", "--json", "--out", tmp_path / "gate.prom")
    assert (code, err.splitlines()[0]) == (2, "--out: writes what Prometheus reads, and --json asks for JSON")


def test_a_contract_without_deliveries_has_its_zeros_and_no_ages(run: Run) -> None:
    code, out, _ = run("metrics", "cases.yaml", "--root", "data")
    assert (code, 'contract_gate_submissions_total{contract="cases",verdict="refuse"} 0' in out) == (0, True)
    assert "age_seconds" not in out
