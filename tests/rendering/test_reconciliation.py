"""What reconciling found, in words and as a document."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contract_core.operations.access import OpenPlace
from contract_core.operations.difference import Difference, Found, Kind
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.publication.stated import REBUILT
from contract_core.rendering.reconciliation import (
    difference_words,
    is_in_order,
    reconciliation_document,
    reconciliation_lines,
)

AT = datetime(2026, 10, 2, 9, 0, tzinfo=UTC)
DAY = "2026-10-01"
ONE = "a" * 64
DECIDED = LedgerEntry(
    Event.DECIDED, "cases", "1.0.0", "c" * 64, DAY, ONE, "d" * 64, Verdict.PUBLISH, "e" * 64, 5, AT, AT
)
PUBLISHED = replace(DECIDED, event=Event.PUBLISHED, table_version=3)
AGREES = Found("cases", Path("data/published/cases"), (0, 12), 4, (), (), ())
LACKS = replace(AGREES, missing=(replace(DECIDED, reason=REBUILT), PUBLISHED, replace(DECIDED, submission="b" * 64)))
DIFFERS = replace(AGREES, differences=(Difference(Kind.OTHER_ROWS, DAY, ONE, recorded=1_000, shown=1_001),))
PLACE = OpenPlace(Path("data/quarantine"), "can be read by everyone", "chmod o-rwx data/quarantine")
BY = "WRITE by delta-rs:py-1.6.6"


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (Difference(Kind.FOREIGN, version=7, actor=BY), f"version 7 ({BY}) changed rows and is no publication of the gate"),
        (Difference(Kind.UNREADABLE, version=7, actor=BY), f"version 7 ({BY}) cannot be read as a publication"),
        (Difference(Kind.UNMARKED, version=7, actor=BY), f"version 7 ({BY}) names a submission and does not bear its mark"),
        (Difference(Kind.ALTERED_CONSTRAINTS), "somebody changed the constraints that the gate had set"),
        (Difference(Kind.LEFT_OUT, DAY, ONE, 7), f"{DAY}: version 7 of submission aaaaaaaaaaaa is not in the ledger, which has a later publication of the partition"),
        (Difference(Kind.NO_TABLE, recorded=1_200), "there is no table, and the ledger has 1,200 publications that it should show"),
        (Difference(Kind.NO_COMMIT, DAY, ONE, 7), f"{DAY}: submission aaaaaaaaaaaa is recorded as version 7, which is not its publication"),
        (Difference(Kind.OTHER_MARK, DAY, ONE), f"{DAY}: the table does not bear the mark of submission aaaaaaaaaaaa, which the ledger has as the last one"),
        (Difference(Kind.OTHER_MARK, DAY), f"{DAY}: the table bears the mark of a publication that the ledger does not know"),
        (Difference(Kind.OTHER_ROWS, DAY, ONE, recorded=1_000, shown=1_001), f"{DAY}: the table shows 1,001 rows, the ledger says 1,000"),
        (Difference(Kind.ROWS_OUTSIDE, shown=1_001), "1,001 rows of the table lie in no partition that the ledger knows"),
        (Difference(Kind.ROWS_UNREADABLE), "the rows of the table cannot be read"),
        (Difference(Kind.QUARANTINE_UNPUBLISHED, DAY, ONE, shown=3), f"{DAY}: 3 rows are in quarantine of submission aaaaaaaaaaaa, which is not published"),
        (Difference(Kind.QUARANTINE_OTHER_ROWS, None, ONE, recorded=3, shown=0), "0 rows are in quarantine of submission aaaaaaaaaaaa, and its decision kept 3 apart"),
        (Difference(Kind.QUARANTINE_UNREADABLE), "its quarantine cannot be read"),
    ],
    ids=lambda given: given.kind.value if isinstance(given, Difference) else "",
)  # fmt: skip
def test_each_kind_of_difference_is_a_sentence_with_what_to_do(difference, words):
    """S1-108: what was found is told with versions, counts and submissions, and without a value."""
    assert difference_words(difference) == words
    _, said, hint = reconciliation_lines(replace(AGREES, differences=(difference,)), is_complete=True)
    assert (said, hint.startswith("        ")) == (f"    {words}", True)


def test_every_kind_has_its_words():
    told = {difference_words(Difference(kind, None, None, 1, 1, 1, BY)) for kind in Kind}
    assert len(told) == len(Kind)


@pytest.mark.parametrize(
    ("found", "is_complete", "lines"),
    [
        pytest.param(AGREES, True, ["cases: 4 publications in versions 0 to 12; table and ledger agree"], id="agrees"),
        pytest.param(replace(AGREES, publications=1), True, ["cases: 1 publication in versions 0 to 12; table and ledger agree"], id="one"),
        pytest.param(replace(AGREES, versions=None), True, ["cases: no table"], id="no table"),
        pytest.param(
            LACKS, True,
            [
                "cases: 4 publications in versions 0 to 12",
                "    2026-10-01 aaaaaaaaaaaa: version 3 recorded, and its decision from what the commit says",
                "    2026-10-01 bbbbbbbbbbbb: said again that it was decided last",
            ],
            id="S1-093 completed",
        ),
        pytest.param(
            replace(LACKS, missing=(replace(PUBLISHED, partition=None), *LACKS.missing[2:])), False,
            [
                "cases: 4 publications in versions 0 to 12",
                "    aaaaaaaaaaaa: version 3 would be recorded",
                "    2026-10-01 bbbbbbbbbbbb: would be said again that it was decided last",
            ],
            id="S1-093 would be completed",
        ),
    ],
)  # fmt: skip
def test_a_contract_is_told_with_what_its_ledger_lacked(found, is_complete, lines):
    assert list(reconciliation_lines(found, is_complete=is_complete)) == lines


@pytest.mark.parametrize(
    ("found", "places", "is_complete", "expected"),
    [
        pytest.param([AGREES], [], True, True, id="agrees"),
        pytest.param([AGREES, LACKS], [], True, True, id="completed"),
        pytest.param([AGREES, LACKS], [], False, False, id="to be completed"),
        pytest.param([AGREES, DIFFERS], [], True, False, id="differs"),
        pytest.param([AGREES], [PLACE], True, False, id="open to others"),
    ],
)
def test_all_is_in_order_where_nothing_differs_and_nothing_waits(found, places, is_complete, expected):
    assert is_in_order(found, places, is_complete=is_complete) is expected
    assert reconciliation_document(found, places, is_complete=is_complete)["agrees"] is expected


def test_the_document_has_names_and_numbers():
    found = replace(LACKS, differences=DIFFERS.differences)
    document = reconciliation_document([found], [PLACE], is_complete=True)
    assert document == {
        "dry_run": False,
        "agrees": False,
        "contracts": [
            {
                "contract": "cases",
                "table": "data/published/cases",
                "versions": {"first": 0, "last": 12},
                "publications": 4,
                "recorded": [{"partition": DAY, "submission": ONE, "version": 3, "decision_rebuilt": True}],
                "said_again": [{"partition": DAY, "submission": "b" * 64}],
                "differences": [
                    {
                        "kind": "other_rows",
                        "partition": DAY,
                        "submission": ONE,
                        "version": None,
                        "recorded": 1_000,
                        "shown": 1_001,
                        "message": f"{DAY}: the table shows 1,001 rows, the ledger says 1,000",
                    }
                ],
            }
        ],
        "open_places": [{"path": "data/quarantine", "what": PLACE.what, "hint": PLACE.hint}],
    }
