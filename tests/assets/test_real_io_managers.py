"""I/O managers and dagster-pandera as they come from PyPI. They bring pandas and pyarrow, which nothing else here should see:
`pip install -e ".[io-managers]"` in an environment of its own runs these tests.
"""

from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from contract_assets.own_assets import with_contract
from contract_core import pandera_schema
from tests.assets.bench import MARKER, everything_told, failures
from tests.assets.own import BAD_ROWS, GOOD_ROWS, PLANTED, UNPARTED, fixed_now

NEEDED = {
    "PolarsDeltaIOManager": "dagster_polars",
    "PolarsParquetIOManager": "dagster_polars",
    "DeltaLakePolarsIOManager": "dagster_deltalake_polars",
    "DuckDBPolarsIOManager": "dagster_duckdb_polars",
}
READS_NOTHING = {
    "PolarsParquetIOManager": "it asks Polars 2 for an argument that is gone",
    "DuckDBPolarsIOManager": "it asks DuckDB 2 for a method that is gone",
}
pytestmark = pytest.mark.filterwarnings("ignore")


def manager(name: str, root: Path) -> dg.ConfigurableIOManagerFactory:
    package = pytest.importorskip(NEEDED[name], reason="io-managers are not installed")
    kind = getattr(package, name)
    if name == "DeltaLakePolarsIOManager":
        local = pytest.importorskip("dagster_deltalake").LocalConfig()
        return kind(root_uri=str(root), storage_options=local)
    if name == "DuckDBPolarsIOManager":
        return kind(database=str(root / "store.duckdb"), schema="main")
    return kind(base_dir=str(root))


def run(name: str, root: Path, instance: dg.DagsterInstance, rows: object) -> dg.ExecuteInProcessResult:
    """The asset stored by the I/O manager, and another one that reads it."""

    def stored():
        return rows

    def height(stored):
        return dg.Output(None, metadata={"rows": stored.lazy().collect().height})

    stored.__annotations__ = {"return": type(rows)}
    height.__annotations__ = {"stored": type(rows)}
    own = with_contract(dg.asset(io_manager_key="store")(stored), UNPARTED, fixed_now)
    assets = [own, dg.asset(io_manager_key="memory")(height)]
    resources = {"store": manager(name, root), "memory": dg.InMemoryIOManager()}
    return dg.materialize(assets, resources=resources, instance=instance, raise_on_error=False)


KINDS = {"lazy": lambda rows: rows, "frame": lambda rows: rows.collect()}
TAKEN = [
    pytest.param(
        name,
        kind,
        id=f"{name}, {kind}",
        marks=[pytest.mark.xfail(strict=True, reason=READS_NOTHING[name])] if name in READS_NOTHING else [],
    )
    for name in NEEDED
    for kind in KINDS
]


@pytest.mark.parametrize(("name", "kind"), TAKEN)
def test_an_accepted_frame_is_stored_and_read_back(tmp_path: Path, bench, name: str, kind: str) -> None:
    pytest.importorskip(NEEDED[name], reason="io-managers are not installed")
    result = run(name, tmp_path, bench.instance, KINDS[kind](GOOD_ROWS))
    assert result.success, failures(result)
    assert result.asset_materializations_for_node("height")[0].metadata["rows"].value == 2


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_frame_reaches_none_of_them(tmp_path: Path, bench, name: str, kind: str) -> None:
    result = run(name, tmp_path, bench.instance, KINDS[kind](BAD_ROWS))
    assert failures(result)[0].startswith("refused, nothing was handed to the I/O manager")
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.parametrize(("rows", "is_kept"), [(GOOD_ROWS, True), (BAD_ROWS, False)], ids=["kept", "broken"])
def test_dagster_pandera_takes_our_schema(bench, rows: pl.LazyFrame, is_kept: bool) -> None:
    package = pytest.importorskip("dagster_pandera", reason="io-managers are not installed")
    kind = package.pandera_schema_to_dagster_type(pandera_schema(UNPARTED))

    @dg.asset(dagster_type=kind)
    def mine():
        return rows.collect()

    assert dg.materialize([mine], instance=bench.instance, raise_on_error=False).success is is_kept


def test_what_dagster_pandera_tells_quotes_values_as_our_page_says(bench) -> None:
    """Why `dagster_type_of` is there."""
    package = pytest.importorskip("dagster_pandera", reason="io-managers are not installed")
    kind = package.pandera_schema_to_dagster_type(pandera_schema(UNPARTED))

    @dg.asset(dagster_type=kind)
    def mine():
        return PLANTED.collect()

    assert not dg.materialize([mine], instance=bench.instance, raise_on_error=False).success
    assert MARKER in everything_told(bench.instance)
