"""A part that comes late: the second attempt is a submission of its own, and the story of both can be read."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.commands import Run, runner, written

CASES = """\
contract: cases
version: "1.0.0"
key: [id]
fields:
  - {name: id, type: string}
  - {name: n, type: integer}
delivery:
  path: "cases/{partition}/*.FORMAT"
  format: {type: FORMAT}
  partition: {column: n}
  parts: {from: file, required: [nl, be]}
"""
CSV = CASES.replace("FORMAT", "csv")
WITH_MANIFEST = CSV.replace("  parts:", "  manifest: required\n  parts:")
NL, BE = "id,n\na,1\n", "id,n\nb,1\n"


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    return runner(capfd)


class Place:
    """One environment with its landing."""

    def __init__(self, root: Path, run: Run, contract: str) -> None:
        self.root, self.run, self.landed = root, run, root / "landing" / "cases" / "1"
        (root / "contracts").mkdir(parents=True)
        self.landed.mkdir(parents=True)
        (root / "contracts" / "cases.yaml").write_text(contract)

    def publish(self, folder: Path | None = None) -> tuple[int, dict[str, Any]]:
        place = ("--partition", "1", "--root", self.root)
        code, out, _ = self.run("publish", "cases", folder or self.landed, *place, "--json")
        return code, json.loads(out)

    def declare(self, **complete: bool) -> None:
        parts = {name: {"complete": is_whole, "file": f"{name}.csv"} for name, is_whole in complete.items()}
        (self.landed / "_manifest.json").write_text(json.dumps({"contract": "cases", "partition": "1", "parts": parts}))

    def story(self) -> list[dict[str, Any]]:
        _, out, _ = self.run("decisions", "cases", "--root", self.root, "--json")
        found: list[dict[str, Any]] = json.loads(out)
        return found


def reasons(report: dict[str, Any]) -> tuple[str, list[str]]:
    return report["verdict"], report["reasons"]


def told(story: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
    """Of each submission its decision, what became of it and the rules that held it back, in the order of receipt."""
    return [
        (item["decision"], item["outcome"], item["rules"]) for item in sorted(story, key=lambda i: i["received_at"])
    ]


STORY = [("refuse", "refused", ["coverage.missing"]), ("publish", "published", [])]


def test_a_missing_file_that_is_added_makes_another_submission_that_passes(tmp_path: Path, run: Run) -> None:
    place = Place(tmp_path / "root", run, CSV)
    written(place.landed, nl_csv=NL)
    first_code, first = place.publish()
    written(place.landed, be_csv=BE)
    second_code, second = place.publish()
    assert (first_code, reasons(first)) == (1, ("refuse", ["coverage.missing"]))
    assert (second_code, reasons(second)) == (0, ("publish", []))
    assert first["submission"] != second["submission"]
    assert told(place.story()) == STORY


def test_the_whole_delivered_again_from_elsewhere_is_that_same_submission(tmp_path: Path, run: Run) -> None:
    """What counts is what was delivered, so completing landing and delivering the whole again are one thing."""
    place = Place(tmp_path / "root", run, CSV)
    written(place.landed, nl_csv=NL)
    place.publish()
    again = tmp_path / "again"
    again.mkdir()
    written(again, nl_csv=NL, be_csv=BE)
    _, elsewhere = place.publish(again)
    written(place.landed, be_csv=BE)
    code, in_landing = place.publish()
    assert (code, in_landing["submission"]) == (0, elsewhere["submission"])
    assert in_landing["publication"]["already_published"] is True
    assert told(place.story()) == STORY


def test_a_part_that_is_declared_complete_later_makes_another_submission(tmp_path: Path, run: Run) -> None:
    """The rows are the same; what the producer says of them is not."""
    place = Place(tmp_path / "root", run, WITH_MANIFEST)
    written(place.landed, nl_csv=NL, be_csv=BE)
    place.declare(nl=True, be=False)
    first_code, first = place.publish()
    place.declare(nl=True, be=True)
    second_code, second = place.publish()
    assert (first_code, reasons(first)) == (1, ("refuse", ["completeness"]))
    assert (second_code, reasons(second)) == (0, ("publish", []))
    assert first["submission"] != second["submission"]
    assert told(place.story()) == [("refuse", "refused", ["completeness"]), ("publish", "published", [])]


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet", "ipc"])
def test_a_key_is_unique_across_the_files_of_all_parts(tmp_path: Path, run: Run, format_: str) -> None:
    """[S2-022]"""
    place = Place(tmp_path / "root", run, CASES.replace("FORMAT", format_))
    suffix = {"ipc": "arrow"}.get(format_, format_)
    frame = pl.DataFrame({"id": ["a"], "n": [1]})
    write = {
        "csv": frame.write_csv,
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
        "ipc": frame.write_ipc,
    }
    write[format_](place.landed / f"nl.{suffix}")
    write[format_](place.landed / f"be.{suffix}")
    code, report = place.publish()
    (key,) = [item for item in report["findings"] if item["id"] == "key"]
    assert (code, reasons(report)) == (1, ("refuse", ["key"]))
    assert key["message"].endswith("1 value held by 2 rows")
