"""What the shipped contracts become in Dagster: everything by name, and that it loads."""

import dagster as dg
import pytest

from contract_assets import assets
from contract_assets.code_location import build_definitions
from contract_assets.definitions import example_definitions
from contract_assets.labels import owners_of
from contract_assets.partitions import partitions_of
from contract_assets.resources import GateResource
from tests.assets.bench import BY_REGION, CASES, FRESH, WHOLE, contract_of
from tests.examples.offering import ROOT

NAMES = ["ita_regions", "orders", "regional_daily_cases", "run_durations"]


@pytest.fixture(scope="module")
def shipped():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONTRACT_GATE_ROOT", str(ROOT / "data"))
        return example_definitions()


def test_the_definitions_of_the_repository_load(shipped):
    dg.Definitions.validate_loadable(shipped)


def test_the_shipped_contracts_become_these_assets_jobs_sensors_and_schedules(shipped):
    """The list that a reader compares with the UI."""
    assets = {key.to_user_string() for key in shipped.resolve_asset_graph().get_all_asset_keys()}
    assert assets == {f"{layer}/{name}" for layer in ("landing", "candidate", "published") for name in NAMES} | {
        "report/run_durations"
    }
    assert sorted(job.name for job in shipped.jobs) == sorted(
        [*(f"{what}_{name}" for what in ("publish", "recheck", "watch") for name in NAMES), "metrics", "notify"]
    )
    assert sorted(sensor.name for sensor in shipped.sensors) == [f"landed_{name}" for name in NAMES]
    assert sorted(schedule.name for schedule in shipped.schedules) == sorted(
        [
            *(f"{what}_{name}_schedule" for what in ("publish", "watch") for name in NAMES),
            "metrics_schedule",
            "notify_schedule",
        ]
    )


def test_the_shipped_contracts_become_these_checks(shipped):
    checks = {
        key.to_user_string()
        for key in shipped.resolve_asset_graph().asset_check_keys
        if "regional_daily_cases" in key.to_user_string()
    }
    assert checks == {
        *(f"candidate/regional_daily_cases:{name}" for name in ("schema", "key", "rows", "partition", "coverage")),
        *(
            f"candidate/regional_daily_cases:field_{name}"
            for name in ("region_code", "report_date", "case_count", "status", "note")
        ),
        *(f"candidate/regional_daily_cases:warnings__{name}" for name in ("row_rule_zero_is_final", "freshness")),
        "published/regional_daily_cases:reconciled",
        "published/regional_daily_cases:freshness",
        "published/regional_daily_cases:notified",
        "published/regional_daily_cases:incidents",
    }


def test_an_asset_says_who_answers_for_it_and_what_one_row_is(shipped):
    """S1-095, S2-003, S2-040: group, tags, owners, version, columns, consumers."""
    spec = shipped.resolve_asset_graph().get(dg.AssetKey(["published", "orders"]))
    assert (spec.group_name, spec.owners, spec.code_version) == ("sales", ["team:web-shop"], "1.1.0")
    assert spec.tags["contract_version"] == "1.1.0"
    assert "Grain: One row per order." in spec.description
    assert "the others of an accepted delivery are kept apart in quarantine" in spec.description
    metadata = spec.metadata
    assert [column.name for column in metadata["dagster/column_schema"].value.columns][:2] == [
        "order_id",
        "customer_email",
    ]
    assert metadata["consumers"].records[0].data["consumer"] == "revenue_report"
    assert "order_id" in metadata["terms"].value


def test_a_contract_that_promises_an_age_has_a_freshness_policy_and_check():
    fresh, ageless = (build_definitions([contract_of(text)], GateResource()) for text in (FRESH, CASES))
    checks = [
        {key.name for key in definitions.resolve_asset_graph().asset_check_keys if key.asset_key.path[0] == "published"}
        for definitions in (fresh, ageless)
    ]
    assert checks == [{"freshness", "incidents", "notified", "reconciled"}, {"incidents", "notified", "reconciled"}]
    policies = [
        definitions.resolve_asset_graph().get(dg.AssetKey(["published", "cases"])).freshness_policy
        for definitions in (fresh, ageless)
    ]
    assert policies[0].fail_window.to_timedelta().days == 3
    assert policies[1] is None


def test_an_age_shorter_than_dagster_can_watch_still_loads():
    contract = contract_of(CASES + "freshness: {column: day, max_age: 10s}\n")
    dg.Definitions.validate_loadable(build_definitions([contract], GateResource()))


@pytest.mark.parametrize(
    "contact, owners",
    [
        ("team:web-shop", ["team:web-shop"]),
        ("weekly@example.org", ["weekly@example.org"]),
        ("team:", []),
        ("Weekly <weekly@example.org>", []),
        ("https://example.org/@weekly", []),
        ("weekly@localhost", []),
        ("ünï@example.org", []),
        ("ask anybody", []),
    ],
)
def test_a_contact_that_dagster_takes_for_no_owner_is_left_out_and_still_loads(contact, owners):
    contract = contract_of(CASES + f"owners: {{producer: {{name: us, contact: '{contact}'}}}}\n")
    assert owners_of(contract) == owners
    dg.Definitions.validate_loadable(build_definitions([contract], GateResource()))


NAMED = {
    "one letter": "a",
    "a word of Python": "import",
    "a word of Dagster": "config",
    "underscores": "a__b_",
    "as long as a name may be": "a" * 100,
    "like a schedule of ours": "cases_schedule",
}


@pytest.mark.parametrize("name", NAMED.values(), ids=NAMED)
def test_every_contract_name_makes_loadable_definitions_beside_another_one(name):
    renamed = contract_of(CASES.replace("contract: cases", f"contract: {name}\ndomain: {name}"))
    dg.Definitions.validate_loadable(build_definitions([contract_of(), renamed], GateResource()))


@pytest.mark.parametrize(
    "text, schedules",
    [
        (CASES, ["publish_cases_schedule", "watch_cases_schedule"]),
        (WHOLE, ["watch_cases_schedule"]),
        (BY_REGION, ["watch_cases_schedule"]),
    ],
    ids=["daily", "whole", "by value"],
)
def test_only_a_contract_with_spans_of_time_is_published_by_a_schedule(text, schedules):
    definitions = build_definitions([contract_of(text)], GateResource())
    dg.Definitions.validate_loadable(definitions)
    whole_location = {"metrics_schedule", "notify_schedule"}
    assert sorted({schedule.name for schedule in definitions.schedules} - whole_location) == schedules


def test_what_is_told_of_a_table_is_worked_out_once_for_each_contract(monkeypatch):
    """Loading takes as long as the contracts are many: every run begins with it."""
    told = []
    monkeypatch.setattr(assets, "definition_metadata", lambda contract: told.append(contract.name) or {})
    build_definitions(
        [contract_of(), contract_of(CASES.replace("contract: cases", "contract: others"))], GateResource()
    )
    assert told == ["cases", "others"]


def test_contracts_of_the_same_spans_share_their_partitions():
    renamed = contract_of(CASES.replace("contract: cases", "contract: others"))
    weekly = contract_of(
        CASES.replace("every: day, column: day, start: 2026-10-01", "every: week, column: day, start: 2026-09-28")
    )
    assert partitions_of(contract_of()) is partitions_of(renamed)
    assert partitions_of(contract_of()) is not partitions_of(weekly)


def test_one_step_answers_all_checks_of_an_asset():
    """[S1-103] Steps, and not checks, are what many contracts cost."""
    _, candidate, published = assets.build_contract_assets(contract_of())
    graph = build_definitions([contract_of()], GateResource()).resolve_asset_graph()
    answered = [(asset.op.name, asset.check_keys) for asset in (candidate, published)]
    assert [(name, len(keys) > 1) for name, keys in answered] == [
        ("candidate__cases", True),
        ("published__cases", True),
    ]
    assert graph.asset_check_keys == candidate.check_keys | published.check_keys
