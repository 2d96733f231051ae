"""A failed submission and its retry side by side: which two, what was mended, what is still broken, and what came in."""

import pytest

from contract_core.errors import WrongUsageError
from contract_core.operations.attempts_compared import Attempt, chosen, compared, last_decision
from contract_core.operations.stored_files import files_of
from contract_core.publication.history import decisions
from contract_core.publication.submit import judge_again
from contract_core.rendering.attempts import comparison_document, comparison_lines
from tests.publication.correcting import CASES, FIRST, SECOND, Desk, lines

TEXT = "region,day,n\nNL,2026-10-01,{}\nBE,2026-10-01,{}\nDE,2026-10-01,{}\n"


@pytest.fixture
def desk(tmp_path) -> Desk:
    return Desk.of(
        tmp_path, CASES.replace("{name: region, type: string}", '{name: region, type: string, pattern: "[A-Z]{2}"}')
    )


def pair(desk, partition=None, *submissions):
    return chosen(desk.contract, desk.ledger.entries(), partition, submissions)


def told(desk, partition=FIRST, *submissions):
    entries = desk.ledger.entries()
    sides = [(record, last_decision(record, entries)) for record in pair(desk, partition, *submissions)]
    return compared(*(Attempt(record, entry, files_of(entry, desk.places.candidates)) for record, entry in sides))


def counts(steps):
    return [(step.rule, step.first and step.first.breaches, step.second and step.second.breaches) for step in steps]


def test_rules_are_mended_still_broken_or_newly_broken_with_their_counts(desk):
    """[S2-042]"""
    desk.judged("region,day,n\nNL,2026-10-01,-1\nbe,2026-10-01,-2\nde,2026-10-01,seven\n")
    desk.judged("region,day,n\nNL,2026-10-01,-1\nNL,2026-10-01,2\nDE,2026-10-02,3\n")
    found = told(desk)
    assert counts(found.mended) == [("region.pattern", 2, None), ("n.type", 1, None)]
    assert counts(found.still_broken) == [("n.range", 2, 1)]
    assert counts(found.newly_broken) == [("key", None, 1), ("partition", None, 1)]
    assert list(comparison_lines(found))[6:11] == [
        "mended        region.pattern: 2",
        "mended        n.type: 1",
        "still broken  n.range: 2 → 1",
        "newly broken  key: 1",
        "newly broken  partition: 1",
    ]


def test_the_input_that_was_judged_and_the_outcome_stand_beside_one_another(desk):
    """[S2-042] Submission, candidate and contract version of each, when it came, and what became of it."""
    refused = desk.judged(lines(NL=-1))
    accepted = desk.published(lines(NL=1, BE=2))
    shown = comparison_document(told(desk))
    assert [shown[which]["submission"] for which in ("first", "second")] == [
        refused.candidate.submission, accepted.candidate.submission,
    ]  # fmt: skip
    assert [shown[which]["candidate"] for which in ("first", "second")] == [
        refused.candidate.digest,
        accepted.candidate.digest,
    ]
    assert [
        (shown[which]["version"], shown[which]["rows"], shown[which]["outcome"]) for which in ("first", "second")
    ] == [
        ("1.0.0", 1, "refused"),
        ("1.0.0", 2, "published"),
    ]
    assert (shown["first"]["received_at"], shown["second"]["decided_at"]) == (
        "2026-10-03T10:00:00+00:00",
        "2026-10-03T11:00:00+00:00",
    )
    assert (shown["same_contract"], shown["mended"]) == (
        True,
        [{"rule": "n.range", "first": {"breaches": 1, "unjudged": False, "only_warns": False}, "second": None}],
    )


def test_files_are_told_by_name_rows_and_bytes(desk):
    """[S2-042]"""
    desk.judged(lines(NL=-1))
    desk.judged(lines(NL=1, BE=2))
    assert list(comparison_lines(told(desk)))[-2:] == [
        "files         1.csv: only in the first, 1 row",
        "files         2.csv: only in the second, 2 rows",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(lines(NL=1, BE=2), "files         1.csv: 1 row → 2 rows, other bytes", id="another content"),
        pytest.param("region,day,n\nNL\n", "files         1.csv: 1 row → unreadable, other bytes", id="unreadable"),
    ],
)
def test_a_file_of_the_same_name_is_held_against_itself(desk, text, words):
    desk.judged(lines(NL=-1))
    desk.hours = 0
    desk.judged(text)
    assert list(comparison_lines(told(desk)))[-1] == words


def test_files_with_the_same_bytes_are_counted(tmp_path):
    """The same files under a later contract version are another submission."""
    desk = Desk.of(tmp_path)
    desk.judged(lines(NL=-1))
    desk.hours, desk.contract = 0, Desk.of(tmp_path, CASES.replace("1.0.0", "1.1.0").replace(", min: 0}", "}")).contract
    desk.judged(lines(NL=-1))
    found = told(desk)
    assert [step.is_same for step in found.files] == [True]
    assert list(comparison_lines(found))[-3:] == [
        "the contract is another text for the second: a rule that is not broken there may be gone from it",
        "mended        n.range: 1",
        "files         1 with the same bytes in both",
    ]
    assert comparison_document(found)["same_contract"] is False


def test_where_a_candidate_was_cleaned_away_it_says_so_and_tells_the_rest(desk):
    """[S2-042]"""
    refused = desk.judged(lines(NL=-1))
    desk.judged(lines(NL=1))
    refused.candidate.path.unlink()
    found = told(desk)
    assert counts(found.mended) == [("n.range", 1, None)]
    assert list(comparison_lines(found))[-1] == (
        "files         of the first: its candidate is not stored any more, so that its files are not known"
    )
    shown = comparison_document(found)
    assert (shown["files"], shown["first"]["files"], len(shown["second"]["files"])) == (None, None, 1)


def test_what_could_not_be_judged_is_told_apart_from_what_was_counted(desk):
    desk.judged("region,day\nNL,2026-10-01\n")
    desk.judged(lines(NL=-1))
    found = told(desk)
    assert [(step.rule, step.first.is_unjudged, step.second.breaches) for step in found.still_broken] == [
        ("n.range", True, 1)
    ]
    assert "still broken  n.range: not judged → 1" in comparison_lines(found)


def test_a_budget_that_is_exceeded_and_a_rule_that_only_warns_are_told_as_such(tmp_path):
    text = CASES.replace("true, min: 0}", "true, min: 0, severity: {range: warn}}").replace(
        "{name: region, type: string}", '{name: region, type: string, pattern: "[A-Z]{2}"}'
    )
    desk = Desk.of(tmp_path, text + "enforcement: {on_breach: quarantine, quarantine: {max_rows: 1}}\n")
    desk.judged(lines(nl=-1, be=2, DE=3))
    desk.judged(lines(nl=-1, BE=2, DE=3))
    assert list(comparison_lines(told(desk)))[6:9] == [
        "mended        quarantine.max_rows: exceeded",
        "still broken  region.pattern: 2 → 1",
        "still broken  n.range: 1, as before (only warns)",
    ]


def test_two_that_keep_everything_differ_in_what_they_restate(desk):
    desk.published(lines(NL=1))
    desk.published(lines(NL=2))
    shown = list(comparison_lines(told(desk)))
    assert "    replaces 1 published row: 1 key restated (n 1)" in shown
    assert "both keep every rule" in shown


def test_of_a_partition_the_last_two_submissions_are_meant(desk):
    """[S2-042]"""
    judged = [desk.judged(lines(NL=number)) for number in (-1, -2, -3)]
    desk.judged(lines(SECOND, NL=-1), SECOND)
    assert [record.submission for record in pair(desk, FIRST)] == [each.candidate.submission for each in judged[1:]]


def test_without_a_partition_the_last_that_failed_and_the_next_of_its_partition_are_meant(desk):
    """[S2-042] A refusal that nothing followed has nothing to be compared with."""
    failed = desk.judged(lines(NL=-1))
    desk.published(lines(SECOND, NL=1), SECOND)
    retry = desk.published(lines(NL=1))
    desk.published(lines(NL=2))
    desk.judged(lines("2026-10-03", NL=-1), "2026-10-03")
    assert [record.submission for record in pair(desk)] == [failed.candidate.submission, retry.candidate.submission]


def test_a_submission_that_is_judged_again_stays_where_it_was(desk):
    failed, retry = desk.judged(lines(NL=-1)), desk.judged(lines(NL=1))
    judge_again(desk.contract, FIRST, desk.places, desk.at, desk.at)
    assert [record.submission for record in pair(desk, FIRST)] == [
        failed.candidate.submission,
        retry.candidate.submission,
    ]


def test_two_submissions_can_be_named_by_their_first_letters(desk):
    """[S2-042]"""
    one, _, three = (desk.judged(lines(NL=number)) for number in (-1, -2, -3))
    named = (three.candidate.submission[:12], one.candidate.submission)
    assert [record.submission for record in pair(desk, None, *named)] == [
        three.candidate.submission,
        one.candidate.submission,
    ]


@pytest.mark.parametrize(
    ("partition", "submissions", "what"),
    [
        pytest.param(SECOND, (), "cases/2026-10-02: 0 submissions of it decided", id="nothing decided"),
        pytest.param(None, (), "cases: no submission that failed was followed", id="nothing failed"),
        pytest.param(None, ("a" * 64,), "SUBMISSION: 1 named", id="one named"),
        pytest.param(None, ("zz", "yy"), "SUBMISSION: 'zz' begins no submission", id="unknown"),
        pytest.param(None, ("", ""), "SUBMISSION: '' begins no submission", id="empty"),
        pytest.param("october", (), "the partition is no day", id="no partition of the contract"),
    ],
)
def test_where_there_are_no_two_it_says_so(desk, partition, submissions, what):
    desk.published(lines(NL=1))
    desk.published(lines(NL=2))
    with pytest.raises(WrongUsageError, match=what):
        pair(desk, partition, *submissions)


def test_one_submission_is_not_compared_with_itself(desk):
    shown = desk.published(lines(NL=1)).candidate.submission
    with pytest.raises(WrongUsageError, match="named twice"):
        pair(desk, None, shown, shown[:20])


def test_an_ambiguous_beginning_is_refused(desk):
    for number in range(17):  # sixteen hexadecimal digits begin sixteen submissions at most
        desk.judged(lines(NL=-1 - number))
    first = [record.submission[0] for record in decisions(desk.ledger.entries())]
    shared = max(first, key=first.count)
    with pytest.raises(WrongUsageError, match=f"'{shared}' begins more than one submission"):
        pair(desk, None, shared, shared)


def test_a_table_without_partitions_compares_its_last_two(tmp_path):
    text = "\n".join(line for line in CASES.splitlines() if not line.startswith("delivery"))
    desk = Desk.of(tmp_path, text)
    judged = [desk.judged(lines(NL=number), None) for number in (-1, 1)]
    assert [record.submission for record in pair(desk)] == [each.candidate.submission for each in judged]
