"""The rows of a judged delivery into a Delta table, as delta-rs does it: `publish_bare FOLDER TABLE TARGET MODE`.

The table is one below the folder: `plain` has no constraints, `gate/published/orders` those of ours.
"""

import sys
from pathlib import Path

import polars as pl
from deltalake import DeltaTable, write_deltalake

from benchmarks.linked_folders import linked, stream


def main(folder: Path, table: str, target: Path, mode: str) -> None:
    """Write the rows of the newest candidate in a copy of the table."""
    newest = max(
        (folder / "gate" / "candidates" / "orders").glob("*.parquet"), key=lambda path: path.stat().st_mtime_ns
    )
    rows = stream(pl.scan_parquet(newest).select(pl.exclude("^__.*$")))
    published = DeltaTable(linked(folder / table, target))
    match mode:
        case "append":
            write_deltalake(published, rows, mode="append")
        case "upsert":
            same = "published.shop = offered.shop AND published.ticket = offered.ticket"
            merger = published.merge(rows, same, source_alias="offered", target_alias="published")
            merger.when_matched_update_all().when_not_matched_insert_all().execute()
        case _:
            write_deltalake(published, rows, mode="overwrite")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4])
