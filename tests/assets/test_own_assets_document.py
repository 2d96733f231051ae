"""The page about users' own assets: each of its examples runs, one after another, and does what the page says."""

import re
from pathlib import Path

import dagster as dg
import pytest

from contract_core.contract.parsing import parse_contract
from tests.assets.bench import failures, outcomes, quiet_instance
from tests.assets.own import Files

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/own-assets.md").read_text("utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
YAML = re.findall(r"```yaml.*?\n(.*?)```", PAGE, re.DOTALL)
CSV = re.findall(r"```csv.*?\n(.*?)```", PAGE, re.DOTALL)
BAD = CSV[0].replace("12", "-3")


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The names that the page's examples make, in an empty folder with its contract and a source."""
    monkeypatch.chdir(tmp_path)
    Path("cases.yaml").write_text(YAML[0])
    Path("source.csv").write_text(CSV[0])
    names: dict[str, object] = {}
    for snippet in PYTHON:
        exec(compile(snippet, "own-assets.md", "exec"), names)
    return names


def run(assets, **resources):
    with quiet_instance() as instance:
        return dg.materialize(assets, resources=resources, instance=instance, raise_on_error=False)


def test_the_pages_contract_is_one():
    assert parse_contract(YAML[0], "own-assets.md").name == "cases"


def test_the_candidate_of_the_page_is_published(page):
    result = run(page["assets"], gate=page["GateResource"](root="mine"))
    assert result.success, failures(result)
    assert page["pl"].read_delta("mine/published/cases").rows()[0][2] == 12


def test_the_stored_asset_of_the_page_is_stored_or_refused(page):
    store = Files(Path(), "parquet")
    assert run([page["checked"]], warehouse=store).success
    Path("source.csv").write_text(BAD)
    assert failures(run([page["checked"]], warehouse=store))[0].startswith("refused, nothing was handed to")
    assert store.stored == ["LazyFrame"]


def test_the_checks_of_the_page_answer(page):
    job = dg.Definitions(asset_checks=[page["checks"]]).resolve_implicit_global_asset_job_def()
    assert all(outcomes(job.execute_in_process()).values())


def test_the_type_of_the_page_takes_its_frame(page):
    assert page["make_cases"].output_defs[0].dagster_type.type_check(None, page["make_cases"]()).success


def test_the_page_stands_in_the_documentation():
    assert "own-assets.md" in (ROOT / "mkdocs.yml").read_text("utf-8")
