"""What the pages of the catalogue tell: contracts, versions, changes, people, and three views of one contract."""

import json

import pytest

from contract_core.catalogue.pages import catalogue_files
from tests.catalogue.reading import Page, broken_links, page, pages_of
from tests.catalogue.samples import RENAMED, TODAY, WIDER, year_of_releases
from tests.releases.samples import DRAFT, day, release


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    registry = year_of_releases(tmp_path_factory.mktemp("registry"))
    return dict(catalogue_files(registry.releases(), TODAY))


def flat(read: Page) -> str:
    return " ".join(read.text.split())


def consumer(files, name) -> str:
    (place,) = [place for place in files if place.startswith(f"consumers/{name}")]
    return flat(page(files[place]))


def test_the_same_releases_on_the_same_day_give_the_same_bytes(files, tmp_path):
    again = year_of_releases(tmp_path)
    assert dict(catalogue_files(reversed(again.releases()), TODAY)) == files


def test_every_released_version_has_a_page_its_text_to_the_letter_and_a_record(files):
    """[S4-017, S4-018]"""
    assert files["contracts/orders/1.2.0.yaml"] == WIDER.encode()
    assert files["contracts/orders/2.0.0.yaml"] == RENAMED.encode()
    assert sorted(place for place in files if place.startswith("contracts/orders/")) == [
        "contracts/orders/1.1.0.html",
        "contracts/orders/1.1.0.yaml",
        "contracts/orders/1.2.0.html",
        "contracts/orders/1.2.0.yaml",
        "contracts/orders/1.2.1.html",
        "contracts/orders/1.2.1.yaml",
        "contracts/orders/2.0.0.html",
        "contracts/orders/2.0.0.yaml",
        "contracts/orders/index.html",
        "contracts/orders/releases.json",
        "contracts/orders/since.html",
    ]


def test_every_link_leads_somewhere(files):
    assert broken_links(files) == []


def test_every_page_has_one_main_heading_a_language_and_landmarks(files):
    for read in pages_of(files).values():
        assert [read.count(tag) for tag in ("h1", "main", "header", "footer")] == [1, 1, 1, 1]
        assert ("html", {"lang": "en"}) in read.elements


def test_nothing_is_loaded_from_elsewhere(files):
    for read in pages_of(files).values():
        assert read.attributes("src") == []
        assert not [link for link in read.attributes("href") if "//" in link]


def test_the_first_page_lists_every_contract_with_state_warning_producer_and_numbers(files):
    told = flat(page(files["index.html"]))
    assert "4 contracts, with every version that was released." in told
    assert (
        "orders Orders as they stood at the end of the day on which they were placed. 2.0.0 active web_shop 2 7" in told
    )
    assert "1.1.0 deprecated supported until 2027-07-31 (60 days left) onboarding 1 5" in told
    assert "loyalty_points Points that a customer collects. Nobody relies on them yet. 0.1.0 draft web_shop 0 2" in told


def test_a_contract_says_how_to_pin_it(files):
    """[S4-018]"""
    told = flat(page(files["contracts/orders/index.html"]))
    assert "orders@^2.0 Copy this version and every later 2.x orders@2.0.0 Copy this version and no other" in told


def test_a_draft_is_pinned_by_its_number_alone(files):
    told = flat(page(files["contracts/loyalty_points/index.html"]))
    assert "loyalty_points@0.1.0" in told
    assert "loyalty_points@^" not in told


def test_producers_see_what_is_rejected(files):
    """[S1-017]"""
    told = flat(page(files["contracts/orders/index.html"]))
    assert (
        "A breach of these, and nothing of the delivery is published the whole every file can be read; no undeclared field"
        in told
    )
    assert (
        "order_id, total, currency, status, ordered_at, shipped_at is there Rows that break these go to quarantine"
        in told
    )
    assert "total is never null; is of type decimal(12,2); is at least 0" in told
    assert 'A breach of these is told, and published all the same the whole free_orders_are_rare: "total" > 0' in told


def test_consumers_see_what_is_guaranteed_and_what_is_not(files):
    """[S1-017]"""
    told = flat(page(files["contracts/orders/index.html"]))
    start = told.index("For consumers: what is guaranteed No delivery that breaks one of these is published")
    view = told[start : told.index("For operators:", start)]
    assert "(order_id) is unique within one delivery; the number of rows is at least 1 within one delivery" in view
    assert "currency is there; is never null; is of type string; is one of [EUR, GBP, USD, CHF]" in view
    assert 'Expected, and not guaranteed the whole free_orders_are_rare: "total" > 0' in view
    assert "Believed, and verified by nobody population: Every order that a customer placed on the day" in view


def test_operators_see_which_failures_need_somebody(files):
    """[S1-017]"""
    told = flat(page(files["contracts/orders/index.html"]))
    view = told[told.index("For operators: which failures need somebody") :]
    assert (
        "a key is held by several rows key quarantined the rows go to quarantine/orders, the others are published "
        "find out which source repeats the key and deliver one row for each"
    ) in view
    assert "free_orders_are_rare.row_rule told it is told, and all rows are published nobody has to act at once" in view
    assert "more than 5% of the rows break a rule refused nothing of the delivery is published" in view
    assert "Deliveries come from web_shop (team:web-shop)." in view


def test_a_version_tells_who_released_it_what_changed_whom_it_breaks_and_who_agreed(files):
    """[S4-018, S4-020]"""
    told = flat(page(files["contracts/orders/2.0.0.html"]))
    assert "Released 2027-03-01 00:00:00 UTC by release-job" in told
    assert "Replaces 1.2.1" in told
    assert "1.x is supported until 2027-08-31" in told
    assert "Approved by revenue_report on 2027-03-01 for the changes" in told
    assert (
        "Breaking 1 fields.amount is called 'total' now (field renamed) queries that name the field fail, "
        "and so do deliveries under the old name · breaks revenue_report"
    ) in told
    assert "How to move Read total where you read amount" in told


def test_an_older_version_names_its_last_day_and_the_current_one(files):
    told = flat(page(files["contracts/orders/1.2.1.html"]))
    assert "Supported until 2027-08-31 (91 days left). The current version is 2.0.0." in told


def test_each_older_version_is_compared_with_the_current_one(files):
    """[S4-018]"""
    told = flat(page(files["contracts/orders/since.html"]))
    first = told[told.index("1.1.0 → 2.0.0") :]
    assert "fields.amount is called 'total' now" in first
    assert "'CHF' is allowed" in first
    between = told[told.index("1.2.1 → 2.0.0") : told.index("1.2.0 → 2.0.0")]
    assert "'CHF' is allowed" not in between


def test_what_a_release_said_of_a_meaning_holds_in_the_comparison_too(files):
    told = flat(page(files["contracts/orders/since.html"]))
    between = told[told.index("1.2.0 → 2.0.0") : told.index("1.1.0 → 2.0.0")]
    assert "Refused" not in told
    assert "Patch 1 fields.shipped_at.semantics from 'Moment the parcel left; empty until then.'" in between


def test_what_changed_and_when_can_be_read_by_machines(files):
    """[S4-020]"""
    releases = json.loads(files["contracts/orders/releases.json"])
    assert [(each["version"], each["released_at"], each["state"]) for each in releases] == [
        ("1.1.0", "2026-10-01T00:00:00+00:00", "replaced"),
        ("1.2.0", "2026-11-12T00:00:00+00:00", "replaced"),
        ("1.2.1", "2026-12-01T00:00:00+00:00", "deprecated"),
        ("2.0.0", "2027-03-01T00:00:00+00:00", "active"),
    ]
    assert [change["kind"] for change in releases[3]["changes"]] == ["field_renamed", "type_decimal_widened"]
    catalogue = json.loads(files["catalogue.json"])
    assert catalogue["as_of"] == "2027-06-01"
    assert catalogue["contracts"][1] == {
        "contract": "orders",
        "version": "2.0.0",
        "versions": {"1.1.0": "replaced", "1.2.0": "replaced", "1.2.1": "deprecated", "2.0.0": "active"},
        "page": "contracts/orders/index.html",
        "releases": "contracts/orders/releases.json",
    }


def test_a_consumer_sees_what_they_rely_on_and_what_changed_for_them(files):
    told = consumer(files, "revenue-report")
    assert "Relies on 1 contract. Contact: team:finance." in told
    assert "Relies on order_id, status, total, currency Lives with new fields, new enum values" in told
    assert "2.0.0 2027-03-01 Breaks them: fields.amount is called 'total' now" in told
    assert "1.2.0 2026-11-12 In fields that they rely on: fields.currency.enum 'CHF' is allowed" in told
    assert "1.2.1" not in told


def test_a_consumer_whom_nothing_touched_is_told_so(files):
    assert "Nothing that is recorded: no release broke them" in consumer(files, "run-duration-report")


def test_an_owner_sees_their_contracts_and_who_depends_on_them(files):
    (place,) = [place for place in files if place.startswith("owners/web-shop")]
    told = flat(page(files[place]))
    assert "Answers for 2 contracts. Contact: team:web-shop." in told
    assert "orders: revenue_report, parcel_desk" in told


def test_a_draft_above_the_current_version_is_named_and_not_taken():
    files = dict(catalogue_files([release("1.0.0"), release("2.0.0", **DRAFT)], day("2026-12-01")))
    told = flat(page(files["contracts/orders/index.html"]))
    assert "orders active version 1.0.0 Version 2.0.0 is a draft: it binds nobody yet." in told


def test_a_contract_of_which_only_retired_versions_are_left_is_still_told():
    files = dict(catalogue_files([release("1.0.0", more="sunset: 2026-11-01\n")], day("2026-12-01")))
    told = flat(page(files["contracts/orders/index.html"]))
    assert "retired version 1.0.0" in told
    assert "Support ended on 2026-11-01." in told


def test_a_contract_that_asks_for_what_is_not_enforced_says_that_every_delivery_is_refused():
    asking = release("1.0.0", more="delivery: {parts: {from: file, required_file: x.csv}}\n")
    files = dict(catalogue_files([asking], day("2026-12-01")))
    told = flat(page(files["contracts/orders/index.html"]))
    assert "Every delivery. The contract asks for what this version of contract-gate does not enforce" in told
    assert "delivery.parts.required_file names a list that was not read" in told


def test_a_producer_whom_only_older_versions_name_keeps_a_page():
    old = release("1.0.0", more="domain: sales\n").model_copy()
    text = old.text.replace("producer: {name: shop}", "producer: {name: stall}").replace("1.0.0", "1.1.0")
    new = release("1.1.0", more="domain: sales\n").model_copy(update={"text": text})
    files = dict(catalogue_files([old, new], day("2026-12-01")))
    (place,) = [place for place in files if place.startswith("owners/shop")]
    assert "Answers for 0 contracts. Formerly orders" in flat(page(files[place]))
    assert broken_links(files) == []


def test_a_record_with_changes_of_another_shape_is_told_as_far_as_it_goes():
    odd = (
        {"kind": 3, "class": "strange", "consumers": "all"},
        {"path": "x", "class": "breaking", "consumers": ["nobody_known"]},
    )
    files = dict(catalogue_files([release("1.0.0", changes=odd, approvals=({"on": 5},))], day("2026-12-01")))
    told = flat(page(files["contracts/orders/1.0.0.html"]))
    assert "Breaking 1 x breaks nobody_known Other 1 change" in told
    assert "somebody who is not named" in told
    assert broken_links(files) == []


def test_an_empty_registry_says_what_to_do():
    told = flat(page(dict(catalogue_files([], TODAY))["index.html"]))
    assert "Nothing was released yet. contract-gate release CONTRACT --by NAME releases a version." in told


def test_monitors_are_told_with_what_they_compare_and_do():
    asking = release(
        "1.0.0", more="monitors: {volume: {max_change: 50%}, fields: {amount: {mean_change: 60%, severity: error}}}\n"
    )
    told = flat(page(dict(catalogue_files([asking], day("2026-12-01")))["contracts/orders/index.html"]))
    last = "of the median of the last 14 accepted partitions"
    assert f"Volume the number of rows stays within 50% {last} (only warns)" in told
    assert f"Monitor of amount the mean of 'amount' stays within 60% {last}" in told
    assert "the number of rows moved far from that of the accepted partitions before" in told
