"""Deadlines in words and as JSON: what is overdue first, a few by name and the rest by number."""

from datetime import UTC, datetime, timedelta

import pytest

from contract_core.operations.deadlines import Deadlines, Expected, State
from contract_core.rendering.deadlines import deadline_lines, deadlines_document, expected_words

DUE = datetime(2026, 10, 2, 9, tzinfo=UTC)
NOON = DUE + timedelta(hours=3)


def expected(state: State, day: int = 1, *, arrived: datetime | None = None, due: datetime | None = DUE) -> Expected:
    return Expected(f"2026-10-{day:02}", state, due, arrived, NOON)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (expected(State.PUBLISHED, arrived=DUE), "2026-10-01 came in time, due 2026-10-02 09:00Z"),
        (expected(State.LATE, arrived=NOON), "2026-10-01 came late, due 2026-10-02 09:00Z, by 3h"),
        (expected(State.REFUSED), "2026-10-01 was refused, due 2026-10-02 09:00Z, 3h ago"),
        (expected(State.MISSING), "2026-10-01 is missing, due 2026-10-02 09:00Z, 3h ago"),
        (expected(State.UNPUBLISHED), "2026-10-01 was accepted and is not published, due 2026-10-02 09:00Z, 3h ago"),
        (
            expected(State.WAITING, due=NOON + timedelta(hours=1)),
            "2026-10-01 is not there yet, due 2026-10-02 13:00Z",
        ),
        (expected(State.WAITING, due=None), "2026-10-01 is not there yet; its deadline lies beyond the calendar"),
    ],
    ids=lambda value: value.state.value if isinstance(value, Expected) else "",
)
def test_each_state_has_words(item: Expected, words: str) -> None:
    """[S2-041]"""
    assert expected_words(item) == words


def test_where_all_is_well_and_nothing_is_waited_for_there_is_nothing_to_say() -> None:
    assert list(deadline_lines(Deadlines("cases", (expected(State.PUBLISHED, arrived=DUE),), is_all=True))) == []
    assert (list(deadline_lines(None)), deadlines_document(None)) == ([], None)


def test_the_document_names_every_one_that_is_overdue_and_the_newest_of_all() -> None:
    items = tuple(expected(State.MISSING, day) for day in range(31, 0, -1))
    found = deadlines_document(Deadlines("cases", items, is_all=True))
    assert found is not None
    assert (found["looked_at"], len(found["newest"]), len(found["overdue"])) == (31, 30, 31)
