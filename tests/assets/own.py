"""What the tests of users' own assets share: rows, I/O managers as people write them, and one way to run."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import dagster as dg
import duckdb
import polars as pl

from tests.assets.bench import CASES, DAY, MARKER, NOW, WHOLE, contract_of

TYPED = contract_of(CASES.replace("{type: csv}", "{type: parquet}"))
UNPARTED = contract_of(WHOLE.replace("{type: csv}", "{type: parquet}"))
SCHEMA = {"region": pl.String, "day": pl.Date, "n": pl.Int64}


def rows(*counts: int, region: str = "NL", day: str = DAY) -> pl.LazyFrame:
    """One row for each count, in regions of their own: the first is named."""
    regions = [region, "BE", "DE", "FR"][: len(counts)]
    columns = {"region": regions, "day": [date.fromisoformat(day)] * len(counts), "n": list(counts)}
    return pl.LazyFrame(columns, schema=SCHEMA)


GOOD_ROWS, BAD_ROWS = rows(1, 2), rows(-1, 2)
PLANTED = rows(1, region=MARKER)


def fixed_now():
    return NOW


class Rows(dg.ConfigurableResource):
    """A source that a user's asset is given, with one number to deliver."""

    n: int = 1


class Times(dg.Config):
    times: int = 1


@dataclass
class Files(dg.IOManager):
    """Stores frames as a user's I/O manager does; `stored` says which kinds of frame it was given."""

    root: Path
    kind: str
    stored: list[str] = field(default_factory=list)

    def handle_output(self, context: dg.OutputContext, obj: object) -> None:
        self.stored.append(type(obj).__name__)
        frame = obj.lazy()
        match self.kind:
            case "parquet":
                frame.sink_parquet(self._path(context))
            case "delta":
                frame.collect().write_delta(str(self._path(context)), mode="overwrite")
            case "duckdb":
                frame.sink_parquet(self._path(context).with_suffix(".parquet"))
                with duckdb.connect(str(self.root / "store.duckdb")) as store:
                    store.execute(f"CREATE OR REPLACE TABLE t AS FROM '{self._path(context)}.parquet'")

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        return self._read(self._path(context))

    def read(self, partition: str | None) -> pl.DataFrame:
        """What is stored of the asset `mine`."""
        return self._read(self.root / f"mine-{partition or 'all'}")

    def _read(self, path: Path) -> pl.DataFrame:
        if self.kind == "parquet":
            return pl.read_parquet(path)
        if self.kind == "delta":
            return pl.read_delta(str(path))
        with duckdb.connect(str(self.root / "store.duckdb")) as store:
            store.execute(f"COPY t TO '{path}.out.parquet'")
        return pl.read_parquet(f"{path}.out.parquet")

    def _path(self, context: dg.InputContext | dg.OutputContext) -> Path:
        key = context.asset_partition_key if context.has_asset_partitions else "all"
        return self.root / f"{context.asset_key.path[-1]}-{key}"
