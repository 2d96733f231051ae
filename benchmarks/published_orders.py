"""Orders taken and judged, so that nothing is left but to publish them; and the plain Delta table of those published before.

    python -m benchmarks.published_orders prepare FOLDER DATA ROWS MODE
    python -m benchmarks.published_orders tell TABLE

In a process of its own, since a process that was started by a large one counts as large.
"""

import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
from deltalake import write_deltalake

from benchmarks.linked_folders import stream
from benchmarks.orders_data import orders_file
from contract_core.candidate.delivery import collect_delivery
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.environment import Environment
from contract_core.publication.store import Store
from contract_core.publication.submit import Judged, publish_judged, take_and_decide

CONTRACT = Path(__file__).with_name("orders.yaml")
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_OTHER_KEYS = {"ticket": pl.col("ticket") + 10**9, "order_id": pl.col("order_id") + 10**12}
_OTHER_VALUES = {"weight": pl.col("weight") + 1}
_CHANGES = {"append": _OTHER_KEYS, "replace_partition": _OTHER_VALUES, "upsert": _OTHER_VALUES}
"""How the second delivery differs from the first."""


def main(what: str, *told: str) -> None:
    """Prepare a folder, or tell what is in a table: rows, and a sum over all of them that does not depend on their order."""
    if what == "prepare":
        _prepare(Path(told[0]), Path(told[1]), int(told[2]), told[3])
        return
    rows = Store(Path(told[0]).parent).rows(Path(told[0]).name)
    names = [field.name for field in contract_in("append").fields]
    print(rows.select(pl.len(), pl.struct(names).hash().sum().alias("sum")).collect(engine="streaming").row(0))


def contract_in(mode: str) -> Contract:
    """The contract of orders, published in a mode."""
    return parse_contract(f"{CONTRACT.read_text()}publication: {{mode: {mode}}}\n", CONTRACT.name)


def _prepare(place: Path, data: Path, rows: int, mode: str) -> None:
    """Make `gate`, where a first delivery is published and a second one judged, and `plain`, a table of the first."""
    if place.exists():
        return
    first, second = orders_file(data, rows, 0), data / f"orders-{rows}-then-{mode}.parquet"
    pl.scan_parquet(first).with_columns(**_CHANGES[mode]).sink_parquet(second, row_group_size=250_000)
    unfinished = place.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    gate, contract = Environment.at(unfinished / "gate"), contract_in(mode)
    publish_judged(_judged(contract, first, gate, _BEGIN), gate, _BEGIN)
    _judged(contract, second, gate, _BEGIN + timedelta(hours=1))
    write_deltalake(unfinished / "plain", stream(pl.scan_parquet(first)))
    unfinished.rename(place)


def _judged(contract: Contract, file: Path, environment: Environment, at: datetime) -> Judged:
    return take_and_decide(contract, collect_delivery(contract, [file], None), environment, at, at)


if __name__ == "__main__":
    main(*sys.argv[1:])
