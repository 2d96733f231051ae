"""A part that lands late, in Dagster: the refused partition turns green with the file that was missing, and both attempts are told."""

from dataclasses import replace

from contract_core.publication.entry import Event
from tests.assets.bench import CASES, DAY, Bench, contract_of, csv, outcomes

PARTED = contract_of(f"{CASES}  parts: {{from: file, required: [cases, late]}}\n")
ROWS = csv(("NL", DAY, 1))


def test_the_file_that_was_missing_turns_the_partition_green(bench: Bench) -> None:
    bench = replace(bench, contract=PARTED)
    first = bench.take(ROWS)
    assert not first.success
    assert {name for name, passed in outcomes(first).items() if not passed} == {"coverage"}
    late = bench.root / "landing" / "cases" / DAY / "late.csv"
    late.write_text(csv(("BE", DAY, 2)))
    second = bench.run()
    assert second.success
    assert outcomes(second)["coverage"]
    assert sorted(row[2] for row in bench.shown()) == [1, 2]
    decided = [entry for entry in bench.ledger.entries() if entry.event is Event.DECIDED]
    assert [entry.verdict.value for entry in decided] == ["refuse", "publish"]
    assert len({entry.submission for entry in decided}) == 2
