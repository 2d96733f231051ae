"""The one place that opens, prepares and reads Delta tables, for every folder name that delta-rs can work with.

delta-rs 1.6 percent-encodes the folder in the paths of its files, Polars 2.1 takes such a path as it stands, and `=` in a folder
above for a partition. So a table's files are found here from its log, and its partitions from there and never from a path.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import polars as pl
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, DeltaProtocolError, TableNotFoundError

from contract_core.candidate.columnar import READ_FAILURES
from contract_core.errors import Problem, WrongUsageError
from contract_core.publication.causes import system_cause
from contract_core.publication.log_damage import damage_of, refuse_empty_commits

TABLE_FAILURES: tuple[type[BaseException], ...] = (*READ_FAILURES, DeltaError)
"""What delta-rs and Polars raise where a table cannot be opened or read; their texts quote rows and paths."""

_UNWORKABLE = re.compile(r"[\x00-\x1f\x7f\\\[\]^|]|%[0-9A-Fa-f]{2}")
_UNDERSTOOD = {"timestampNtz"}
_AS_SPARK_WRITES = pl.ScanCastOptions(
    integer_cast="upcast", float_cast="upcast", datetime_cast=["nanosecond-downcast", "convert-timezone"]
)


def location(folder: Path) -> str:
    """The folder without links, as delta-rs takes it. Raises WrongUsageError for a name that it would take for another folder."""
    place = os.path.realpath(folder)
    try:
        is_text = bool(place.encode())
    except UnicodeEncodeError:
        is_text = False
    if not is_text or _UNWORKABLE.search(place):
        what = "a Delta table cannot lie in a folder with this name"
        hint = (
            "nothing was published; choose a name without \\ [ ] ^ |, without control characters or bytes that are no text, "
            "and without a % that two hexadecimal digits follow"
        )
        raise WrongUsageError(Problem(str(folder), what, hint))
    return place


def open_table(folder: Path) -> DeltaTable | None:
    """The table at its newest version, None where there is none. What hides a table is raised and never taken for its absence.

    Raises DamagedLogError where a file of its log is, and as `TABLE_FAILURES`.
    """
    place = location(folder)
    log = Path(place, "_delta_log")
    try:
        log.stat()
        table = DeltaTable(place)
    except (FileNotFoundError, TableNotFoundError):
        return None
    except DeltaError as error:
        if system_cause(error) is None and (damage := damage_of(log)) is not None:
            raise damage from None
        raise
    refuse_empty_commits(log, table.version())
    return table


def open_version(folder: Path, version: int) -> DeltaTable:
    """The table as it was at a version. Raises as `TABLE_FAILURES`."""
    return DeltaTable(location(folder), version=version)


def prepare_writing(folder: Path) -> str:
    """The location of a folder that is there and takes a file and its bytes now. Raises OSError with the true reason where not.

    Asked before delta-rs writes, which panics on a full disk and calls every failure to create a table a race.
    """
    place = location(folder)
    Path(place).mkdir(parents=True, exist_ok=True)
    for target in (Path(place), Path(place, "_delta_log")):
        if target.is_dir():
            with tempfile.TemporaryFile(dir=target) as probe:
                probe.write(bytes(4096))
                probe.flush()
                os.fsync(probe.fileno())
    return place


def rows_of(table: DeltaTable, folder_values: Mapping[str, object] | None = None) -> pl.LazyFrame:
    """The rows of a table, lazily; only files of the partitions with `folder_values` are read, where a list stands for any of its
    values. Raises as `TABLE_FAILURES`.
    """
    _refuse_foreign_features(table)
    schema = pl.Schema(table.schema())
    folders = table.metadata().partition_columns
    stored = pl.Schema({name: dtype for name, dtype in schema.items() if name not in folders})
    scans = [
        _scan(paths, stored).with_columns(
            pl.lit(value, dtype=schema[name]).alias(name) for name, value in zip(folders, values, strict=True)
        )
        for values, paths in _files(table, folders, folder_values or {}).items()
    ]
    return pl.concat(scans).select(schema.names()) if scans else pl.LazyFrame(schema=schema)


def rows_by_file(table: DeltaTable) -> Mapping[str, pl.LazyFrame]:
    """The rows of each file of a table, lazily, by its path in the log. Raises as `TABLE_FAILURES`."""
    _refuse_foreign_features(table)
    schema = pl.Schema(table.schema())
    folders = table.metadata().partition_columns
    stored = pl.Schema({name: dtype for name, dtype in schema.items() if name not in folders})
    found = {}
    for path, *values in _listed(table, folders, {}).iter_rows():
        told = (pl.lit(value, dtype=schema[name]).alias(name) for name, value in zip(folders, values, strict=True))
        found[path] = _scan([_place(table, path)], stored).with_columns(told).select(schema.names())
    return found


def files_of(table: DeltaTable, folder_values: Mapping[str, object]) -> int:
    """How many files hold the partitions with these values."""
    return sum(len(paths) for paths in _files(table, table.metadata().partition_columns, folder_values).values())


def rows_by_folder(table: DeltaTable, column: str) -> Mapping[str, int]:
    """How many rows there are for each value of a column that is kept in folders, as far as the log says."""
    actions = pl.DataFrame(table.get_add_actions(flatten=True))
    counts = actions.group_by(f"partition.{column}").agg(pl.col("num_records").sum())
    return dict(counts.iter_rows())


def are_files_there(table: DeltaTable) -> bool:
    """True where every file of this version is still there; those that only older versions need may have been cleaned away."""
    folders = table.metadata().partition_columns
    return all(path.exists() for paths in _files(table, folders, {}).values() for path in paths)


def _files(
    table: DeltaTable, folders: list[str], wanted: Mapping[str, object]
) -> Mapping[tuple[object, ...], list[Path]]:
    """The paths of the table's files by the values of their partition, which the files themselves do not hold."""
    files: dict[tuple[object, ...], list[Path]] = {}
    for path, *values in _listed(table, folders, wanted).iter_rows():
        files.setdefault(tuple(values), []).append(_place(table, path))
    return files


def _listed(table: DeltaTable, folders: list[str], wanted: Mapping[str, object]) -> pl.DataFrame:
    """The path of each file as the log has it, and the values of its partition."""
    actions = pl.DataFrame(table.get_add_actions(flatten=True))
    for name, value in wanted.items():
        column = pl.col(f"partition.{name}")
        actions = actions.filter(column.is_in(value) if isinstance(value, list | tuple) else column == value)
    return actions.select("path", *(f"partition.{name}" for name in folders))


def _place(table: DeltaTable, path: str) -> Path:
    return Path(unquote(table.table_uri.removeprefix("file://"))) / unquote(path)


def _scan(paths: list[Path], stored: pl.Schema) -> pl.LazyFrame:
    return pl.scan_parquet(
        paths,
        glob=False,
        hive_partitioning=False,
        schema=stored,
        cast_options=_AS_SPARK_WRITES,
        missing_columns="insert",
        extra_columns="ignore",
    )


def _refuse_foreign_features(table: DeltaTable) -> None:
    """A table that another engine gave deletion vectors or renamed columns would be read wrongly here."""
    protocol = table.protocol()
    features = set(protocol.reader_features or ())
    if protocol.min_reader_version == 2 or features - _UNDERSTOOD:
        raise DeltaProtocolError("the table uses features that are not understood here")
