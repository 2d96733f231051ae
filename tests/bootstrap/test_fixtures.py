"""Test deliveries from a sample: one file for each promise, and the gate refuses each for the promise that it breaks."""

import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from contract_core.bootstrap.fixtures import Asked, refuse_classified, write_fixtures
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contract
from contract_core.errors import WrongUsageError
from contract_core.validation.plan import validate
from contract_core.validation.report import Outcome

DATA = Path(__file__).parents[2] / "data"
NOW = datetime(2026, 10, 1, 20, 0, tzinfo=UTC)
CASES = """\
contract: cases
version: "1.0.0"
key: [region]
fields:
  - {name: region, type: string, not_blank: true, trimmed: true, min_length: 1, max_length: 20}
  - {name: status, type: string, enum: [provisional, final]}
  - {name: count, type: int64, min: 0, max: 1000}
  - {name: share, type: number, nullable: true}
  - {name: day, type: date, min: 2026-01-01, max: 2026-12-31}
delivery: {format: {type: FORMAT}}
"""
NAMED_IN_THE_MISSION = {
    "region.missing", "status.missing", "count.missing", "day.missing", "extra_field", "count.type", "day.type",
    "region.null", "status.null", "count.null", "day.null", "count.range", "status.enum", "key",
}  # fmt: skip
ROWS = [
    {"region": "north", "status": "final", "count": 5, "share": 0.5, "day": "2026-10-01"},
    {"region": "south", "status": "final", "count": 7, "share": None, "day": "2026-10-01"},
]


def cases(kind: str) -> Contract:
    return parse_contract(CASES.replace("FORMAT", kind), "cases.yaml")


def as_csv(folder: Path) -> Path:
    path = folder / "sample.csv"
    lines = ("region,status,count,share,day", "north,final,5,0.5,2026-10-01", "south,final,7,,2026-10-01")
    path.write_text("\n".join(lines) + "\n")
    return path


def as_jsonl(folder: Path) -> Path:
    path = folder / "sample.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def as_parquet(folder: Path) -> Path:
    path = folder / "sample.parquet"
    pl.DataFrame(ROWS).with_columns(pl.col("day").str.to_date()).write_parquet(path)
    return path


WRITERS = {"csv": as_csv, "jsonl": as_jsonl, "parquet": as_parquet}


def expected_of(folder: Path) -> dict[str, dict]:
    document = json.loads((folder / "expected.json").read_text())
    return {item["file"]: item for item in document["fixtures"]}


def breached(contract: Contract, path: Path, kept: Path, partition: str | None = None) -> tuple[str, ...]:
    delivery = collect_delivery(contract, [path], partition)
    report = validate(contract, take_candidate(contract, delivery, kept, received_at=NOW), NOW)
    return tuple(finding.id for finding in report.findings if finding.outcome is Outcome.BREACHED)


@pytest.mark.parametrize("kind", WRITERS)
def test_there_is_a_file_for_each_fault_that_a_delivery_is_known_for(tmp_path: Path, kind: str) -> None:
    """[S1-084] Missing and extra column, wrong type, null, below the bound, not in the list, key twice."""
    made = write_fixtures(cases(kind), WRITERS[kind](tmp_path), tmp_path / "out", Asked(None, NOW))
    assert {fixture.breaks for fixture in made.fixtures} >= NAMED_IN_THE_MISSION


@pytest.mark.parametrize("kind", WRITERS)
def test_the_gate_says_of_each_file_what_stands_beside_it(tmp_path: Path, kind: str) -> None:
    contract = cases(kind)
    write_fixtures(contract, WRITERS[kind](tmp_path), tmp_path / "out", Asked(None, NOW))
    expected = expected_of(tmp_path / "out")
    found = {name: list(breached(contract, tmp_path / "out" / name, tmp_path / "kept")) for name in expected}
    assert found == {name: item["breached"] for name, item in expected.items()}
    assert all(item["breaks"] in item["breached"] for item in expected.values())
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"expected.json", *expected}


def test_each_kind_of_blank_has_a_file_of_its_own(tmp_path: Path) -> None:
    """[S1-085]"""
    write_fixtures(cases("jsonl"), as_jsonl(tmp_path), tmp_path / "out", Asked(None, NOW))
    texts = {
        path.stem: json.loads(path.read_text().splitlines()[0])["region"] for path in (tmp_path / "out").glob("*blank*")
    }
    assert texts == {
        "region__blank_empty": "",
        "region__blank_spaces": "  ",
        "region__blank_tab": "\t",
        "region__blank_newline": "\n",
    }


@pytest.mark.parametrize(
    ("name", "partition"),
    [("orders", "2026-10-01"), ("regional_daily_cases", "2026-10-01"), ("ita_regions", "2020-03-05"), ("run_durations", "2026-10-01")],
)  # fmt: skip
def test_the_shipped_examples_give_files(tmp_path: Path, name: str, partition: str) -> None:
    contract = read_contract(DATA / "contracts" / f"{name}.yaml")
    sample = next(
        path for path in sorted((DATA / "landing" / name / partition).iterdir()) if path.suffix in (".csv", ".json")
    )
    asked = Asked(partition, datetime.fromisoformat(f"{partition}T20:00:00+00:00"))
    made = write_fixtures(contract, sample, tmp_path / "out", asked)
    promised = {f"{field.name}.missing" for field in contract.fields if field.required}
    assert promised | {"extra_field", "key"} <= {fixture.breaks for fixture in made.fixtures}


def test_what_no_file_shows_is_named(tmp_path: Path) -> None:
    made = write_fixtures(cases("csv"), as_csv(tmp_path), tmp_path / "out", Asked(None, NOW))
    assert {"unreadable", "region.type"} <= set(made.not_shown)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("region,status,count,share,day\nnorth,final,-5,,2026-10-01\n", "does not keep the contract itself: count.range"),
        ("region,status,count,share,day\n", "holds no row"),
        ('region,status\n"north', "cannot be read as the contract says"),
    ],
)  # fmt: skip
def test_a_sample_that_is_none_is_refused_and_nothing_is_written(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "sample.csv").write_text(text)
    with pytest.raises(WrongUsageError) as refused:
        write_fixtures(cases("csv"), tmp_path / "sample.csv", tmp_path / "out", Asked(None, NOW))
    assert refused.value.problems[0].what == what
    assert not (tmp_path / "out").exists()


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(WrongUsageError, match="holds something already"):
        write_fixtures(cases("csv"), as_csv(tmp_path), tmp_path / "out", Asked(None, NOW))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_classified_values_are_not_copied_unasked(tmp_path: Path) -> None:
    secret = CASES.replace("FORMAT", "csv").replace("name: status,", "name: status, classification: restricted,")
    with pytest.raises(WrongUsageError) as refused:
        refuse_classified(parse_contract(secret, "cases.yaml"), as_csv(tmp_path))
    assert refused.value.problems[0].hint == "invent the sample, and say so: --invented"
    refuse_classified(cases("csv"), as_csv(tmp_path))
