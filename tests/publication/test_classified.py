"""What is confidential or restricted stands in the rows and nowhere else: not in a log's statistics, its predicates, or its marks."""

import json
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable

from contract_core.contract.model import Contract
from contract_core.errors import InvalidContractError
from contract_core.publication.classified import STATISTICS
from tests.commands import Run
from tests.publication.samples import CASES, Site, contract_of, rows

HIDDEN = ("zqperson-aa", "zqperson-mm", "zqperson-zz", "zqother-zz")
PRIVATE = CASES.replace("{name: region, type: string}", "{name: region, type: string, classification: restricted}")
MODES = ("replace_partition", "upsert")


def private(mode: str, key: str = "[region]", text: str = PRIVATE) -> Contract:
    by = (
        "" if mode == "append" else f"key: {key}\n"
    )  # these candidates have no row numbers, by which a taken key is told
    return contract_of(f"{text}{by}publication: {{mode: {mode}}}\n")


def told(table: Path) -> str:
    """All that the log of a table says, checkpoints too."""
    log = table / "_delta_log"
    commits = [path.read_text() for path in log.glob("*.json")]
    checkpoints = [json.dumps(pl.read_parquet(path).to_dicts(), default=str) for path in log.glob("*.parquet")]
    return "".join(commits + checkpoints)


def hidden_in(site: Site) -> list[str]:
    """The hidden values that a log, or the name of a file or folder, holds."""
    places = [site.table(), site.root / "ledger"]
    for place in places:
        DeltaTable(place).create_checkpoint()
    names = "".join(str(path) for path in site.root.rglob("*"))
    return [value for value in HIDDEN if any(value in told(place) for place in places) or value in names]


@pytest.mark.parametrize("mode", MODES)
def test_no_value_of_a_classified_key_is_in_a_log(site: Site, mode: str) -> None:
    contract = private(mode)
    site.accept(contract, rows(*HIDDEN[:2]))
    site.accept(contract, rows(*HIDDEN[2:], n=2))
    assert hidden_in(site) == []
    assert DeltaTable(site.table()).metadata().configuration[STATISTICS] == "`day`,`n`"


@pytest.mark.parametrize("policy", ["fail", "quarantine"])
def test_no_value_of_a_delivery_that_is_appended_is_in_a_log(run: Run, tmp_path: Path, policy: str) -> None:
    """The whole way, with rows that go to quarantine, whose log is looked at too."""
    text = PRIVATE.replace("parquet", "csv").replace(
        "type: integer}", "type: integer, min: 0, severity: {range: warn}}"
    )
    text = text.replace(", severity: {range: warn}", "") if policy == "quarantine" else text
    more = f"key: [region]\npublication: {{mode: append}}\nenforcement: {{on_breach: {policy}}}\n"
    (tmp_path / "c.yaml").write_text(text + more)
    for day, name in (("2026-10-01", HIDDEN[:2]), ("2026-10-02", HIDDEN[2:])):
        (tmp_path / "d.csv").write_text(f"region,day,n\n{name[0]},{day},1\n{name[1]},{day},-1\n")
        assert run("publish", "c.yaml", "d.csv", "--partition", day, "--root", "data")[0] == 0
    site = Site(tmp_path / "data")
    quarantine = site.root / "quarantine/cases"
    assert quarantine.exists() is (policy == "quarantine")
    said = told(quarantine) if quarantine.exists() else ""
    assert ([value for value in HIDDEN if value in said], hidden_in(site)) == ([], [])


def test_the_same_values_are_told_where_nothing_is_classified(site: Site) -> None:
    """What this module looks for is there without a classification, so that it would be found."""
    contract = private("upsert", text=CASES)
    site.accept(contract, rows(*HIDDEN[:2]))
    site.accept(contract, rows(*HIDDEN[1:], n=2))
    assert hidden_in(site) == [*HIDDEN]


@pytest.mark.parametrize("key", ["[region]", "[region, day]", "[region, n]"])
def test_an_upsert_by_a_classified_key_replaces_what_it_is_to(site: Site, key: str) -> None:
    contract = private("upsert", key)
    site.accept(contract, rows("a", "b", "z"))
    site.accept(contract, rows("b", "c"), "2026-10-02")
    again = rows("b", "z")
    site.accept(contract, pl.concat([again.head(1), rows("y")]))
    assert [row[0] for row in site.shown()] == ["a", "b", "c", "y", "z"]
    commits = [commit for commit in DeltaTable(site.table()).history() if "submission" in commit]
    predicates = {commit["operationParameters"].get("predicate") for commit in commits}
    assert not [predicate for predicate in predicates if predicate is not None and "region" in predicate]
    assert hidden_in(site) == []


def test_a_key_is_still_narrowed_by_what_may_be_told(site: Site) -> None:
    contract = private("upsert", "[region, day]")
    site.accept(contract, rows("a", "b"))
    site.accept(contract, rows("a", "c", day="2026-10-02"), "2026-10-02")
    newest = DeltaTable(site.table()).history(1)[0]["operationParameters"]["predicate"]
    assert newest == "day = '2026-10-02'::date"


def test_a_column_that_becomes_classified_is_told_of_no_more(site: Site) -> None:
    """What the log said before stays in it; nothing is added."""
    site.accept(private("upsert", text=CASES), rows("a", "b"))
    closed = contract_of(
        private("upsert").model_dump_json(by_alias=True, exclude_defaults=True).replace('"1.0.0"', '"2.0.0"')
    )
    for regions in (HIDDEN[:2], HIDDEN[2:]):
        site.accept(closed, rows(*regions))
    assert hidden_in(site) == []
    assert len(site.shown()) == 6


def test_a_table_that_never_said_it_says_it_before_the_next_rows(site: Site) -> None:
    contract = private("replace_partition")
    site.accept(contract, rows("a"))
    for path in (site.table() / "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in path.read_text().splitlines()]
        for action in actions:
            action.get("metaData", {}).get("configuration", {}).pop(STATISTICS, None)
        path.write_text("\n".join(map(json.dumps, actions)))
    assert STATISTICS not in DeltaTable(site.table()).metadata().configuration
    site.accept(contract, rows(*HIDDEN))
    assert hidden_in(site) == []


def test_names_that_need_quotes_hide_no_column_less(site: Site) -> None:
    text = PRIVATE.replace("  - {name: n,", '  - {name: "a`b, c d", type: integer}\n  - {name: n,')
    frame = rows(*HIDDEN).with_columns(pl.lit(1, pl.Int64).alias("a`b, c d"))
    site.accept(contract_of(text), frame)
    assert hidden_in(site) == []
    assert '\\"a`b, c d\\":1' in told(site.table())


@pytest.mark.parametrize("classification", ["confidential", "restricted"])
def test_values_of_a_classified_column_are_no_partitions(classification: str) -> None:
    """They would be names of folders, and stand in the ledger, in messages and in the marks of the table."""
    by_value = PRIVATE.replace("restricted", classification).replace(
        "{every: day, column: day, start: 2026-10-01}", "{column: region}"
    )
    with pytest.raises(InvalidContractError, match=f"'region' is {classification}, and its values would become"):
        contract_of(by_value)
