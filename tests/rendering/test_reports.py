"""The wording of reports: every promise in words, every count, every next step."""

from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal
from typing import Any, get_args

import pytest

from contract_core.contract.delivery_terms import Due
from contract_core.contract.group_sql import parse_group_sql
from contract_core.contract.history_sql import parse_history_sql
from contract_core.contract.logical_type import LogicalType
from contract_core.contract.promises import Monitor, Severity
from contract_core.contract.row_sql import parse_row_sql
from contract_core.publication.decision import Decision, Verdict
from contract_core.rendering.moments import age_words
from contract_core.rendering.promises import promise_words
from contract_core.rendering.reports import (
    budget_words,
    check_document,
    consequence,
    decision_words,
    message,
    next_step,
    report_lines,
)
from contract_core.validation.obligations import Layer, Obligation
from contract_core.validation.promise_kinds import (
    Between,
    DeclaresContract,
    DeclaresPartition,
    DeclaresUnit,
    Finite,
    Fresh,
    GroupsHold,
    HasType,
    HistoryHolds,
    Holds,
    InPartition,
    InTime,
    KeysReturn,
    LengthBetween,
    Matches,
    Measure,
    NewKey,
    NoDuplicateRows,
    NoExtraFields,
    NoOtherParts,
    NotBlank,
    NotNull,
    OneOf,
    PartsArrived,
    PartsComplete,
    Present,
    Promise,
    Readable,
    RecordsAreObjects,
    RowCountBetween,
    Steady,
    Trimmed,
    UniqueKey,
)
from contract_core.validation.report import Finding, Outcome, Part, PartState, ValidationReport
from tests.contract.texts import contract_of
from tests.validation.judged import AS_OF

WORDS: list[tuple[Promise, str]] = [
    (Readable(), "every file can be read"),
    (RecordsAreObjects(), "every record is an object"),
    (NoExtraFields(), "no undeclared field"),
    (Present("n"), "'n' is there"),
    (HasType("n", LogicalType.parse("decimal(5,2)")), "'n' is of type decimal(5,2)"),
    (NotNull("n"), "'n' is never null"),
    (Finite("n"), "'n' is never NaN or infinite"),
    (OneOf("n", ("a", "b")), "'n' is one of [a, b]"),
    (OneOf("n", tuple(range(12))), "'n' is one of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … 12 in all]"),
    (Matches("n", "[a-z]+"), "'n' matches [a-z]+"),
    (Matches("n", "a" * 130), f"'n' matches {'a' * 117}…"),
    (Between("n", 0, None, judges_nan=False), "'n' is at least 0"),
    (Between("n", None, Decimal("0.5"), judges_nan=False), "'n' is at most 0.5"),
    (Between("n", 0, 5, judges_nan=False), "'n' is between 0 and 5"),
    (LengthBetween("n", 1, 5), "'n' has a length between 1 and 5"),
    (NotBlank("n", "ascii"), "'n' is more than white space (ascii)"),
    (Trimmed("n"), "'n' has no outer white space"),
    (Holds("r", parse_row_sql("n > 0"), keeps_unknown=False), '"n" > 0'),
    (Holds("r", parse_row_sql("n > 0"), keeps_unknown=True), '"n" > 0 or is unknown'),
    (UniqueKey(("a", "b")), "(a, b) is unique"),
    (UniqueKey(("a",), parse_row_sql("n > 0")), '(a) is unique where "n" > 0'),
    (NewKey(("a", "b")), "(a, b) is not published yet"),
    (NoDuplicateRows(), "no row stands twice"),
    (
        GroupsHold("g", ("a", "b"), parse_group_sql("sum(n) > 0", ()), keeps_unknown=False),
        'for each (a, b): SUM("n") > 0',
    ),
    (
        GroupsHold("g", ("a",), parse_group_sql("sum(n) > 0", ()), keeps_unknown=True),
        'for each (a): SUM("n") > 0 or is unknown',
    ),
    (
        HistoryHolds("h", ("a",), "day", parse_history_sql("n >= previous.n"), keeps_unknown=False),
        'beside what was published before: "n" >= "previous"."n"',
    ),
    (
        HistoryHolds(
            "h", ("a",), None, parse_history_sql("n = previous.n"), keeps_unknown=True, max_share=Decimal("0.25")
        ),
        'beside what was published before: "n" = "previous"."n" or is unknown, but for at most 25% of rows',
    ),
    (KeysReturn("v", ("a", "b")), "every published key (a, b) is there again"),
    (KeysReturn("v", ("a",), Decimal("0.025")), "every published key (a) is there again, but for at most 2.5% of them"),
    (RowCountBetween(1, None), "the number of rows is at least 1"),
    (InPartition("day"), "'day' lies in the partition"),
    (DeclaresPartition(), "the declared partition is the one offered"),
    (DeclaresContract(), "the delivery declares this contract"),
    (DeclaresUnit(), "the delivery declares the contract's unit"),
    (PartsArrived(("a", "b")), "all 2 required parts are there"),
    (NoOtherParts(("a", "b")), "no part is there that is not required"),
    (PartsComplete(("a", "b")), "every part is declared complete, and the declaration agrees with the files"),
    (InTime(Due(by=time(9), days_after=2)), "it is there by 09:00 UTC every day, 2 days after its partition"),
    (
        InTime(Due(by=time(9, 5), timezone="Europe/Rome", calendar="weekdays")),
        "it is there by 09:05 Europe/Rome on weekdays",
    ),
    (Fresh("day", timedelta(days=2)), "the newest 'day' is at most 2d old"),
    (
        Steady(Measure.ROWS, None, Decimal("0.5"), Monitor(max_deviation=6, season="weekday")),
        "the number of rows stays within 50% or 6 robust standard deviations of the median of the last 14 accepted partitions of the same weekday",
    ),
    (
        Steady(Measure.NULL_RATE, "n", Decimal("0.01"), Monitor(window=1)),
        "the share of nulls in 'n' stays within 1 percentage point of the median of the last accepted partition",
    ),
    (
        Steady(Measure.MEAN, "n", None, Monitor(max_deviation=Decimal("3.5"))),
        "the mean of 'n' stays within 3.5 robust standard deviations of the median of the last 14 accepted partitions",
    ),
]


@pytest.mark.parametrize(("promise", "words"), WORDS, ids=[words[:40] for _, words in WORDS])
def test_a_promise_has_its_words(promise: Promise, words: str) -> None:
    assert promise_words(promise) == words


def test_every_kind_of_promise_has_words() -> None:
    assert {type(promise) for promise, _ in WORDS} == set(get_args(Promise))


def finding(
    rule: str, breaches: int = 1, outcome: Outcome = Outcome.BREACHED, reason: str = "", **details: int
) -> Finding:
    return Finding(
        Obligation(rule, rule, NotNull("n"), Layer.ROWS, Severity.ERROR, "n"), outcome, breaches, reason, details
    )


@pytest.mark.parametrize(
    ("found", "words"),
    [
        pytest.param(finding("null", 0, Outcome.KEPT), "kept: 'n' is never null", id="kept"),
        pytest.param(finding("null", 0, Outcome.UNJUDGED, "the delivery has no column 'n'"), "not judged: 'n' is never null; the delivery has no column 'n'", id="P05 unjudged"),
        pytest.param(finding("null", 1, rows=1), "broken: 'n' is never null; 1 of 1 row breaks it", id="one row"),
        pytest.param(finding("null", 1200, rows=3400), "broken: 'n' is never null; 1,200 of 3,400 rows break it", id="rows"),
        pytest.param(finding("key", 1, groups=1, rows=2, surplus_rows=1), "broken: 'n' is never null; 1 value held by 2 rows", id="S1-064 key"),
        pytest.param(finding("unique", 2, groups=2, rows=5, surplus_rows=3), "broken: 'n' is never null; 2 values held by 5 rows", id="uniqueness"),
        pytest.param(finding("duplicate_rows", 1), "broken: 'n' is never null; 1 surplus row", id="repeated rows"),
        pytest.param(finding("group", 1, groups=1, unknown=0), "broken: 'n' is never null; 1 of 1 group breaks it", id="group"),
        pytest.param(finding("group", 2, groups=3000, unknown=1), "broken: 'n' is never null; 2 of 3,000 groups break it, unknown for 1", id="unknown groups"),
        pytest.param(finding("history", 1, judged=1, unknown=0, skipped=0, ambiguous=0), "broken: 'n' is never null; 1 of 1 row breaks it", id="history"),
        pytest.param(finding("history", 2, judged=3000, unknown=1, skipped=4000, ambiguous=5), "broken: 'n' is never null; 2 of 3,000 rows break it, unknown for 1, 4,000 without a predecessor, 5 with several", id="not compared"),
        pytest.param(finding("history", 1, keys=2, gone=1), "broken: 'n' is never null; 1 of 2 published keys is gone", id="a key that vanished"),
        pytest.param(finding("history", 2, keys=2, gone=2), "broken: 'n' is never null; 2 of 2 published keys are gone", id="keys that vanished"),
        pytest.param(finding("history", 0, Outcome.KEPT, "nothing is published"), "kept: 'n' is never null; nothing is published", id="kept for a reason"),
        pytest.param(finding("row_count", 1, rows=1000), "broken: 'n' is never null; there are 1,000", id="row count"),
        pytest.param(finding("freshness", 1, age_seconds=90_061), "broken: 'n' is never null; it is 1d 1h old", id="freshness"),
        pytest.param(finding("extra_field", 2, first_position=4), "broken: 'n' is never null; 2 undeclared fields, the first at position 4", id="S3-016 undeclared"),
        pytest.param(finding("coverage", 1, reason="NL12", required=2, missing=1), "broken: 'n' is never null; 2 required, 1 missing (NL12)", id="missing part"),
        pytest.param(finding("coverage", 3, required=2, unexpected=3), "broken: 'n' is never null; 2 required, 3 unexpected", id="unexpected parts"),
        pytest.param(finding("completeness", 2, reason="a, b", incomplete=1, undeclared=1, disagreeing=0), "broken: 'n' is never null; 1 incomplete, 1 undeclared (a, b)", id="completeness"),
        pytest.param(finding("completeness", 1, reason="there is no manifest"), "broken: 'n' is never null; 1 time (there is no manifest)", id="no manifest"),
        pytest.param(finding("unreadable", 1, reason="a.csv: line 1 is not utf-8 text", files=2), "broken: 'n' is never null; 1 of 2 files cannot be read (a.csv: line 1 is not utf-8 text)", id="unreadable"),
        pytest.param(finding("missing", 2), "broken: 'n' is never null; it is missing 2 times", id="files without the column"),
        pytest.param(finding("unit", 1, reason="manifest: 'units' is no text"), "broken: 'n' is never null; 1 time (manifest: 'units' is no text)", id="declaration"),
    ],
)  # fmt: skip
def test_a_finding_is_one_sentence(found: Finding, words: str) -> None:
    """S3-015."""
    assert message(found) == words


def test_what_is_kept_needs_no_step_and_everything_else_has_one() -> None:
    assert next_step(finding("null", 0, Outcome.KEPT)) == ""
    assert next_step(finding("coverage")) == "fetch the missing part and deliver the partition again"
    assert next_step(finding("null", 0, Outcome.UNJUDGED)).startswith("fill in the values at the source")


def test_a_key_that_is_published_already_has_a_step_of_its_own() -> None:
    """The key is no fault of a source, as a repeated one is."""
    promise = Obligation("key.published", "key", NewKey(("n",)), Layer.ROWS)
    found = Finding(promise, Outcome.BREACHED, 2, details={"rows": 5})
    assert message(found) == "broken: (n) is not published yet; 2 of 5 rows break it"
    assert next_step(found) == "deliver only keys that are not published yet, or release the contract with mode: upsert"


PARTS = (
    Part("NL11", PartState.COMPLETE, 3),
    Part("NL12", PartState.MISSING, None),
    Part("<extra>", PartState.UNEXPECTED, 1),
)


def report_of(*findings: Finding, **terms: Any) -> ValidationReport:
    about = {
        "contract": "cases",
        "version": "1.0.0",
        "contract_digest": "c",
        "partition": "2026-10-01",
        "submission": "s" * 64,
        "candidate_digest": "d",
    }
    return ValidationReport(**{**about, "as_of": AS_OF, "rows": 1200, "findings": findings, **terms})


def test_a_report_says_its_verdict_first() -> None:
    report = report_of(
        finding("null", 0, Outcome.KEPT), finding("range", 2, rows=1200), parts=PARTS, unverified=("It rained.",)
    )
    assert list(report_lines(report, Decision(Verdict.REFUSE, ("range",)))) == [
        "refuse: cases 1.0.0 2026-10-01, 1,200 rows",
        "    1 of 2 obligations kept (submission ssssssssssss)",
        "  error  range: broken: 'n' is never null; 2 of 1,200 rows break it",
        "         look for typing errors, wrong signs and units at the source, or release a version with wider bounds",
        "   part  NL12: missing",
        "   part  <extra>: unexpected",
        "   note  not verified: It rained.",
    ]


APART = Decision(Verdict.PUBLISH_WITH_QUARANTINE, ("range", "key"), ("blank",), 3)
BROKEN = (
    replace(finding("range", 2, rows=1200), in_rows=True),
    replace(finding("key", 1, rows=2), in_rows=True),
    replace(finding("blank", 5, rows=1200), in_rows=True),
)


def test_a_report_says_how_many_rows_go_to_quarantine_why_and_where() -> None:
    """S3-019, S3-033: and that the others may be published."""
    lines = list(report_lines(report_of(*BROKEN[:2], broken_rows=3), APART))
    assert lines == [
        "publish_with_quarantine: cases 1.0.0 2026-10-01, 1,200 rows",
        "    0 of 2 obligations kept (submission ssssssssssss)",
        "    3 of 1,200 rows go to quarantine/cases (range, key); the other 1,197 may be published",
        "  error  range: broken: 'n' is never null; 2 of 1,200 rows break it",
        "         kept apart in quarantine; look for typing errors, wrong signs and units at the source, or release a version with wider bounds",
        "  error  key: broken: 'n' is never null; 1 value held by 2 rows",
        "         kept apart in quarantine; find out which source repeats the key and deliver one row for each",
    ]
    assert max(len(line) for line in lines) <= 140


def test_a_document_says_what_is_kept_apart_and_why() -> None:
    found = check_document(report_of(*BROKEN, broken_rows=3), APART)
    assert (found["verdict"], found["quarantined"], found["reasons"], found["explanations"]) == (
        "publish_with_quarantine",
        3,
        ["range", "key"],
        [],
    )
    assert check_document(report_of(), Decision(Verdict.PUBLISH))["quarantined"] == 0


def test_a_report_says_which_budget_was_exceeded_and_what_to_do() -> None:
    told = "3 of 1,200 rows break a rule, and at most 2 may go to quarantine"
    decision = Decision(Verdict.REFUSE, ("range", "quarantine.max_rows"), explanations=(told,))
    report = report_of(BROKEN[0], broken_rows=3)
    assert list(report_lines(report, decision))[-2:] == [
        f"  error  quarantine.max_rows: {told}",
        "         correct the rows at the source and deliver again, or release a contract version with a larger budget",
    ]
    assert decision_words(report, decision) == told
    assert check_document(report, decision)["explanations"] == [told]


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        pytest.param((BROKEN[0], finding("coverage")), "nothing of it may be published: coverage is about the whole delivery, not about single rows", id="one"),
        pytest.param((finding("unit"), finding("coverage")), "nothing of it may be published: unit, coverage are about the whole delivery, not about single rows", id="two"),
        pytest.param((finding("null", 0, Outcome.UNJUDGED),), "nothing of it may be published: null could not be judged", id="P05 unjudged"),
    ],
)  # fmt: skip
def test_a_refusal_beside_a_quarantine_names_what_is_about_the_whole(findings: tuple[Finding, ...], words: str) -> None:
    """S3-019."""
    decision = Decision(Verdict.REFUSE, tuple(item.id for item in findings))
    assert decision_words(report_of(*findings, broken_rows=2), decision) == words


def test_a_decision_is_one_sentence() -> None:
    many = Decision(Verdict.REFUSE, ("a", "b", "c", "d", "e"))
    assert decision_words(report_of(), many) == "nothing of it may be published (a, b, c and 2 more)"
    assert decision_words(report_of(), Decision(Verdict.PUBLISH)) == "all 1,200 rows may be published"
    assert decision_words(report_of(rows=1), Decision(Verdict.PUBLISH)) == "1 row may be published"
    one = Decision(Verdict.PUBLISH_WITH_QUARANTINE, ("a",), quarantined=1)
    assert decision_words(report_of(), one).startswith("1 of 1,200 rows goes to quarantine/cases (a)")


def test_what_only_warned_by_the_contract_s_word_says_so() -> None:
    """S3-021: an error that is let through is told once, and not as if it had held anything back."""
    let_through = Decision(Verdict.PUBLISH, (), ("range",))
    assert consequence(BROKEN[0], let_through) == "published all the same, as on_breach: warn says"
    assert sum("range" in line for line in report_lines(report_of(BROKEN[0]), let_through)) == 1
    assert consequence(BROKEN[0], Decision(Verdict.REFUSE, ("range",))) == ""


@pytest.mark.parametrize(
    ("enforcement", "words"),
    [
        ("fail", "one breach and nothing is published"),
        ("warn", "rows that break a rule are told, and published all the same"),
        ("quarantine", "rows that break a rule are kept apart; what is broken for the whole delivery refuses it"),
        ('quarantine, quarantine: {max_rows: 1000, max_rate: "2.5%"}', "rows that break a rule are kept apart, at most 1,000 and at most 2.5% of the rows; what is broken for the whole delivery refuses it"),
    ],
)  # fmt: skip
def test_a_budget_has_words(enforcement: str, words: str) -> None:
    text = f"contract: a\nversion: '1.0.0'\nfields:\n  - {{name: n, type: integer}}\nenforcement: {{on_breach: {enforcement}}}\n"
    assert budget_words(contract_of(text.encode())) == words


def test_a_document_keeps_the_five_states_of_parts_apart() -> None:
    """S2-016."""
    found = check_document(report_of(parts=PARTS, partition=None), Decision(Verdict.PUBLISH))
    assert found["parts"] == [
        {"part": "NL11", "state": "complete", "rows": 3},
        {"part": "NL12", "state": "missing", "rows": None},
        {"part": "<extra>", "state": "unexpected", "rows": 1},
    ]
    assert (found["partition"], found["verdict"], found["as_of"]) == (None, "publish", "2026-10-02T09:00:00+00:00")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0s"),
        (59, "59s"),
        (60, "1m"),
        (3661, "1h 1m"),
        (86_400, "1d"),
        (90_061, "1d 1h"),
        (86_405, "1d 5s"),
        (-3600, "-1h"),
        (31_536_000_000, "365000d"),
    ],
)
def test_an_age_has_its_two_largest_units(seconds: int, words: str) -> None:
    assert age_words(seconds) == words
