"""A delivery's way through the UI, by clicks: accepted, refused, corrected; and names that would do harm.

The tests tell one story in their order. What they see on a page they also find on disk.
"""

import polars as pl
import pytest

from tests.assets.bench import BAD, BETTER, DAY, GOOD, NEXT
from tests.ui.conftest import CHROMIUM, LOCATION, Viewer

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Playwright's pipes
]
BAD_NEXT, GOOD_NEXT = BAD.replace(DAY, NEXT), BETTER.replace(DAY, NEXT)


def materialise(viewer: Viewer, contract: str, day: str | None = None) -> tuple[str, str]:
    """The id and the end of the run that somebody starts from the job's page, for one day where there are days."""
    known = {run["runId"] for run in viewer.server.runs()}
    page = viewer.opens(f"/locations/{LOCATION}/jobs/publish_{contract}")
    page.get_by_role("button", name="Materialize all").click()
    if day is not None:
        dialog = page.get_by_role("dialog")
        days = dialog.get_by_role("textbox").first
        days.fill(day)
        days.press("Enter")
        dialog.get_by_role("button", name="Launch 1 run").click()
    return viewer.server.ended(known)


def published(viewer: Viewer) -> list[tuple[object, ...]]:
    """What consumers read, as any other reader of Delta tables finds it."""
    return sorted(pl.read_delta(str(viewer.server.root / "published" / "cases")).rows())


def test_a_delivery_that_keeps_its_contract_is_published(viewer: Viewer) -> None:
    viewer.server.land("cases", DAY, GOOD)
    run, state = materialise(viewer, "cases", DAY)
    assert state == "SUCCESS"
    assert len(published(viewer)) == 2
    viewer.opens(f"/runs/{run}")
    viewer.sees("Success", DAY)
    viewer.keeps("1-run-published")
    viewer.opens("/assets/candidate/cases?view=checks")
    viewer.sees("Checks (9)", "warnings__row_rule_plausible")
    viewer.counts("Succeeded", 8)
    viewer.counts("Failed", 1)  # that it is older than promised, which only warns
    viewer.keeps("2-candidate-checks-passed")
    viewer.opens("/assets/published/cases")
    viewer.sees("Cases per region and day.", "Only deliveries that keep the contract appear here.", "row_count")
    viewer.sees("stale: the newest event is")
    viewer.keeps("3-published")


def test_a_delivery_that_breaks_its_contract_is_refused_and_the_table_stays(viewer: Viewer) -> None:
    """S1-086: and the page of the table says that a newer delivery is missing from it."""
    before = published(viewer)
    viewer.server.land("cases", NEXT, BAD_NEXT)
    run, state = materialise(viewer, "cases", NEXT)
    assert state == "FAILURE"
    assert published(viewer) == before
    viewer.opens(f"/runs/{run}")
    viewer.sees("Failure", "refused, the published table is as it was")
    viewer.keeps("4-run-refused")
    viewer.opens("/assets/candidate/cases?view=checks&checkDetail=field_n")
    viewer.sees("'n' is at least 0", "1 of 2 rows")
    viewer.counts("Failed", 3)  # field_n, the age, and field_n again where it is told in full
    viewer.keeps("5-candidate-check-failed")
    viewer.opens("/assets/published/cases")
    viewer.sees("shows", "Failed in")
    assert not viewer.page.get_by_text("open_refusals").count(), "it was true when it was published, and is not now"
    viewer.keeps("6-published-overview-after-refusal")
    viewer.opens("/assets/published/cases?view=checks&checkDetail=incidents")
    viewer.sees("Latest execution", f"refused: {NEXT}", "look for typing errors")
    viewer.keeps("6-published-after-refusal")


def test_a_corrected_delivery_is_published(viewer: Viewer) -> None:
    viewer.server.land("cases", NEXT, GOOD_NEXT)
    run, state = materialise(viewer, "cases", NEXT)
    assert state == "SUCCESS"
    assert len(published(viewer)) == 5
    viewer.opens(f"/runs/{run}")
    viewer.sees("Success")
    viewer.opens("/assets/published/cases?view=partitions")
    viewer.sees("Materialized (2)", "Failed (0)")
    viewer.keeps("7-published-partitions")


def test_names_that_are_markup_are_shown_and_do_nothing(viewer: Viewer) -> None:
    """No picture is asked for, no script runs, no link leads anywhere, before a delivery is refused and after it."""
    for name in ("candidate", "published"):
        viewer.opens(f"/assets/{name}/hostile")
        viewer.sees("onerror=alert(1)", "a|b*c_d`e`", "Loaded")
        shows_text_alone(viewer)
        viewer.keeps(f"8-hostile-{name}")
    viewer.server.land("hostile", None, "<script>alert(3)</script>,a|b*c_d`e`\nx,-1\n")
    run, state = materialise(viewer, "hostile")
    assert state == "FAILURE"
    viewer.opens(f"/runs/{run}")
    viewer.sees("Failure", "refused, the published table is as it was")
    shows_text_alone(viewer)
    viewer.opens("/assets/candidate/hostile?view=checks")
    viewer.sees("schema", "Latest execution")
    shows_text_alone(viewer)
    viewer.keeps("9-hostile-checks")
    viewer.opens("/assets/published/hostile?view=checks&checkDetail=incidents")
    viewer.sees("1 open")
    shows_text_alone(viewer)


def shows_text_alone(viewer: Viewer) -> None:
    """Also where a text is only rendered once it is asked for."""
    for link in viewer.page.get_by_text("Show Markdown").all():
        link.click()
        viewer.page.keyboard.press("Escape")
    assert viewer.page.locator("img[src='x']").count() == 0
    assert viewer.page.locator("a[href^='javascript']").count() == 0
