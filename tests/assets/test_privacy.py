"""No value from the data is in any event of any run, whatever goes wrong (S1-063, S1-064, S1-092, S3-015)."""

from dataclasses import replace

import dagster as dg
import pytest

from contract_assets.failures import told_to_dagster
from tests.assets.bench import BY_REGION, CASES, DAY, FRESH, MARKER, WHOLE, contract_of, csv, everything_told
from tests.assets.test_recheck import recheck
from tests.assets.test_sensors import tick

PLANTED = {
    "a value that does not decode": csv(("NL", DAY, MARKER)),
    "a value against its pattern": csv((MARKER, DAY, 1)),
    "a day that is none": csv(("NL", MARKER, 1)),
    "a repeated key": csv((MARKER, DAY, 1), (MARKER, DAY, 1)),
    "an undeclared column": csv(("NL", DAY, 1, "x"), header=f"region,day,n,{MARKER}"),
    "a header that is none": csv((MARKER,), header=MARKER),
    "a row too long": csv(("NL", DAY, 1, MARKER)),
    "an open quote": csv(("NL", DAY, f'"{MARKER}')),
    "no text at all": f"region,day,n\n\x00\xff{MARKER}",
}


@pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("contract", [FRESH, WHOLE], ids=["daily", "whole"])
def test_a_planted_value_is_in_no_event_of_a_refused_run(bench, contract, text):
    bench.contract = contract_of(contract)
    partition = DAY if contract == FRESH else None
    assert not bench.take(text, partition).success
    assert not bench.run(bench.published, partition=partition).success
    assert not recheck(bench, partition).success
    assert MARKER not in everything_told(bench.instance)
    assert MARKER not in repr(bench.ledger.entries())


def test_a_planted_value_is_in_no_event_of_an_accepted_run_that_warns(bench):
    text = CASES.replace(
        "  - {name: n,", "  - {name: note, type: string, max_length: 3, severity: {length: warn}}\n  - {name: n,"
    )
    bench.contract = contract_of(text)
    assert bench.take(csv(("NL", DAY, MARKER, 1), header="region,day,note,n")).success
    assert MARKER not in everything_told(bench.instance)


def test_a_table_that_takes_no_rows_tells_no_row(bench, monkeypatch):
    """delta-rs prints rows into its errors."""
    from contract_core.publication import commits

    def failing(*_: object, **__: object) -> None:
        raise RuntimeError(f"Invalid data found: {MARKER}")

    monkeypatch.setattr(commits, "write_deltalake", failing)
    assert not bench.take(csv(("NL", DAY, 1))).success
    assert MARKER not in everything_told(bench.instance)


def test_a_sensor_tells_only_the_names_of_partitions(bench):
    bench.contract = contract_of(BY_REGION)
    bench.land(csv((MARKER, DAY, 1)), "NL")
    assert MARKER not in repr(tick(bench))


LEAKS = {"an error": ValueError(MARKER), "a panic": type("PanicException", (BaseException,), {})(MARKER)}


@pytest.mark.parametrize("error", LEAKS.values(), ids=LEAKS)
def test_what_a_library_says_is_withheld_at_the_edge(error):
    with pytest.raises(dg.Failure) as caught, told_to_dagster():
        raise error
    assert MARKER not in caught.value.description
    assert caught.value.__suppress_context__


def test_an_interruption_is_left_alone():
    with pytest.raises(KeyboardInterrupt), told_to_dagster():
        raise KeyboardInterrupt


def test_a_contract_for_another_root_sees_nothing_of_this_one(bench, tmp_path):
    bench.take(csv(("NL", DAY, 1)))
    elsewhere = replace(bench, root=tmp_path / "elsewhere")
    assert not elsewhere.run(elsewhere.published).success
