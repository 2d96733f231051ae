"""What became of submissions, in words and as documents."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contract_core.operations.status import Status
from contract_core.publication.decision import Decision, Verdict
from contract_core.publication.history import DecisionRecord, Fate
from contract_core.publication.publish import PublicationRecord
from contract_core.rendering.history import (
    decision_lines,
    publication_document,
    publication_lines,
    status_document,
    status_lines,
)

AT = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
RECORD = DecisionRecord(
    "a" * 64, "cases", "1.0.0", "2026-10-01", Verdict.PUBLISH, Fate.PUBLISHED, (), (), 5, AT, AT, AT, 3
)
REFUSED = replace(
    RECORD,
    submission="b" * 64,
    decision=Verdict.REFUSE,
    outcome=Fate.REFUSED,
    rules=("n.null", "key"),
    warnings=("n.range",),
    published_at=None,
    table_version=None,
)
PUBLISHED = PublicationRecord("cases", "1.0.0", "2026-10-01", "a" * 64, Path("data/published/cases"), 3, 5, AT)
STATUS = Status("cases", "1.0.0", 2, RECORD, timedelta(hours=9), None, ())


@pytest.mark.parametrize(
    ("record", "line"),
    [
        pytest.param(RECORD, "2026-10-02 09:00:00Z  aaaaaaaaaaaa  cases/2026-10-01  1.0.0  published", id="published"),
        pytest.param(REFUSED, "2026-10-02 09:00:00Z  bbbbbbbbbbbb  cases/2026-10-01  1.0.0  refused  broken: n.null, key  warned: n.range", id="refused"),
        pytest.param(replace(RECORD, superseded_by="c" * 64, partition=None), "2026-10-02 09:00:00Z  aaaaaaaaaaaa  cases  1.0.0  superseded by cccccccccccc", id="superseded"),
        pytest.param(replace(REFUSED, outcome=Fate.PUBLICATION_FAILED, rules=(), warnings=()), "2026-10-02 09:00:00Z  bbbbbbbbbbbb  cases/2026-10-01  1.0.0  publication_failed", id="S1-091 failed"),
    ],
)  # fmt: skip
def test_a_decision_is_one_line(record: DecisionRecord, line: str) -> None:
    """S1-090, S1-091."""
    assert list(decision_lines([record])) == [line]


@pytest.mark.parametrize(
    ("record", "line"),
    [
        pytest.param(None, "nothing was published; the table is as it was", id="S1-013 refused"),
        pytest.param(PUBLISHED, "published as version 3 of data/published/cases", id="published"),
        pytest.param(
            replace(PUBLISHED, already_published=True),
            "is published already, as version 3 of data/published/cases; nothing changed",
            id="S1-066 again",
        ),
        pytest.param(
            replace(PUBLISHED, already_published=True, superseded_by="c" * 64),
            "was published before as version 3 and since replaced; nothing changed",
            id="superseded",
        ),
    ],
)
def test_a_publication_is_one_line(record: PublicationRecord | None, line: str) -> None:
    assert list(publication_lines(record)) == [line]


def test_a_refusal_has_no_publication() -> None:
    assert publication_document(Decision(Verdict.REFUSE), None) == {"decision": "refuse", "publication": None}
    assert publication_document(Decision(Verdict.PUBLISH), PUBLISHED)["publication"] == {
        "table": "data/published/cases", "version": 3, "rows": 5, "already_published": False, "superseded_by": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        pytest.param(STATUS, ["cases 1.0.0: 2 published, the newest is 2026-10-01, 9h old"], id="no age promised"),
        pytest.param(replace(STATUS, is_stale=True), ["cases 1.0.0: 2 published, the newest is 2026-10-01, 9h old, stale"], id="stale"),
        pytest.param(replace(STATUS, is_stale=False), ["cases 1.0.0: 2 published, the newest is 2026-10-01, 9h old, fresh"], id="fresh"),
        pytest.param(replace(STATUS, newest=None, age=None, partitions=0), ["cases 1.0.0: nothing is published"], id="nothing"),
        pytest.param(replace(STATUS, refused_since=(REFUSED,)), ["cases 1.0.0: 2 published, the newest is 2026-10-01, 9h old", "    2026-10-01 was refused at 2026-10-02 09:00Z: n.null, key"], id="refused since"),
        pytest.param(replace(STATUS, refused_since=(replace(REFUSED, outcome=Fate.PUBLICATION_FAILED, rules=()),)), ["cases 1.0.0: 2 published, the newest is 2026-10-01, 9h old", "    2026-10-01 could not be published at 2026-10-02 09:00Z"], id="S1-091 failed"),
    ],
)  # fmt: skip
def test_a_status_says_what_consumers_see_and_what_was_refused(status: Status, lines: list[str]) -> None:
    assert list(status_lines(status)) == lines


def test_a_status_document_has_numbers() -> None:
    found = status_document(replace(STATUS, refused_since=(REFUSED,)))
    assert (found["age_seconds"], found["stale"], found["newest"]["outcome"], found["refused"][0]["rules"]) == (
        32_400,
        None,
        "published",
        ["n.null", "key"],
    )
