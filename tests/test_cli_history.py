"""`check` looks at what is published below its root, and `publish` records whose rows that were."""

import json
from pathlib import Path

import pytest

from tests.commands import Run

CONTRACT = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string}
  - {name: day, type: date}
  - {name: n, type: integer}
history: [{name: grows, sql: n >= previous.n}]
delivery: {partition: {column: day, every: day, start: 2026-10-01}}
"""


def landed(root: Path, day: str, n: int) -> Path:
    (root / "contracts").mkdir(parents=True, exist_ok=True)
    (root / "contracts" / "cases.yaml").write_text(CONTRACT)
    folder = root / "landing" / "cases" / day
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.csv").write_text(f"region,day,n\nNL,{day},{n}\n")
    return folder


@pytest.mark.parametrize(
    ("n", "code", "verdict"), [pytest.param(4, 1, "refuse", id="broken"), pytest.param(5, 0, "publish", id="kept")]
)
def test_check_compares_with_what_is_published_below_its_root(
    run: Run, tmp_path: Path, n: int, code: int, verdict: str
) -> None:
    root = tmp_path / "data"
    assert run("publish", "cases", landed(root, "2026-10-01", 5), "--partition", "2026-10-01", "--root", root)[0] == 0
    found, out, _ = run(
        "check", "cases", landed(root, "2026-10-02", n), "--partition", "2026-10-02", "--root", root, "--json"
    )
    assert (found, json.loads(out)["verdict"]) == (code, verdict)


def test_check_below_a_root_where_nothing_is_published_has_nothing_to_compare_with(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "data"
    found, out, _ = run(
        "check", "cases", landed(root, "2026-10-02", 1), "--partition", "2026-10-02", "--root", root, "--json"
    )
    (told,) = [item["message"] for item in json.loads(out)["findings"] if item["rule"] == "history"]
    assert (found, told.partition("; ")[2]) == (0, "nothing is published that it could be compared with")
