"""For how long a contract that only warns has been quiet, by the ledger, and when it could hold publication back."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contract_core.contract.model import Contract
from contract_core.operations.quiet import Quiet, quiet_of
from contract_core.publication.decision import Verdict
from contract_core.publication.entry import Event, LedgerEntry
from contract_core.rendering.history import quiet_document, quiet_lines
from tests.contract.texts import HEAD, contract_of

FIELDS = 'fields:\n  - {name: n, type: integer, min: 0, severity: {"null": warn}}\n  - {name: day, type: date}\n'
WARNING = contract_of(HEAD + FIELDS + "enforcement: {on_breach: warn}\n")
START = datetime(2026, 10, 1, tzinfo=UTC)


def decided(number: int, *broken: str, day: int | None = None, contract: Contract = WARNING) -> LedgerEntry:
    """The decision about one submission, on a day of its own unless another is named."""
    return LedgerEntry(
        Event.DECIDED, "cases", contract.version, contract.digest, f"p{number % 3}", f"s{number}", "d", Verdict.PUBLISH, "r", 9,
        START, START + timedelta(days=number if day is None else day), breached=broken, warned=broken, sequence=number, identity=f"{number}",
    )  # fmt: skip


def quiet(*entries: LedgerEntry, days: int = 30) -> Quiet:
    found = quiet_of(WARNING, entries, START + timedelta(days=days))
    assert found is not None
    return found


def run_of(count: int) -> tuple[LedgerEntry, ...]:
    return tuple(decided(number) for number in range(count))


@pytest.mark.parametrize("mode", ["fail", "quarantine"])
def test_only_a_contract_that_warns_is_counted(mode: str) -> None:
    contract = contract_of(HEAD + FIELDS + f"enforcement: {{on_breach: {mode}, quarantine: {{max_rows: 1}}}}\n")
    assert quiet_of(contract, run_of(3), START) is None


@pytest.mark.parametrize(
    ("entries", "submissions", "since"),
    [
        pytest.param((), 0, None, id="nothing decided"),
        pytest.param(run_of(4), 4, 0, id="all quiet"),
        pytest.param((decided(0, "n.range"), decided(1), decided(2)), 2, 1, id="quiet since the breach"),
        pytest.param((decided(0), decided(1, "n.range")), 0, None, id="a breach at the end"),
        pytest.param((decided(0), decided(1, "n.null")), 2, 0, id="a rule that warns by itself is no noise"),
        pytest.param((decided(0, "gone.enum"), decided(1)), 1, 1, id="a rule that nobody knows any more is noise"),
        pytest.param((decided(0, "n.range"), replace(decided(0, day=3), sequence=9)), 1, 3, id="decided again, the last counts"),
        pytest.param((decided(0), replace(decided(0, day=3), sequence=9)), 1, 3, id="decided again, one submission"),
        pytest.param((decided(0), replace(decided(1), unjudged=("n.range",))), 0, None, id="what was not judged is noise"),
        pytest.param((decided(0), replace(decided(1), event=Event.PUBLISHED, breached=("n.range",))), 1, 0, id="decisions alone count"),
        pytest.param((replace(decided(0), contract_digest="another"), decided(1)), 1, 1, id="another text was another question"),
        pytest.param((decided(0), decided(31, "n.range")), 1, 0, id="what comes later is not known yet"),
    ],
)  # fmt: skip
def test_the_quiet_run_goes_back_to_the_last_breach(
    entries: tuple[LedgerEntry, ...], submissions: int, since: int | None
) -> None:
    """[S4-026]"""
    found = quiet(*entries)
    assert found.submissions == submissions
    assert found.since == (None if since is None else START + timedelta(days=since))


@pytest.mark.parametrize(
    ("count", "days", "can_block"),
    [
        pytest.param(10, 9, True, id="ten over nine days"),
        pytest.param(9, 9, False, id="nine"),
        pytest.param(10, 7, True, id="seven days after the first"),
        pytest.param(10, 6, False, id="six days"),
    ],
)
def test_it_can_block_after_ten_quiet_submissions_and_seven_days(*, count: int, days: int, can_block: bool) -> None:
    """[S4-026] Warn mode until the noise is gone, then blocking, for that one dataset."""
    entries = tuple(decided(number, day=0) for number in range(count))
    assert quiet(*entries, days=days).can_block is can_block


def test_noise_is_counted_by_rule_in_the_last_submissions() -> None:
    """[S4-026] Counters show the noise."""
    entries = (
        decided(0, "day.null"),
        *(decided(n, "n.range", "key") for n in (1, 2)),
        decided(3, "key"),
        *(decided(n) for n in range(4, 11)),
    )
    found = quiet(*entries)
    assert dict(found.noise) == {"key": 3, "n.range": 2}
    assert (found.decided, found.submissions, found.partitions) == (11, 7, 3)


@pytest.mark.parametrize(
    ("entries", "lines"),
    [
        pytest.param((), ["    on_breach: warn; nothing was decided under this text yet", "    still lacks for on_breach: fail: 10 more quiet submissions and 7d more (of 10 and 7 days)"], id="nothing"),
        pytest.param(
            (decided(0), decided(1, "n.range")),
            ["    on_breach: warn; the last submission had breaches", "    still lacks for on_breach: fail: 10 more quiet submissions and 7d more (of 10 and 7 days)", "    not kept in the last 2: n.range (1)"],
            id="noise",
        ),
        pytest.param(
            (decided(0, "key"), decided(28)),
            ["    on_breach: warn; quiet for 1 submission since 2026-10-29 00:00:00Z, 2d", "    still lacks for on_breach: fail: 9 more quiet submissions and 5d more (of 10 and 7 days)", "    not kept in the last 2: key (1)"],
            id="quiet for a while",
        ),
        pytest.param(
            run_of(12),
            ["    on_breach: warn; quiet for 12 submissions since 2026-10-01 00:00:00Z, 30d", "    it can hold publication back now: write on_breach: fail, or quarantine, under a new version"],
            id="quiet enough",
        ),
    ],
)  # fmt: skip
def test_it_is_told_in_words(entries: tuple[LedgerEntry, ...], lines: list[str]) -> None:
    assert list(quiet_lines(quiet(*entries))) == lines


def test_it_is_told_as_json() -> None:
    assert quiet_document(quiet(decided(0, "key"), decided(29))) == {
        "decided": 2, "submissions": 1, "partitions": 1, "since": "2026-10-30T00:00:00+00:00", "quiet_seconds": 86_400, "needed_submissions": 10,
        "needed_seconds": 604_800, "can_block": False, "noise": {"key": 1},
    }  # fmt: skip


def test_nothing_is_told_of_a_contract_that_holds_back() -> None:
    assert (list(quiet_lines(None)), quiet_document(None)) == ([], None)
