"""The published table as a second line of defence, from the command line: what it enforces, set up ahead, kept up, never forced."""

import json
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from tests.commands import Run

TABLE = Path("data/published/cases")
PUBLISH = ("publish", "cases.yaml", "good.csv", "--partition", "2026-10-01")
BAD = pl.DataFrame({"region": ["NL"], "day": ["2026-10-01"], "count": [-7]}).with_columns(pl.col("day").str.to_date())


def constraints() -> dict[str, str]:
    named = DeltaTable(TABLE).metadata().configuration
    return {key: text for key, text in named.items() if key.startswith("delta.constraints.gate_")}


def commits() -> list[str]:
    return [commit["operation"] for commit in reversed(DeltaTable(TABLE).history())]


def test_each_promise_is_told_with_the_place_where_it_is_enforced(run: Run) -> None:
    """S1-008, S1-055: a key is information for the target, and the gate's to enforce."""
    code, out, _ = run("show", "cases.yaml", "--enforcement")
    assert code == 0
    lines = {line.split(":")[0].strip(): line for line in out.splitlines()}
    assert "+ target constraint gate_count_range_" in lines["count.range"]
    assert lines["key"].endswith("informational on the target; the gate itself enforces it")
    told = json.loads(run("show", "cases.yaml", "--enforcement", "--json")[1])
    assert {item["id"]: item["target"] for item in told["obligations"]}["key"] == "informational"


def test_constraints_can_be_set_up_before_anything_is_published(run: Run) -> None:
    """S1-050, S1-051, S1-054: told first, done on demand, and then there is nothing left to do."""
    code, out, _ = run("constrain", "cases.yaml")
    assert (code, TABLE.exists()) == (1, False)
    assert "add constraint gate_count_range_" in out
    assert "raise the writer protocol" in out
    assert run("constrain", "cases.yaml", "--apply")[0] == 0
    assert not any(field.nullable for field in DeltaTable(TABLE).schema().fields if field.name in ("region", "count"))
    before = constraints()
    assert run("constrain", "cases.yaml")[0] == 0
    assert run(*PUBLISH)[0] == 0
    assert (constraints(), commits()[-1]) == (before, "WRITE")
    assert commits().count("ADD CONSTRAINT") == 1


def test_the_first_row_finds_the_constraints_in_place(run: Run) -> None:
    """S1-051: creation, constraints, rows, in this order."""
    run(*PUBLISH)
    operations = commits()
    assert operations[0] == "CREATE TABLE"
    assert operations.index("ADD CONSTRAINT") < len(operations) - 1
    assert operations[-1] == "WRITE"
    assert "submission" in DeltaTable(TABLE).history(1)[0]


def test_a_writer_that_passes_the_gate_by_fails(run: Run) -> None:
    """S1-007, S1-052"""
    run(*PUBLISH)
    before = DeltaTable(TABLE).version()
    with pytest.raises(DeltaError):
        write_deltalake(TABLE, BAD, mode="append")
    assert DeltaTable(TABLE).version() == before


def test_constraints_that_somebody_took_away_are_back_before_the_next_row(run: Run) -> None:
    """S1-051: nothing is written to a target whose constraints are missing."""
    run(*PUBLISH)
    rules = {key for key in constraints() if "_null_" not in key}  # against null the columns themselves are NOT NULL
    for key in constraints():
        DeltaTable(TABLE).alter.drop_constraint(key.removeprefix("delta.constraints."))
    code, out, _ = run("constrain", "cases.yaml")
    assert (code, "somebody else changed the constraints" in out) == (1, True)
    Path("corrected.csv").write_text(Path("good.csv").read_text().replace("12", "13"))
    assert run("publish", "cases.yaml", "corrected.csv", "--partition", "2026-10-01")[0] == 0
    assert constraints().keys() == rules


def test_rows_that_were_written_past_the_gate_stop_the_next_publication(run: Run) -> None:
    """S1-053, S1-051: with their number, and nothing is forced."""
    run(*PUBLISH)
    for key in constraints():
        DeltaTable(TABLE).alter.drop_constraint(key.removeprefix("delta.constraints."))
    write_deltalake(TABLE, BAD, mode="append")
    version = DeltaTable(TABLE).version()
    Path("next.csv").write_text(Path("good.csv").read_text().replace("2026-10-01", "2026-10-02"))
    code, _, err = run("publish", "cases.yaml", "next.csv", "--partition", "2026-10-02")
    assert (code, DeltaTable(TABLE).version()) == (2, version)
    assert "1 published rows break 'count.range'" in err
    assert "-7" not in err


def test_a_table_that_other_engines_write_to_is_not_raised_without_being_asked(run: Run) -> None:
    """S1-054: announced before it is done."""
    run(*PUBLISH)
    for key in constraints():
        DeltaTable(TABLE).alter.drop_constraint(key.removeprefix("delta.constraints."))
    log = sorted((TABLE / "_delta_log").glob("*.json"))
    for file in log:  # a table of writer version 2, as another engine would have left it
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for line in lines:
            if "protocol" in line:
                line["protocol"] = {"minReaderVersion": 1, "minWriterVersion": 2}
            if file == log[-1] and "commitInfo" in line:
                line["commitInfo"]["engineInfo"] = "Apache-Spark/3.5.0 Delta-Lake/3.2.0"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, _ = run("constrain", "cases.yaml")
    assert (code, "Apache-Spark/3.5.0" in out) == (1, True)
    code, _, err = run("constrain", "cases.yaml", "--apply")
    assert (code, "Apache-Spark/3.5.0" in err) == (2, True)
    assert run("constrain", "cases.yaml", "--apply", "--allow-upgrade")[0] == 0
    assert DeltaTable(TABLE).protocol().min_writer_version == 3


def test_what_is_done_is_told_as_one_document(run: Run) -> None:
    told = json.loads(run("constrain", "cases.yaml", "--json")[1])
    assert (told["contract"], told["changed"], told["raises_protocol"]) == ("cases", False, True)
    assert any(name.startswith("gate_count_range_") for name in told["add"])


def test_checking_a_contract_is_not_checking_data(run: Run) -> None:
    """S1-082: two commands, and two codes: a contract in order says nothing of a delivery."""
    assert run("lint", "cases.yaml")[0] == 0
    assert run("lint", "cases.yaml", "bad.csv")[0] == 2
    assert run("check", "cases.yaml", "bad.csv", "--partition", "2026-10-01")[0] == 1
