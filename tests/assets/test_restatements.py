"""What a correction changes, where people look: at the candidate, and at the published table."""

import pytest

from tests.assets.bench import BETTER, DAY, GOOD, WHOLE, contract_of, csv


def shown(result, step: str) -> dict[str, object]:
    (event,) = result.asset_materializations_for_node(step)
    return dict(event.metadata)


def records(value) -> list[dict[str, object]]:
    return [record.data for record in value.records]


@pytest.mark.parametrize("step", ["candidate__cases", "published__cases"])
def test_a_correction_shows_how_many_keys_it_changes_and_in_which_fields(bench, step):
    bench.take(GOOD)
    told = shown(bench.take(BETTER), step)
    numbers = {name: told[name].value for name in ("rows_replaced", "keys_added", "keys_removed", "keys_restated")}
    assert numbers == {"rows_replaced": 2, "keys_added": 1, "keys_removed": 0, "keys_restated": 2}
    assert told["correction"].value == "replaces 2 published rows by 3: 1 key added, 2 restated (n 2)"
    assert records(told["restated"]) == [{"field": "n", "keys": 2, "changed by": ""}]


@pytest.mark.parametrize("step", ["candidate__cases", "published__cases"])
def test_a_first_delivery_shows_no_correction(bench, step):
    told = shown(bench.take(GOOD), step)
    assert not {"rows_replaced", "keys_restated", "correction", "restated"} & told.keys()


def test_of_many_keys_the_share_of_the_change_is_shown(bench):
    regions = [f"A{letter}" for letter in "ABCDEFGHIJKL"]
    bench.take(csv(*((region, DAY, 100) for region in regions)))
    told = shown(bench.take(csv(*((region, DAY, 105) for region in regions))), "published__cases")
    assert records(told["restated"]) == [{"field": "n", "keys": 12, "changed by": "5%"}]


def test_without_a_key_only_rows_are_shown(bench):
    bench.contract = contract_of(WHOLE.replace("key: [region, day]\n", ""))
    bench.take(GOOD, None)
    told = shown(bench.take(BETTER, None), "published__cases")
    assert (told["rows_replaced"].value, told["correction"].value) == (2, "replaces 2 published rows by 3")
    assert not {"keys_restated", "restated"} & told.keys()
