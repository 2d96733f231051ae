"""A delivery that was received before what is published does not come back by itself: somebody asks for it in the launchpad."""

import dagster as dg
import pytest

from contract_assets.assets import PublishConfig
from contract_core.publication.entry import Event
from tests.assets.bench import BAD, BETTER, CASES, DAY, GOOD, contract_of, csv, failures, kinds
from tests.publication.unchanged import unchanged

GO_BACK = {"ops": {"published__cases": {"config": {"allow_older": True}}}}


@pytest.fixture
def older(bench):
    """GOOD was taken first and not published; BETTER came after it and is; now GOOD is the last that was decided on."""
    bench.land(GOOD)
    assert bench.run(bench.candidate).success
    assert bench.take(BETTER).success
    bench.land(GOOD)
    assert bench.run(bench.candidate).success
    return bench


def test_an_older_delivery_is_refused_red_and_without_a_retry_and_the_words_say_what_to_do(older):
    """S1-068: the newer one stays what consumers see."""
    with unchanged(older.table):
        result = older.run(older.published)
    assert not result.success
    assert kinds(result, "published__cases") == ["failed"]
    (words,) = failures(result)
    assert "it was received before submission" in words
    assert "open the launchpad of the published asset for this partition and set allow_older to true" in words
    assert len(older.shown()) == 3


def test_the_ledger_says_why_it_was_not_published(older):
    older.run(older.published)
    failed = [entry for entry in older.ledger.entries() if entry.event is Event.FAILED]
    assert [entry.reason for entry in failed] == ["OlderSubmissionError"]


def test_it_is_published_where_somebody_asks_for_it_and_the_history_stays(older):
    """S1-068: both submissions are in the ledger, and the replaced version stays readable by its submission."""
    newer = older.ledger.entries()[-2]
    assert older.run(older.published, run_config=GO_BACK).success
    assert len(older.shown()) == 2
    published = [entry.submission for entry in older.ledger.entries() if entry.event is Event.PUBLISHED]
    assert len(set(published)) == 2
    replaced = next(name for name in published if name != published[-1])
    assert older.gate.store().rows_at("cases", replaced).collect().height == 3
    assert newer.submission in published


def test_asking_for_an_older_one_opens_nothing_that_was_refused(bench):
    """The word is about the order of deliveries, never about the decision."""
    bench.take(BAD)
    result = bench.run(bench.published, run_config=GO_BACK)
    assert "it was refused (n.range)" in failures(result)[0]
    assert not bench.table.exists()


def test_asking_for_it_where_nothing_is_newer_changes_nothing(bench):
    bench.land(GOOD)
    assert bench.run(run_config=GO_BACK).success
    with unchanged(bench.table):
        assert bench.run(bench.published, run_config=GO_BACK).success
    assert bench.publications() == 1


def test_the_launchpad_offers_it_switched_off_and_explained(bench):
    published = next(
        asset
        for asset in bench.definitions.assets
        if isinstance(asset, dg.AssetsDefinition) and asset.key == bench.published
    )
    option = published.op.config_schema.config_type.fields["allow_older"]
    assert (option.default_value, PublishConfig().allow_older) == (False, False)
    assert "received later" in option.description


def test_another_word_is_not_taken_for_it(bench):
    bench.land(GOOD)
    with pytest.raises(dg.DagsterInvalidConfigError):
        bench.run(run_config={"ops": {"published__cases": {"config": {"force": True}}}})


def test_rows_that_are_added_replace_nothing_older_or_newer(bench):
    """S1-068: under `append` there is no going back, and nothing to go back from."""
    bench.contract = contract_of(CASES + "publication: {mode: append}\n")
    bench.land(csv(("NL", DAY, 1)))
    assert bench.run(bench.candidate).success
    assert bench.take(csv(("BE", DAY, 2))).success
    assert bench.take(csv(("NL", DAY, 1))).success
    assert len(bench.shown()) == 2
