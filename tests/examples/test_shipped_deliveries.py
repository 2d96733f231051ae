"""Every delivery of the example environment leads to the verdict and the findings that its README promises."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from contract_core.contract.registry import read_contracts
from contract_core.validation.past import NONE_PUBLISHED, Past
from tests.examples.offering import DATA, SHARED, offer, shipped

ITALY = "ita_regions"
RUNS = "run_durations"
ORDERS = "orders"
CASES = "regional_daily_cases"
SPREADSHEET = {
    "data.type": 21,
    "codice_regione.pattern": 8,
    "denominazione_regione.untrimmed": 1,
    "lat.range": 21,
    "long.range": 21,
    "coverage.missing": 8,
    "coverage.unexpected": 8,
}
LOST_ZEROS = {
    "codice_regione.pattern": 8,
    "denominazione_regione.untrimmed": 1,
    "coverage.missing": 8,
    "coverage.unexpected": 8,
}
BAD_ORDERS = {
    "order_id.null": 1,
    "customer_email.pattern": 1,
    "amount.type": 1,
    "amount.range": 1,
    "status.enum": 1,
    "shipped_orders_have_left.row_rule": 1,
    "free_orders_are_rare.row_rule": 1,
    "key": 1,
    "partition": 1,
}
BAD_CASES = {
    "case_count.range": 1,
    "status.enum": 1,
    "note.untrimmed": 1,
    "key": 1,
    "partition": 1,
    "coverage.missing": 1,
    "coverage.unexpected": 1,
}
DELIVERIES = [
    (
        ITALY,
        "corrections/ita_regions/2020-03-05/r1",
        "refuse",
        {"extra_field": 1, "denominazione_regione.untrimmed": 1},
        set(),
    ),
    (ITALY, "landing/ita_regions/2020-03-05", "publish", {}, set()),
    (ITALY, "corrections/ita_regions/2020-03-06/r0", "publish", {"denominazione_regione.untrimmed": 1}, set()),
    (ITALY, "landing/ita_regions/2020-03-06", "refuse", SPREADSHEET, {"freshness"}),
    (ITALY, "corrections/ita_regions/2020-03-06/r2", "refuse", LOST_ZEROS, set()),
    (ITALY, "corrections/ita_regions/2020-03-06/r3", "refuse", LOST_ZEROS, set()),
    (ITALY, "corrections/ita_regions/2020-03-06/r4", "publish", {}, set()),
    (ITALY, "landing/ita_regions/2020-03-09", "publish", {}, set()),
    (ITALY, "landing/ita_regions/2020-03-10", "publish", {"denominazione_regione.untrimmed": 1}, set()),
    (ITALY, "landing/ita_regions/2020-03-16", "publish", {}, set()),
    (ITALY, "landing/ita_regions/2020-03-17", "refuse", {"partition": 19}, set()),
    (ITALY, "corrections/ita_regions/2020-03-17/r1", "publish", {}, set()),
    (ITALY, "landing/ita_regions/2020-03-24", "publish", {}, set()),
    (ITALY, "landing/ita_regions/2020-03-25", "refuse", {"extra_field": 2, "data.type": 21}, {"freshness"}),
    (RUNS, "landing/run_durations/2026-10-01", "publish", {}, set()),
    (RUNS, "landing/run_durations/2026-10-02", "publish", {}, set()),
    (RUNS, "landing/run_durations/2026-10-03", "publish", {}, set()),
    (RUNS, "landing/run_durations/2026-10-04", "refuse", {"completeness": 1}, set()),
    (RUNS, "corrections/run_durations/2026-10-04/second", "publish", {}, set()),
    (RUNS, "landing/run_durations/2026-10-05", "refuse", {"coverage.missing": 1}, set()),
    (RUNS, "corrections/run_durations/2026-10-05/second", "publish", {}, set()),
    (RUNS, "landing/run_durations/2026-10-06", "refuse", {"key": 1}, set()),
    (ORDERS, "landing/orders/2026-10-01", "publish", {"free_orders_are_rare.row_rule": 1}, set()),
    (ORDERS, "landing/orders/2026-10-02", "refuse", BAD_ORDERS, set()),
    (ORDERS, "corrections/orders/2026-10-02/second", "publish", {}, set()),
    (ORDERS, "landing/orders/2026-10-03", "publish_with_quarantine", {"amount.type": 1, "status.enum": 1}, set()),
    (ORDERS, "corrections/orders/2026-10-03/second", "publish", {}, set()),
    (CASES, "landing/regional_daily_cases/2026-10-01", "publish", {}, set()),
    (CASES, "landing/regional_daily_cases/2026-10-02", "refuse", BAD_CASES, set()),
    (CASES, "corrections/regional_daily_cases/2026-10-02/second", "publish", {}, set()),
]


def partition_of(folder: str) -> str:
    return folder.split("/")[2]


def evening_after(partition: str) -> datetime:
    return datetime.fromisoformat(partition).replace(tzinfo=ZoneInfo("Europe/Rome")) + timedelta(hours=42)


@pytest.mark.parametrize("name, folder, verdict, breached, unjudged", DELIVERIES, ids=[row[1] for row in DELIVERIES])
def test_each_delivery_leads_to_its_verdict_and_findings(name, folder, verdict, breached, unjudged, tmp_path):
    """S1-001, S3-035: the examples that ship do what is said of them, each as the first that is ever offered."""
    partition = partition_of(folder)
    past = Past(predecessor=NONE_PUBLISHED)
    offered = offer(shipped(name), [DATA / folder], partition, tmp_path, evening_after(partition), past)
    assert (offered.verdict, offered.breached, offered.unjudged) == (verdict, breached, unjudged)


def test_the_table_above_names_every_delivery_that_ships():
    partitions = {path.parent for path in (DATA / "landing").glob("*/*/*")} | {
        path.parent for path in (DATA / "corrections").glob("*/*/*/*")
    }
    assert {path.relative_to(DATA).as_posix() for path in partitions} == {row[1] for row in DELIVERIES}


def test_every_shipped_contract_can_be_read_and_is_active():
    """S1-040, S1-041: an active contract names producer, consumers and grain."""
    contracts = read_contracts(DATA / "contracts")
    assert [contract.name for contract in contracts] == [ITALY, ORDERS, CASES, RUNS]
    assert {contract.status for contract in contracts} == {"active"}


@pytest.mark.parametrize("name", [ITALY, ORDERS, CASES, RUNS])
def test_every_shipped_contract_opens_with_the_line_that_editors_read(name):
    first = (DATA / "contracts" / f"{name}.yaml").read_text("utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=../schema/contract.schema.json"


@pytest.mark.parametrize(
    "path", sorted(DATA.glob("*/ita_regions/**/*.csv")), ids=lambda path: path.parent.as_posix()[-13:]
)
def test_the_real_files_are_those_whose_digests_stand_in_their_source(path):
    """The licence asks for unmodified files or a note; these are unmodified."""
    from hashlib import sha256

    digest = sha256(path.read_bytes()).hexdigest()
    assert digest[:12] in (DATA / "landing" / ITALY / "SOURCE.md").read_text("utf-8")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the independent data set is not beside the repository")
@pytest.mark.parametrize(
    "path", sorted(DATA.glob("*/ita_regions/**/*.csv")), ids=lambda path: path.parent.as_posix()[-13:]
)
def test_the_real_files_have_the_bytes_of_the_independent_set(path):
    originals = {file.read_bytes() for file in (SHARED / "italy_regions_march2020" / "deliveries").iterdir()}
    assert path.read_bytes() in originals


def test_what_the_examples_cannot_prove_is_said_in_every_report(tmp_path):
    """S2-007, S2-031, S1-029: population, completeness and unit are believed, and the report says so."""
    offered = offer(shipped(RUNS), [DATA / "landing/run_durations/2026-10-01"], "2026-10-01", tmp_path)
    claims = "\n".join(offered.report.unverified)
    assert "population: Attempts that ended in success on the day" in claims
    assert "completeness: " in claims
    assert "units: that values are measured in ms" in claims
    assert "evidence: the worker closes its extraction window first" in claims


def test_the_path_of_a_delivery_is_no_part_of_its_identity(tmp_path):
    """S1-066: the same files at another place are the same submission."""
    elsewhere = tmp_path / "elsewhere" / "runs.json"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(Path(DATA / "landing/run_durations/2026-10-01/runs.json").read_bytes())
    here = offer(shipped(RUNS), [DATA / "landing/run_durations/2026-10-01"], "2026-10-01", tmp_path)
    there = offer(shipped(RUNS), [elsewhere.parent], "2026-10-01", tmp_path)
    assert here.candidate.submission == there.candidate.submission
