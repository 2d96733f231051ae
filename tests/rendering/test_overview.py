"""The status as a person reads it: what is shown, one sign for each partition, what is wrong, what to do and who does it."""

import pytest

from contract_core.publication.entry import Event, LedgerEntry
from contract_core.rendering.coverage import DRAWN, PLAIN
from contract_core.rendering.overview import overview_lines, standing_document, standing_lines
from contract_core.rendering.styled import plain_text
from tests.rendering.standings import (
    DUE,
    FRESH,
    OWNED,
    TEXT,
    VALUES,
    WHOLE,
    event,
    failed,
    published,
    refused,
    standing,
)

GOOD = tuple(entry for day in range(1, 7) for entry in published(f"2026-10-0{day}", 24 * (6 - day) + 13, f"{day}"))
PRODUCER = "             to act: the producer, onboarding (team:onboarding)"


def said(text: str, entries: tuple[LedgerEntry, ...], width: int = 140) -> list[str]:
    return [plain_text(line) for line in standing_lines(standing(text, entries), PLAIN, width)]


def test_where_all_is_well_three_lines_say_it() -> None:
    """[S1-016] [S2-039] The partition, its age, and whether that is as promised."""
    assert said(FRESH, GOOD) == [
        "cases 1.2.0: shows 2026-10-06 and 5 more, 1d 20h old, fresh",
        "    published 2026-10-07 07:00Z, submission 666666666666",
        "    ######~  2026-10-01 to 2026-10-07",
    ]


def test_without_a_promised_age_the_age_is_told_all_the_same() -> None:
    """[S1-034]"""
    assert said(TEXT, GOOD)[0] == "cases 1.2.0: shows 2026-10-06 and 5 more, 1d 20h old"


@pytest.mark.parametrize(
    ("text", "entries", "lines"),
    [
        pytest.param(
            OWNED, (*GOOD[:-2], refused("2026-10-06", 13, "n.range", "key")),
            [
                "    #####X~  2026-10-01 to 2026-10-07",
                "    refused  2026-10-06 since 2026-10-07 07:00Z, 13h: n.range, key",
                "             look for typing errors, wrong signs and units at the source, or release a version with wider bounds",
                "             find out which source repeats the key and deliver one row for each",
                PRODUCER,
            ],
            id="refused",
        ),
        pytest.param(
            OWNED + "recovery: Call the desk.\n",
            (*GOOD, refused("2026-10-06", 5, "key"), refused("2026-10-06", 4, "key", submission="c")),
            [
                "    #####x~  2026-10-01 to 2026-10-07",
                "    refused  2026-10-06 since 2026-10-07 15:00Z, 5h, 2 attempts: key",
                "             find out which source repeats the key and deliver one row for each",
                "             the contract says: Call the desk.",
                PRODUCER,
            ],
            id="a correction, twice",
        ),
        pytest.param(
            OWNED, (*GOOD[:-2], *failed("2026-10-06", 13)),
            [
                "    #####o~  2026-10-01 to 2026-10-07",
                "    failed   2026-10-06 since 2026-10-07 07:00Z, 13h",
                "             the published table did not take it; publish it again and read the message",
                "             to act: whoever runs the gate",
            ],
            id="its publication failed",
        ),
        pytest.param(
            DUE, (*GOOD[:8], *published("2026-10-05", 30)),
            [
                "    ####L.~  2026-10-01 to 2026-10-07",
                "    overdue  2026-10-06 is missing, due 2026-10-07 09:00Z, 11h ago",
                "             deliver the partition: nothing of it has arrived",
                PRODUCER,
                "    late: 1 of the newest 7; the last was 2026-10-05, by 5h",
                "    due next: 2026-10-07, by 2026-10-08 09:00Z",
            ],
            id="overdue",
        ),
        pytest.param(
            DUE, (*GOOD[:4], *GOOD[6:-2], event(Event.DECIDED, "2026-10-03", 40, submission="u"), *GOOD[-2:]),
            [
                "    ##o###~  2026-10-01 to 2026-10-07",
                "    overdue  2026-10-03 was accepted and is not published, due 2026-10-05 09:00Z, 2d 11h ago",
                "             publish it: it was accepted and is not visible",
                "             to act: whoever runs the gate",
                "    due next: 2026-10-07, by 2026-10-08 09:00Z",
            ],
            id="overdue, and accepted",
        ),
        pytest.param(
            FRESH, GOOD[:4],
            [
                "    ##....~  2026-10-01 to 2026-10-07",
                "    silent   nothing was published for 4d 13h, at most 3d is promised; since 2026-10-06 07:00Z, 1d 13h",
                "             find out whether deliveries have stopped, or the pipeline that takes them",
                "             to act: whoever runs the gate, then the producer, onboarding (team:onboarding)",
                "    stale    the newest event is 5d 20h old, at most 2d is promised; since 2026-10-04 00:00Z, 3d 20h",
                "             look for a newer delivery; consumers see old data until it comes",
                PRODUCER,
            ],
            id="old and silent",
        ),
        pytest.param(
            TEXT, (*GOOD[:-2], refused("2026-10-06", 13)),
            [
                "    #####X~  2026-10-01 to 2026-10-07",
                "    refused  2026-10-06 since 2026-10-07 07:00Z, 13h",
                "             to act: nobody is named: the contract has no owners",
            ],
            id="nobody to turn to",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_to_do_and_who(
    text: str, entries: tuple[LedgerEntry, ...], lines: list[str]
) -> None:
    """[S1-016] [S2-030]"""
    assert said(text, entries)[2:] == [
        line.replace(".....  ", "....~  ") if "##....." in line else line for line in lines
    ]


def test_a_partition_that_is_overdue_because_it_was_refused_is_told_once() -> None:
    told = said(DUE, (*GOOD[:-2], refused("2026-10-06", 13, "key")))
    assert [line.split()[0] for line in told if line.startswith("    ") and line[4] in "ro"] == ["refused"]


def test_of_many_a_few_are_named_and_the_rest_is_counted() -> None:
    told = said(DUE, ())
    assert [line.split()[:2] for line in told if line.startswith("    overdue")] == [
        ["overdue", f"2026-10-0{day}"] for day in (6, 5, 4, 3, 2)
    ]
    assert told.count(PRODUCER) == 1
    assert "    and 1 more, the oldest since 2026-10-02 09:00Z" in told


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ((), "    nothing was delivered yet; deliveries land in landing/cases/{partition}/*"),
        ((refused("2026-10-06", 13),), "    nothing was accepted yet; deliveries land in landing/cases/{partition}/*"),
    ],
    ids=["nothing came", "all was refused"],
)
def test_a_contract_without_anything_published_says_where_deliveries_belong(
    entries: tuple[LedgerEntry, ...], line: str
) -> None:
    assert said(TEXT, entries)[:2] == ["cases 1.2.0: nothing is published", line]


def test_partitions_by_value_are_named_and_a_whole_table_has_no_signs() -> None:
    values = tuple(entry for number in range(7) for entry in published(f"{number}", 20 - number, f"{number}"))
    assert said(VALUES, values)[2] == "    #######  0, 1, 2, 3, 4 and 2 more"
    assert said(WHOLE, published(None, 9)) == [
        "cases 1.2.0: shows submission aaaaaaaaaaaa, 9h old",
        "    published 2026-10-07 11:00Z, submission aaaaaaaaaaaa",
    ]


def test_a_retired_contract_says_that_it_is() -> None:
    assert said(FRESH + "status: retired\n", GOOD[:2])[:1] == ["cases 1.2.0 (retired): shows 2026-10-01, 6d 20h old"]


def test_what_needs_somebody_comes_first_and_the_signs_are_explained_once_at_the_end() -> None:
    well, waiting = standing(TEXT.replace("cases", "a_well"), ()), standing(TEXT.replace("cases", "m_well"), ())
    broken = standing(TEXT.replace("cases", "z_broken"), (refused("2026-10-06", 1, "key"),))
    told = [plain_text(line) for line in overview_lines((waiting, broken, well), DRAWN, 110)]
    assert [line.split()[0] for line in told if line[:1].isalpha()] == ["z_broken", "a_well", "m_well"]
    assert told[-3:] == [
        "",
        "■ published  ◧ late  ✗ refused  ▣ refused, an earlier delivery is shown  □ accepted, not published  · missing",
        "… waiting  – none expected",
    ]


def test_without_a_partition_there_are_no_signs_to_explain() -> None:
    told = list(overview_lines((standing(WHOLE, ()),), PLAIN, 80))
    assert "published" not in plain_text(told[-1])


@pytest.mark.parametrize("width", [60, 80, 140])
@pytest.mark.parametrize("text", [DUE, FRESH, VALUES], ids=["due", "fresh", "values"])
def test_lines_are_as_narrow_as_the_terminal(text: str, width: int) -> None:
    entries = (*GOOD[:4], refused("2026-10-03", 60, "n.range", "key", "coverage"), *failed("2026-10-05", 40))
    lines = [plain_text(line) for line in overview_lines((standing(text, entries, 300),), PLAIN, width)]
    assert [line for line in lines if len(line) > width] == []


def test_many_partitions_take_as_many_rows_as_they_need_each_with_its_first_and_last_key() -> None:
    early = TEXT.replace("start: 2026-10-01", "start: 2026-08-01")
    rows = [plain_text(line) for line in standing_lines(standing(early, (), 68), PLAIN, 80)][2:]
    assert [row.split()[1:] for row in rows] == [["2026-08-01", "to", "2026-09-20"], ["2026-09-21", "to", "2026-10-07"]]
    assert sum(row.count(".") + row.count("~") for row in rows) == 68


def test_the_document_has_what_the_text_says() -> None:
    found = standing_document(standing(FRESH, (*GOOD[:4], refused("2026-10-03", 80, "key"))))
    assert (found["stale"], found["age_seconds"], found["silence_seconds"]) == (True, 140 * 3600, 109 * 3600)
    assert found["stale_because"] == [
        "the newest event is 5d 20h old, at most 2d is promised",
        "nothing was published for 4d 13h, at most 3d is promised",
    ]
    assert (found["coverage"]["counts"]["published"], found["coverage"]["partitions"][4]) == (
        2,
        {"partition": "2026-10-03", "state": "refused", "shown": False, "due_at": None, "received_at": None},
    )
    assert [(item["kind"], item["rules"], item["until"]) for item in found["incidents"]] == [
        ("silent", [], None), ("refused", ["key"], None), ("stale", [], None),
    ]  # fmt: skip
