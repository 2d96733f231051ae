"""What lasts outside of candidates, quarantine, landing and published rows holds no value: ledger, logs, names of files."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable

import contract_core as core
from contract_core.environment import Environment
from contract_core.publication import publish as publishing
from contract_core.publication.entry import Event, latest
from contract_core.publication.submit import Judged, publish_judged, store_of, take_and_decide
from tests.privacy.planting import (
    AS_OF,
    BY_ID,
    MODES,
    Heard,
    Planted,
    cases,
    published,
)

MAY_HOLD_ROWS = ("candidates", "quarantine", "landing", "published")


def offered(root: Path, planted: Planted) -> Judged:
    environment = Environment.at(root)
    for item in filter(None, [planted.before, planted]):
        landing = item.laid_out(root)
        promised = core.find_contract("cases", environment.contracts)
        delivery = core.collect_delivery(promised, [landing], item.partition)
        judged = take_and_decide(promised, delivery, environment, AS_OF, AS_OF)
        try:
            publish_judged(judged, environment, AS_OF)
        except core.ContractCoreError:
            continue
    return judged


def lasting(root: Path) -> Iterator[tuple[str, str | bytes]]:
    """Everything that may hold no row: logs of tables, all of the ledger and what it says, and the names of all files."""
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root)
        if path.is_file() and ("_delta_log" in place.parts or place.parts[0] not in (*MAY_HOLD_ROWS, "contracts")):
            yield str(place), path.read_bytes()
            if path.suffix == ".parquet":
                yield f"values of {place}", str(pl.read_parquet(path, hive_partitioning=False).to_dicts())
                yield f"metadata of {place}", str(pl.read_parquet_metadata(path))
        if place.parts[0] != "landing":
            yield f"name of {place.parent}/…", path.name
    for table in (root / "published/cases", root / "quarantine/cases", root / "ledger"):
        if (table / "_delta_log").is_dir():
            opened = DeltaTable(str(table))
            yield f"history of {table.name}", str(opened.history())
            yield f"files of {table.name}", str(pl.DataFrame(opened.get_add_actions(flatten=True)).to_dicts())


CHOSEN = (
    *(f"rows, {format_}, {policy}, replace_partition" for format_ in ("csv", "jsonl", "parquet") for policy in ("fail", "quarantine")),
    "rows, csv, quarantine, upsert", "rows, csv, quarantine, append", "an envelope of mistakes", "a manifest of mistakes",
    "rows of another value, csv", "an unexpected part, parquet", "data that is damaged, parquet", "a row too wide",
)  # fmt: skip


@pytest.mark.parametrize("planted", cases(BY_ID[name] for name in CHOSEN))
def test_nothing_that_lasts_holds_what_was_refused_or_kept_apart(tmp_path: Path, planted: Planted) -> None:
    """S1-092, S1-062."""
    judged = offered(tmp_path, planted)
    heard = Heard(
        [
            (where, said if isinstance(said, str) else said.decode("utf-8", "replace"))
            for where, said in lasting(tmp_path)
        ]
    )
    assert any(where.startswith("values of ledger") for where, _ in heard.pieces)
    assert heard.leaks(planted.markers) == []
    rows = pl.concat(
        [pl.read_parquet(path, hive_partitioning=False).select(pl.all().cast(pl.String, strict=False)) for path in (tmp_path / "published").rglob("*.parquet")]
        or [pl.DataFrame()], how="diagonal",
    )  # fmt: skip
    assert planted.markers.found_in(str(rows.to_dicts())) == []
    if judged.decision.quarantined:
        kept = pl.read_delta(str(tmp_path / "quarantine/cases"))
        assert planted.markers.found_in(str(kept.to_dicts())), "what was to be kept apart is not there"


@pytest.mark.parametrize("rows", ["kept", "withheld"])
def test_quarantine_keeps_no_restricted_field_and_no_row_where_rows_are_withheld(tmp_path: Path, rows: str) -> None:
    """S1-096."""
    planted = published(f"rows that are {rows}")
    text = planted.contract.replace(
        "{on_breach: quarantine}", f"{{on_breach: quarantine, quarantine: {{rows: {rows}}}}}"
    )
    assert text != planted.contract
    offered(tmp_path, Planted(planted.id, text, planted.files, planted.markers, planted.breaks))
    secret, shown = planted.markers.text("secret"), planted.markers.text("shaped")
    heard = Heard()
    for path in (tmp_path / "quarantine").rglob("*"):
        if path.is_file():
            heard.add(path.name, path.read_bytes())
            if path.suffix == ".parquet":
                heard.add("values", str(pl.read_parquet(path, hive_partitioning=False).to_dicts()))
    said = "".join(piece for _, piece in heard.pieces)
    assert "chosen.enum" in said
    assert (secret in said, shown in said) == (False, rows == "kept")
    if rows == "withheld":
        assert heard.leaks(planted.markers) == []


@pytest.mark.parametrize("mode", MODES)
def test_a_write_that_the_table_refuses_leaves_no_row_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """S1-063, S1-092. The gate is made to let a refused candidate through; the table's own constraints stop it."""
    planted = BY_ID[f"rows, parquet, fail, {mode}"]
    judged, environment = offered(tmp_path, planted), Environment.at(tmp_path)
    monkeypatch.setattr(publishing, "passing", lambda _, __, entries: latest(entries, Event.DECIDED))
    with pytest.raises(core.ContractCoreError, match="does not take the rows"):
        core.publish(judged.contract, judged.candidate, core.Ledger(environment.ledger), store_of(environment), AS_OF)
    heard = Heard(
        [
            (where, said if isinstance(said, str) else said.decode("utf-8", "replace"))
            for where, said in lasting(tmp_path)
        ]
    )
    for path in (tmp_path / "published").rglob("*.parquet"):
        heard.add(path.name, path.read_bytes())
    assert heard.leaks(planted.markers) == []


def test_a_table_that_lost_its_rows_to_quarantine_tells_none_of_them(tmp_path: Path) -> None:
    """S1-092. Rows that are taken out of quarantine are gone from its files and from its log."""
    planted = published("rows that are removed")
    judged = offered(tmp_path, planted)
    store_of(Environment.at(tmp_path)).quarantine.remove("cases", {judged.candidate.submission: AS_OF})
    heard = Heard()
    for path in (tmp_path / "quarantine").rglob("*"):
        if path.is_file():
            heard.add(path.name, path.read_bytes())
            if path.suffix == ".parquet":
                heard.add("values", str(pl.read_parquet(path, hive_partitioning=False).to_dicts()))
    assert heard.leaks(planted.markers) == []
