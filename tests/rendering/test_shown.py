"""What a table shows, in sentences: the partition, its age, and why it is stale."""

from dataclasses import replace

import pytest

from contract_core.contract.promises import Freshness
from contract_core.operations.status import Status
from contract_core.rendering.shown import shown_words, state_words
from tests.rendering.standings import FRESH, WHOLE, published, standing

SHOWN = standing(FRESH, published("2026-10-06", 13)).status
NOTHING = standing(FRESH, ()).status


@pytest.mark.parametrize(
    ("status", "words"),
    [
        pytest.param(SHOWN, "shows 2026-10-06, 1d 20h old; fresh", id="fresh"),
        pytest.param(NOTHING, "nothing is published", id="nothing"),
        pytest.param(standing(WHOLE, published(None, 9)).status, "shows submission aaaaaaaaaaaa, 9h old; no age is promised", id="a whole table"),
    ],
)  # fmt: skip
def test_a_table_says_what_it_shows_and_how_old_that_is(status: Status, words: str) -> None:
    """[S1-016] [S2-039]"""
    assert shown_words(status) == words


@pytest.mark.parametrize(
    ("promise", "words"),
    [
        pytest.param({"max_age": "2d", "max_silence": "1d"}, "fresh", id="both kept"),
        pytest.param({"max_age": "1d"}, "stale: the newest event is 1d 20h old, at most 1d is promised", id="too old"),
        pytest.param({"max_age": "2d", "max_silence": "6h"}, "stale: nothing was published for 13h, at most 6h is promised", id="silent"),
        pytest.param({"max_age": "1d", "max_silence": "6h"}, "stale: the newest event is 1d 20h old, at most 1d is promised; nothing was published for 13h, at most 6h is promised", id="both"),
    ],
)  # fmt: skip
def test_stale_is_said_with_why(promise: dict[str, str], words: str) -> None:
    """[S1-016]"""
    assert state_words(replace(SHOWN, promise=Freshness.model_validate({"column": "day", **promise}))) == words


def test_of_nothing_that_is_published_no_promise_is_broken() -> None:
    assert (NOTHING.is_stale, state_words(NOTHING)) == (None, "nothing is published")
