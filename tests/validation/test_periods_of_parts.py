"""Parts that are required for some days: a region that was merged is missed until then and is unexpected afterwards."""

from pathlib import Path

import pytest

from tests.validation.judged import contract_of, finding, outcomes, report_on_files

CASES = """\
key: [region, day]
fields: [{name: region, type: string}, {name: day, type: date}]
delivery:
  partition: {column: day, every: day, start: 2026-09-01}
  parts: {from: column, column: region, required: [NL, BE], periods: {BE: {valid_from: 2026-10-01, valid_until: 2026-10-02}}}
"""


def delivered(folder: Path, day: str, *regions: str, text: str = CASES) -> dict[str, tuple[str, int]]:
    rows = "".join(f"{region},{day}\n" for region in regions)
    return outcomes(report_on_files(text, {"a.csv": f"region,day\n{rows}"}, folder, day))


@pytest.mark.parametrize(
    ("day", "regions", "found"),
    [
        pytest.param("2026-09-30", ("NL",), {}, id="the day before"),
        pytest.param("2026-10-01", ("NL",), {"coverage.missing": ("breached", 1)}, id="the first day"),
        pytest.param("2026-10-02", ("NL",), {"coverage.missing": ("breached", 1)}, id="the last day"),
        pytest.param("2026-10-02", ("NL", "BE"), {}, id="the last day, with both"),
        pytest.param("2026-10-03", ("NL",), {}, id="the day after"),
        pytest.param("2026-10-03", ("NL", "BE"), {"coverage.unexpected": ("breached", 1)}, id="still there afterwards"),
        pytest.param("2026-10-03", ("BE",), {"coverage.missing": ("breached", 1), "coverage.unexpected": ("breached", 1)}, id="another one in its place"),
    ],
)  # fmt: skip
def test_a_part_is_required_for_its_days_alone(
    tmp_path: Path, day: str, regions: tuple[str, ...], found: dict[str, tuple[str, int]]
) -> None:
    """[S2-012]"""
    assert delivered(tmp_path, day, *regions) == found


def test_a_longer_partition_counts_by_its_first_day(tmp_path: Path) -> None:
    weekly = CASES.replace("every: day", "every: week")
    assert delivered(tmp_path / "a", "2026-09-27", "NL", text=weekly) == {}
    assert delivered(tmp_path / "b", "2026-10-04", "NL", text=weekly) == {}


def test_the_report_is_about_the_whole_contract(tmp_path: Path) -> None:
    report = report_on_files(CASES, {"a.csv": "region,day\nNL,2026-10-03\n"}, tmp_path, "2026-10-03")
    assert report.contract_digest == contract_of(CASES).digest
    assert finding(report, "coverage.missing").details == {"required": 1, "missing": 0}
