"""A delivery that holds several partitions, through the command line: each is a submission of its own, and nothing is lost between them."""

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.commands import Run, runner, written

CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}"}
  - {name: day, type: date}
  - {name: n, type: integer, min: 0}
delivery:
  partition: {every: day, column: day, start: 2026-10-01, split: true}
"""
FIRST, SECOND = "NL,2026-10-01,1\n", "NL,2026-10-02,2\n"
HEADER = "region,day,n\n"
PARTS = "  manifest: required\n  parts: {from: file, required: [nl, be]}\n"


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    return runner(capfd)


class Place:
    """One environment with one contract."""

    def __init__(self, root: Path, run: Run) -> None:
        self.root, self.run = root, run
        (root / "contracts").mkdir(parents=True)
        self.contract(CASES)

    def contract(self, text: str) -> None:
        (self.root / "contracts" / "cases.yaml").write_text(text)

    def offered(self, verb: str, *rows: str, options: tuple[str, ...] = ()) -> tuple[int, Any]:
        written(self.root, cases_csv=HEADER + "".join(rows))
        code, out, err = self.run(verb, "cases", self.root / "cases.csv", "--root", self.root, "--json", *options)
        return code, json.loads(out) if out else err

    def shown(self) -> list[tuple[str, int]]:
        """The days and numbers that consumers see."""
        rows = pl.read_delta(str(self.root / "published" / "cases")).sort("day", "n")
        return [(str(day), n) for day, n in rows.select("day", "n").rows()]


@pytest.fixture
def place(tmp_path: Path, run: Run) -> Place:
    return Place(tmp_path / "root", run)


def verdicts(documents: list[dict[str, Any]]) -> dict[str, tuple[str, int]]:
    return {item["partition"]: (item["verdict"], item["rows"]) for item in documents}


def breached(document: dict[str, Any]) -> dict[str, int]:
    return {item["id"]: item["breaches"] for item in document["findings"] if item["outcome"] == "breached"}


def test_each_partition_is_published_as_a_submission_of_its_own(place: Place) -> None:
    code, told = place.offered("publish", SECOND, FIRST)
    assert (code, verdicts(told)) == (0, {"2026-10-01": ("publish", 1), "2026-10-02": ("publish", 1)})
    assert len({item["submission"] for item in told}) == 2
    assert place.shown() == [("2026-10-01", 1), ("2026-10-02", 2)]


def test_a_retry_publishes_no_partition_twice(place: Place) -> None:
    _, first = place.offered("publish", FIRST, SECOND)
    _, second = place.offered("publish", FIRST, SECOND)
    assert [item["submission"] for item in first] == [item["submission"] for item in second]
    assert [item["publication"]["already_published"] for item in second] == [True, True]


def test_a_partition_that_is_named_is_taken_alone(place: Place) -> None:
    code, told = place.offered("publish", FIRST, SECOND, options=("--partition", "2026-10-02"))
    assert (code, told["partition"], told["rows"]) == (0, "2026-10-02", 1)
    assert place.shown() == [("2026-10-02", 2)]


def test_the_submission_of_a_named_partition_is_that_of_all_together(place: Place) -> None:
    _, alone = place.offered("check", FIRST, SECOND, options=("--partition", "2026-10-02"))
    _, together = place.offered("check", FIRST, SECOND)
    assert together[1] == alone | {name: together[1][name] for name in ("as_of", "effort")}


def test_what_breaks_in_one_partition_refuses_that_one_alone(place: Place) -> None:
    code, told = place.offered("publish", FIRST, "NL,2026-10-02,-2\n")
    assert (code, verdicts(told)) == (1, {"2026-10-01": ("publish", 1), "2026-10-02": ("refuse", 1)})
    assert place.shown() == [("2026-10-01", 1)]


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        pytest.param("NL,2026-09-30,3\n", "partition", id="before the first day"),
        pytest.param("NL,,3\n", "day.null", id="without a day"),
        pytest.param("NL,soon,3\n", "day.type", id="a day that does not decode"),
    ],
)
def test_a_row_of_no_partition_holds_each_of_them_back(place: Place, row: str, rule: str) -> None:
    code, told = place.offered("check", FIRST, SECOND, row)
    assert (code, verdicts(told)) == (1, {"2026-10-01": ("refuse", 2), "2026-10-02": ("refuse", 2)})
    assert [breached(item) for item in told] == [{rule: 1}, {rule: 1}]


def test_a_row_of_no_partition_is_named_by_its_place_in_the_file(place: Place) -> None:
    place.contract(f"{CASES}enforcement: {{on_breach: quarantine, quarantine: {{max_rows: 1}}}}\n")
    code, _ = place.offered("publish", FIRST, SECOND, "NL,soon,3\n")
    apart = pl.read_delta(str(place.root / "quarantine" / "cases")).sort("partition")
    assert (code, place.shown()) == (0, [("2026-10-01", 1), ("2026-10-02", 2)])
    assert apart.select("partition", "row").rows() == [("2026-10-01", 3), ("2026-10-02", 3)]


def test_a_correction_replaces_the_partitions_that_it_holds_and_no_other(place: Place) -> None:
    place.offered("publish", FIRST, SECOND)
    place.offered("publish", "NL,2026-10-02,9\n", "NL,2026-10-03,3\n")
    assert place.shown() == [("2026-10-01", 1), ("2026-10-02", 9), ("2026-10-03", 3)]


def test_a_partition_of_which_there_is_no_row_is_no_empty_one(place: Place) -> None:
    """Else yesterday's rows would be replaced by nothing because today's delivery does not repeat them."""
    place.contract(f"{CASES}rows: {{min: 0}}\n")
    place.offered("publish", FIRST)
    code, told = place.offered("publish", SECOND, options=("--partition", "2026-10-01"))
    assert (code, "holds no row of this partition" in told) == (2, True)
    assert place.shown() == [("2026-10-01", 1)]


def test_without_any_partition_nothing_is_judged_unless_one_is_named(place: Place) -> None:
    assert place.offered("check", "NL,soon,1\n")[0] == 2
    code, told = place.offered("check", "NL,soon,1\n", options=("--partition", "2026-10-01"))
    assert (code, breached(told)) == (1, {"day.type": 1})


def test_the_counts_of_a_manifest_are_those_of_the_whole_files(place: Place) -> None:
    """And a part without rows of a partition is complete and empty there."""
    place.contract(CASES + PARTS)
    files = {"nl": HEADER + FIRST + SECOND, "be": HEADER + "BE,2026-10-02,3\n"}
    rows = {"nl": 2, "be": 1}
    (place.root / "in").mkdir()
    written(place.root / "in", nl_csv=files["nl"], be_csv=files["be"])
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    parts = {
        name: {"complete": True, "rows": rows[name], "sha256": digests[name], "file": f"{name}.csv"} for name in files
    }
    (place.root / "in" / "_manifest.json").write_text(json.dumps({"contract": "cases", "parts": parts}))
    code, out, _ = place.run("check", "cases", place.root / "in", "--root", place.root, "--json")
    told = {item["partition"]: {part["part"]: part["state"] for part in item["parts"]} for item in json.loads(out)}
    assert (code, told) == (
        0,
        {
            "2026-10-01": {"nl": "complete", "be": "complete, empty"},
            "2026-10-02": {"nl": "complete", "be": "complete"},
        },
    )


def test_required_parts_in_a_column_are_required_of_each_partition(place: Place) -> None:
    place.contract(f"{CASES}  parts: {{from: column, column: region, required: [NL, BE]}}\n")
    code, told = place.offered("check", FIRST, SECOND, "BE,2026-10-02,3\n")
    assert (code, [breached(item) for item in told]) == (1, [{"coverage.missing": 1}, {}])


def test_a_person_reads_one_report_after_the_other(place: Place) -> None:
    written(place.root, cases_csv=HEADER + FIRST + SECOND)
    code, out, _ = place.run("check", "cases", place.root / "cases.csv", "--root", place.root)
    heads = [line for line in out.splitlines() if not line.startswith(" ")]
    assert (code, heads) == (0, ["publish: cases 1.0.0 2026-10-01, 1 row", "publish: cases 1.0.0 2026-10-02, 1 row"])


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        pytest.param("  path: cases/{partition}/*.csv\n", "has {…} in its path, and a delivery holds several partitions", id="a place for each"),
        pytest.param("  format: {type: envelope}\n", "an envelope names the one partition that it is of", id="envelope"),
        pytest.param("publication: {mode: upsert}\n", "under mode: upsert rows may belong to any partition", id="upsert"),
    ],
)  # fmt: skip
def test_what_does_not_go_with_several_partitions_is_told(tmp_path: Path, run: Run, terms: str, told: str) -> None:
    (tmp_path / "cases.yaml").write_text(CASES + terms)
    code, out, err = run("lint", tmp_path / "cases.yaml")
    assert (code, told in out + err) == (2, True)
