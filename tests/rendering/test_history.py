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
    decision_document,
    decision_lines,
    publication_document,
    publication_lines,
    status_document,
)
from contract_core.rendering.stories import story_lines

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
APART = replace(
    RECORD,
    submission="d" * 64,
    decision=Verdict.PUBLISH_WITH_QUARANTINE,
    rules=("n.range", "key"),
    rows=1200,
    quarantined=3,
)
PUBLISHED = PublicationRecord("cases", "1.0.0", "2026-10-01", "a" * 64, Path("data/published/cases"), 3, 5, AT)
TIMES = "    submission aaaaaaaaaaaa, received 2026-10-02 09:00:00Z, decided 2026-10-02 09:00:00Z, published 2026-10-02 09:00:00Z"
STATUS = Status("cases", "1.0.0", 2, RECORD, timedelta(hours=9), ())


@pytest.mark.parametrize(
    ("record", "line"),
    [
        pytest.param(RECORD, "2026-10-02 09:00:00Z  aaaaaaaaaaaa  cases/2026-10-01  1.0.0  published", id="published"),
        pytest.param(REFUSED, "2026-10-02 09:00:00Z  bbbbbbbbbbbb  cases/2026-10-01  1.0.0  refused  broken: n.null, key  warned: n.range", id="refused"),
        pytest.param(replace(RECORD, superseded_by="c" * 64, partition=None), "2026-10-02 09:00:00Z  aaaaaaaaaaaa  cases  1.0.0  superseded by cccccccccccc", id="superseded"),
        pytest.param(replace(REFUSED, outcome=Fate.PUBLICATION_FAILED, rules=(), warnings=()), "2026-10-02 09:00:00Z  bbbbbbbbbbbb  cases/2026-10-01  1.0.0  publication_failed", id="S1-091 failed"),
        pytest.param(APART, "2026-10-02 09:00:00Z  dddddddddddd  cases/2026-10-01  1.0.0  published  3 of 1,200 rows kept apart: n.range, key", id="S3-033 kept apart"),
        pytest.param(replace(REFUSED, rules=("a.null", "b.null", "c.null", "d.null", "key"), warnings=()), "2026-10-02 09:00:00Z  bbbbbbbbbbbb  cases/2026-10-01  1.0.0  refused  broken: a.null, b.null, c.null and 2 more", id="many rules"),
    ],
)  # fmt: skip
def test_a_decision_is_one_line(record: DecisionRecord, line: str) -> None:
    """S1-090, S1-091."""
    assert list(decision_lines([record])) == [line]


LATER = AT + timedelta(hours=3)
MANY = tuple(f"field_{number}.null" for number in range(12))


@pytest.mark.parametrize(
    ("record", "lines"),
    [
        pytest.param(
            replace(APART, superseded_by="c" * 64, superseded_at=LATER),
            [
                "cases/2026-10-01  1.0.0  submission dddddddddddd, 1,200 rows delivered",
                "    received    2026-10-02 09:00:00Z",
                "    decided     2026-10-02 09:00:00Z  publish_with_quarantine; kept apart: n.range, key",
                "    published   2026-10-02 09:00:00Z  as table version 3: 1,197 rows, 3 in quarantine/cases",
                "    superseded  2026-10-02 12:00:00Z  by submission cccccccccccc",
            ],
            id="S1-068 from receipt to its successor",
        ),
        pytest.param(
            replace(REFUSED, rules=MANY, partition=None),
            [
                "cases  1.0.0  submission bbbbbbbbbbbb, 5 rows delivered",
                "    received    2026-10-02 09:00:00Z",
                "    decided     2026-10-02 09:00:00Z  refuse; broken: field_0.null, field_1.null, field_2.null, field_3.null, field_4.null, field_5.null,",
                "                                      field_6.null, field_7.null, field_8.null, field_9.null, field_10.null, field_11.null; warned: n.range",
            ],
            id="every rule is named",
        ),
        pytest.param(
            replace(REFUSED, decision=Verdict.PUBLISH, outcome=Fate.PUBLICATION_FAILED, rules=(), warnings=(), received_at=None, reason="OlderSubmissionError"),
            [
                "cases/2026-10-01  1.0.0  submission bbbbbbbbbbbb, 5 rows delivered",
                "    decided     2026-10-02 09:00:00Z  publish",
                "    failed                            it was received before what is published; publish it with --allow-older if you mean to go back",
            ],
            id="S1-091 an older one",
        ),
        pytest.param(
            replace(RECORD, decided_at=LATER, decision=Verdict.REFUSE, rules=("freshness",), rows=1),
            [
                "cases/2026-10-01  1.0.0  submission aaaaaaaaaaaa, 1 row delivered",
                "    received    2026-10-02 09:00:00Z",
                "    published   2026-10-02 09:00:00Z  as table version 3: 1 row",
                "    re-decided  2026-10-02 12:00:00Z  refuse; broken: freshness",
            ],
            id="judged again after its publication",
        ),
    ],
)  # fmt: skip
def test_the_story_of_a_partition_has_a_line_for_each_event(record: DecisionRecord, lines: list[str]) -> None:
    """S1-068, S1-090: received, decided, published, superseded, each with its time; readable in 140 columns."""
    assert list(story_lines([record])) == lines
    assert max(len(line) for line in lines) <= 140


def test_nothing_happened_yet() -> None:
    assert list(story_lines([])) == list(decision_lines([])) == ["nothing was decided yet"]


def test_a_decision_document_is_complete() -> None:
    """S1-090: what was kept apart, when it was superseded, why it failed."""
    found = decision_document(replace(APART, superseded_by="c" * 64, superseded_at=LATER, reason="PublicationError"))
    assert (found["quarantined"], found["superseded_at"], found["reason"]) == (
        3,
        "2026-10-02T12:00:00+00:00",
        "PublicationError",
    )
    assert decision_document(RECORD)["superseded_at"] is None


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
            "was published before as version 3 and since replaced; nothing changed: publish it with --allow-older if you mean to go back",
            id="superseded",
        ),
    ],
)
def test_a_publication_is_one_line(record: PublicationRecord | None, line: str) -> None:
    assert list(publication_lines(record)) == [line]


def test_a_publication_says_how_many_rows_are_elsewhere_and_where() -> None:
    """S3-019."""
    assert list(publication_lines(replace(PUBLISHED, quarantined=3))) == [
        "published as version 3 of data/published/cases",
        "3 rows of it are kept apart in quarantine/cases",
    ]
    assert list(publication_lines(replace(PUBLISHED, quarantined=1)))[1].startswith("1 row of it is kept apart")


def test_a_refusal_has_no_publication() -> None:
    assert publication_document(Decision(Verdict.REFUSE), None) == {"decision": "refuse", "publication": None}
    assert publication_document(Decision(Verdict.PUBLISH), PUBLISHED)["publication"] == {
        "table": "data/published/cases", "version": 3, "rows": 5, "quarantined": 0, "already_published": False, "superseded_by": None,
    }  # fmt: skip


def test_a_status_document_has_numbers() -> None:
    found = status_document(replace(STATUS, refused_since=(REFUSED,), quarantined=7))
    assert found["quarantined"] == 7
    assert (found["age_seconds"], found["stale"], found["newest"]["outcome"], found["refused"][0]["rules"]) == (
        32_400,
        None,
        "published",
        ["n.null", "key"],
    )
