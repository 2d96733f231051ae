"""The catalogue in a browser, opened from the disk: search, filters, keys, and that nothing a contract says ever runs."""

import shutil
from importlib.util import find_spec

import pytest

from contract_core.catalogue.folder import write_catalogue
from contract_core.catalogue.pages import catalogue_files
from tests.catalogue.hostile import hostile_release
from tests.catalogue.samples import TODAY, year_of_releases

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None, reason="needs Chromium on the path and Playwright"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogue")
    releases = (*year_of_releases(folder / "registry").releases(), hostile_release(40))
    write_catalogue(catalogue_files(releases, TODAY), folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser, site):
    """Opens pages; whatever any of them says on the console or asks of the network is a failure."""
    faults = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})

    def open_page(place, width=1280):
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.on("request", lambda request: request.url.startswith(("file:", "data:")) or faults.append(request.url))
        page.goto((site / place).as_uri())
        return page

    yield open_page
    context.close()
    assert faults == []


def shown_contracts(page):
    return page.locator("#contract-table tbody tr:visible a.name").all_text_contents()


def test_results_come_while_one_types(opened):
    page = opened("index.html")
    page.locator("#query").press_sequentially("tota")
    assert page.locator("#results a").first.inner_text() == "field total in orders"
    assert page.locator("#results mark").first.inner_text() == "tota"
    assert shown_contracts(page) == ["orders"]
    assert page.locator("#status").inner_text() == "1 result in 1 of 5 contracts"


@pytest.mark.parametrize(
    ("words", "contracts"),
    [
        ("regional", ["regional_daily_cases"]),
        ("weekly_report", ["regional_daily_cases"]),
        ("worker fleet", ["run_durations"]),
        ("MILLI", []),
        ("duration ms", ["run_durations"]),
        ("stood at the end", ["orders"]),
        ("points", ["loyalty_points"]),
    ],
)
def test_names_people_units_and_descriptions_are_found(opened, words, contracts):
    page = opened("index.html")
    page.locator("#query").fill(words)
    assert shown_contracts(page) == contracts


def test_filters_narrow_the_list_and_come_back_with_the_address(opened):
    page = opened("index.html")
    page.locator("#filter-state").select_option("active")
    assert shown_contracts(page) == ["hostile", "orders", "run_durations"]
    page.locator("#filter-owner").select_option("web_shop")
    assert shown_contracts(page) == ["orders"]
    assert page.url.endswith("#state=active&owner=web_shop")
    page.reload()
    assert shown_contracts(page) == ["orders"]
    page.locator("button[type=reset]").click()
    page.wait_for_function("document.querySelectorAll('#contract-table tbody tr[hidden]').length === 0")
    page.locator("#filter-domain").select_option("sales")
    assert shown_contracts(page) == ["loyalty_points", "orders"]


def test_what_nothing_fits_is_said(opened):
    page = opened("index.html")
    page.locator("#query").fill("zebra")
    assert page.locator("#none").inner_text().startswith("No contract fits.")
    assert page.locator("#status").inner_text() == "0 results in 0 of 5 contracts"


def test_everything_can_be_reached_with_keys(opened):
    page = opened("index.html")
    page.keyboard.press("/")
    page.keyboard.type("shipped_at")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/contracts/orders/index.html#field-6")
    assert page.locator("#field-6 code.name").inner_text() == "shipped_at"
    page.go_back()
    assert page.locator("#query").input_value() == "shipped_at"
    page.locator("#query").press("Escape")
    assert page.locator("#query").input_value() == ""


def test_the_first_key_skips_to_the_content(opened):
    page = opened("contracts/orders/index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_long_tables_of_fields_can_be_narrowed_down(opened):
    page = opened("contracts/hostile/index.html")
    page.locator("#field-query").fill("field_39")
    assert page.locator("#field-table tbody tr:visible").count() == 1
    assert page.locator("#field-status").inner_text() == "1 of 50"


def test_no_script_of_a_contract_runs_where_it_is_told(opened, site):
    named = [
        *(site / "contracts" / "hostile").glob("*.html"),
        *(site / "owners").glob("img*"),
        *(site / "consumers").glob("*script*"),
    ]
    places = ["index.html", *(path.relative_to(site) for path in sorted(named))]
    for place in places:
        page = opened(place)
        page.locator("h1").hover()
        assert page.evaluate("window.hacked === undefined")
        assert page.locator("img, iframe, object, embed").count() == 0
        page.close()
    assert len(places) > 5


def test_no_script_of_a_contract_runs_in_the_search(opened):
    page = opened("index.html")
    for words in ("script", "onerror", "javascript", "7*7", "hacked", "<"):
        page.locator("#query").fill(words)
        assert page.locator("#results li").count() > 0
        assert page.locator("#results script, #results img").count() == 0
    assert page.evaluate("window.hacked === undefined")


@pytest.mark.parametrize("place", ["index.html", "contracts/orders/index.html", "contracts/hostile/1.0.0.html"])
def test_no_page_is_wider_than_a_phone(opened, place):
    page = opened(place, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_script_that_is_not_ours_does_not_run_even_where_it_stands_on_a_page(browser, site, tmp_path):
    """The second line of defence: the policy of every page names its own script alone."""
    text = (site / "contracts/orders/1.2.0.html").read_text("utf-8")
    (tmp_path / "page.html").write_text(text.replace("<main", "<script>window.hacked=1</script><main"), "utf-8")
    page = browser.new_page()
    told = []
    page.on("console", lambda message: told.append(message.text))
    page.goto((tmp_path / "page.html").as_uri())
    assert page.evaluate("window.hacked === undefined")
    assert "Content Security Policy" in " ".join(told)
    page.close()
