"""A timeline that restates its whole history with every delivery: what changed, and why deliveries must not be piled up."""

import json
from itertools import pairwise

import polars as pl
import pytest

from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.registry import read_contract
from contract_core.environment import Environment
from contract_core.publication.ledger import Ledger
from contract_core.publication.submit import publish_judged, take_and_decide
from tests.examples.offering import NOW, ROOT, SHARED, contract_of, offer

FOLDER = SHARED / "austria_timeline"
CONTRACT = ROOT / "tests" / "real_data" / "contracts" / "austria_timeline@1.0.0.yaml"
KEY = ["Time", "BundeslandID"]
DELIVERIES = ("2021-12-13", "2021-12-29", "2022-01-03b", "2022-01-08")


def restatements():
    file = FOLDER / "expected_restatements.json"
    stated = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return [pytest.param(*step.split(" -> "), expected, id=step) for step, expected in stated.items()]


def file_of(delivery):
    return FOLDER / "deliveries" / f"CovidFaelle_Timeline-{delivery}.csv"


def rows_of(delivery, tmp_path):
    contract = read_contract(CONTRACT)
    return offer(contract, [file_of(delivery)], None, tmp_path).rows.select(contract.field_names)


def changed(before, after):
    """How many rows and days were restated, and in which fields."""
    both = before.join(after, on=KEY, suffix=" now", how="inner", validate="1:1")
    fields = {name: both[name] != both[f"{name} now"] for name in before.columns if name not in KEY}
    restated = both.filter(both.select(**fields).fold(lambda one, other: one | other))
    return {
        "keys_restated": restated.height,
        "days_restated": restated["Time"].n_unique(),
        "fields": {name: int(differs.sum()) for name, differs in fields.items() if differs.any()},
    }


@pytest.mark.parametrize("earlier, later, expected", restatements())
def test_decoded_values_show_just_the_restatements_that_were_made(earlier, later, expected, tmp_path):
    """S1-018: decimal commas and day-first dates become exact values, the same in each delivery."""
    before, after = rows_of(earlier, tmp_path), rows_of(later, tmp_path)
    assert (before.height, after.height) == (expected["rows_before"], expected["rows_after"])
    assert after.join(before, on=KEY, how="anti").height == expected["keys_added"]
    assert before.join(after, on=KEY, how="anti").height == expected["keys_removed"]
    assert changed(before, after) == {name: expected[name] for name in ("keys_restated", "days_restated", "fields")}


@pytest.mark.parametrize("earlier, later, expected", restatements())
def test_two_deliveries_piled_up_repeat_every_key_and_are_refused(earlier, later, expected, tmp_path):
    """S1-026, S1-042: appending is no correction."""
    offered = offer(read_contract(CONTRACT), [file_of(earlier), file_of(later)], None, tmp_path)
    assert offered.report.rows == expected["if_appended_blindly"]["rows"]
    repeated = expected["if_appended_blindly"]["duplicate_key_groups"]
    assert (offered.verdict, offered.breached) == (
        "refuse",
        {"key": repeated, "ten_entities_every_day.group": repeated // 10},  # ten keys a day, each day with twenty rows
    )


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the independent data sets are not beside the repository")
def test_each_delivery_replaces_the_one_before(tmp_path):
    """S1-042, S1-067: the published table has the rows of the last delivery, and its history keeps the others."""
    contract, environment = read_contract(CONTRACT), Environment.at(tmp_path)
    published = [publish_file(contract, environment, file_of(delivery)) for delivery in DELIVERIES]
    assert [record.rows for record in published] == [6530, 6560, 6770, 6810]
    assert [later.table_version > earlier.table_version for earlier, later in pairwise(published)] == [True, True, True]
    assert pl.read_delta(str(environment.published / contract.name)).height == 6810


def publish_file(contract, environment, path):
    judged = judge_file(contract, environment, path)
    return publish_judged(judged, environment, NOW)


def judge_file(contract, environment, path):
    return take_and_decide(contract, collect_delivery(contract, [path], None), environment, NOW, NOW)


def publishing(mode):
    return contract_of(f"{CONTRACT.read_text('utf-8')}publication: {{mode: {mode}}}\n")


def as_stated(restated):
    """The product's counts under the names of the independent ones."""
    whole = ("rows_before", "rows_after", "keys_added", "keys_removed", "keys_restated")
    return {name: restated[name] for name in whole} | {
        "days_restated": restated["touched:Time"],
        "fields": {name.removeprefix("field:"): count for name, count in restated.items() if name.startswith("field:")},
    }


@pytest.mark.parametrize("mode", ["replace_partition", "upsert"])
@pytest.mark.parametrize("earlier, later, expected", restatements())
def test_the_gate_counts_just_the_restatements_that_were_made(earlier, later, expected, mode, tmp_path):
    """Every number, at judgement, in the ledger and with the publication."""
    contract, environment = publishing(mode), Environment.at(tmp_path)
    publish_file(contract, environment, file_of(earlier))
    judged = judge_file(contract, environment, file_of(later))
    published = publish_judged(judged, environment, NOW)
    stated = {name: numbers for name, numbers in expected.items() if not name.startswith("if_")}
    assert as_stated(judged.report.learned.restated) == stated
    assert published.restated == Ledger(environment.ledger).entries()[-1].restated == judged.report.learned.restated
    assert pl.read_delta(str(environment.published / contract.name)).height == expected["if_merged_by_key"]["rows"]


@pytest.mark.parametrize("earlier, later, expected", restatements())
def test_where_deliveries_are_appended_every_published_key_is_refused(earlier, later, expected, tmp_path):
    """[S1-042] What would stand twice is told, and the table stays as it was."""
    contract, environment = publishing("append"), Environment.at(tmp_path)
    shown = publish_file(contract, environment, file_of(earlier))
    judged = judge_file(contract, environment, file_of(later))
    breaches = {finding.id: finding.breaches for finding in judged.report.breached()}
    assert breaches == {"key.published": expected["if_appended_blindly"]["duplicate_key_groups"]}
    assert shown.rows + judged.report.rows == expected["if_appended_blindly"]["rows"]
    assert (judged.is_accepted, judged.report.learned.restated) == (False, {})
