"""A contract about data that others make runs where they arrive: without a repository, a registry or a word of the supplier."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from contract_core.diff.policy import Policy
from contract_core.diff.release import Published, examine
from tests.commands import Run, written
from tests.contract.texts import contract_of
from tests.publication.samples import NOW

(RATES,) = re.findall(
    r"```yaml\n(.*?)```", (Path(__file__).parents[1] / "docs/boundary.md").read_text("utf-8"), re.DOTALL
)
HEAD = "currency,day,rate,source\n"
GOOD = HEAD + "USD,2026-10-01,1.08,desk\nGBP,2026-10-01,0.87,desk\n"
NOISY = HEAD + "USD,2026-10-02,-1.08,desk\nGBP,2026-10-02,0.87,desk\n"
NARROWER = "currency,day,rate\nUSD,2026-10-03,1.07\n"
WIDER = "currency,day,rate,source,bid\nUSD,2026-10-03,1.07,desk,1.06\n"
BLOCKING = RATES.replace("on_breach: warn", "on_breach: fail").replace('"1.0.0"', '"1.1.0"')
FOLLOWING = RATES.replace("delivery:", '  - {name: bid, type: "decimal(12,6)", nullable: true}\ndelivery:').replace(
    '"1.0.0"', '"1.1.0"'
)
NULLABLE = RATES.replace("min: 0}", "min: 0, nullable: true}").replace('"1.0.0"', '"2.0.0"')


@pytest.fixture
def boundary(run: Run, tmp_path: Path) -> Run:
    """An environment with this contract and nothing else: no git, no registry."""
    (tmp_path / "data/contracts").mkdir(parents=True)
    holds(tmp_path, RATES)
    return run


def holds(place: Path, text: str) -> None:
    written(place / "data/contracts", exchange_rates_yaml=text)


def arrives(run: Run, place: Path, text: str, day: str) -> dict[str, Any]:
    written(place, rates_csv=text)
    code, out, err = run("publish", "exchange_rates", "rates.csv", "--partition", day, "--root", "data", "--json")
    return {"code": code, "error": err} | (json.loads(out) if out else {})


def told(run: Run, command: str) -> Any:
    return json.loads(run(command, "exchange_rates", "--root", "data", "--as-of", "2126-10-01", "--json")[1])


def test_the_contract_that_is_shown_is_without_problems(boundary: Run) -> None:
    """[S4-024]"""
    assert boundary("lint", "data/contracts") == (0, "1 contract without problems\n", "")


def test_rows_that_break_a_rule_are_counted_and_published_all_the_same(boundary: Run, tmp_path: Path) -> None:
    """[S4-024] [S4-026]"""
    arrives(boundary, tmp_path, GOOD, "2026-10-01")
    noisy = arrives(boundary, tmp_path, NOISY, "2026-10-02")
    assert (noisy["code"], noisy["decision"], noisy["publication"]["rows"]) == (0, "publish", 2)
    (state,) = told(boundary, "status")
    assert (state["quiet"]["noise"], state["quiet"]["can_block"]) == ({"rate.range": 1}, False)
    out = boundary("metrics", "--root", "data", "--as-of", "2126-10-01")[1]
    assert 'violations_total{contract="exchange_rates",field="rate",rule="rate.range",mode="warn"} 1' in out


def test_what_would_tear_the_table_apart_is_held_back_even_then(boundary: Run, tmp_path: Path) -> None:
    """[S4-024] Consumers keep what they have."""
    arrives(boundary, tmp_path, GOOD, "2026-10-01")
    narrower = arrives(boundary, tmp_path, NARROWER, "2026-10-03")
    assert (narrower["code"], narrower["reasons"], narrower["publication"]) == (
        1, ["source.missing", "source.null", "source.type"], None,
    )  # fmt: skip
    (state,) = told(boundary, "status")
    assert (state["newest"]["partition"], len(state["refused"])) == ("2026-10-01", 1)


def test_it_may_hold_back_at_the_boundary_under_a_new_version(boundary: Run, tmp_path: Path) -> None:
    """[S4-024] [S4-026] For this one dataset, and without a gate in a CI; what was let through before is corrected first."""
    arrives(boundary, tmp_path, NOISY, "2026-10-02")
    holds(tmp_path, BLOCKING)
    assert "publish a correction" in arrives(boundary, tmp_path, GOOD, "2026-10-01")["error"]
    holds(tmp_path, RATES)
    arrives(boundary, tmp_path, NOISY.replace("-1.08", "1.08"), "2026-10-02")
    holds(tmp_path, BLOCKING)
    assert arrives(boundary, tmp_path, GOOD, "2026-10-01")["decision"] == "publish"
    assert arrives(boundary, tmp_path, NOISY, "2026-10-02")["decision"] == "refuse"


def test_the_contract_follows_what_the_supplier_changes_and_nobody_is_asked(boundary: Run, tmp_path: Path) -> None:
    """[S4-024]"""
    assert arrives(boundary, tmp_path, WIDER, "2026-10-03")["reasons"] == ["extra_field"]
    holds(tmp_path, FOLLOWING)
    assert arrives(boundary, tmp_path, WIDER, "2026-10-03")["decision"] == "publish"
    assert not (tmp_path / "data/registry").exists()


def test_two_decisions_under_one_version_still_mean_one_thing(boundary: Run, tmp_path: Path) -> None:
    arrives(boundary, tmp_path, GOOD, "2026-10-01")
    holds(tmp_path, FOLLOWING.replace('"1.1.0"', '"1.0.0"'))
    edited = arrives(boundary, tmp_path, GOOD, "2026-10-01")
    assert (edited["code"], "give your edit a new version" in edited["error"]) == (2, True)


def test_a_release_asks_for_the_consumers_and_never_for_the_supplier() -> None:
    """[S4-024] The changes are recorded all the same, and no window is promised that nobody can keep."""
    broken = examine(Published(contract_of(RATES)), contract_of(NULLABLE), NOW.date(), Policy())
    assert [verdict.change.path for verdict in broken.verdicts] == ["fields.rate.nullable"]
    assert (broken.approvals, [item.what for item in broken.missing]) == (
        (("pricing", False),),
        ["'pricing' has not approved these changes"],
    )
