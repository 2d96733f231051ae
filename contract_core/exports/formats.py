"""Every format that a contract can be exported to. A format's own module is loaded when it is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from contract_core.exports.exported import Exported

if TYPE_CHECKING:
    from contract_core.contract.model import Contract


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format: what it is, the usual ending of its files (nothing for a folder of files), and the function that writes it."""

    name: str
    what: str
    suffix: str
    write: "Callable[[Contract], Exported]"

    @property
    def is_folder(self) -> bool:
        """True for a format of several files."""
        return not self.suffix


def _write(name: str, place: str, comment: str, arguments: Mapping[str, str], contract: "Contract") -> Exported:
    """The export, headed by a comment of its own where the module writes none."""
    from contract_core.exports.source_text import generated_note  # noqa: PLC0415 - the list of formats is told without a contract

    module, _, function = place.partition(".")
    exported = getattr(import_module(f"contract_core.exports.{module}"), function)(contract, **arguments)
    written = cast("Exported", exported)
    return replace(written, text=f"{comment} {generated_note(contract, name)}\n{written.text}") if comment else written


def _format(name: str, what: str, suffix: str, place: str, comment: str = "") -> ExportFormat:
    return ExportFormat(name, what, suffix, partial(_write, name, place, comment, {}))


def _sql(dialect: str, what: str) -> ExportFormat:
    name = f"sql-{dialect}"
    return ExportFormat(name, what, ".sql", partial(_write, name, "sql_ddl.sql_ddl", "--", {"dialect": dialect}))


_FORMATS = (
    _format("canonical", "the contract as canonical JSON, with its digest", ".json", "canonical.canonical_json"),
    _format("json-schema", "JSON Schema 2020-12 of one record", ".schema.json", "json_schema.json_schema"),
    _format("openlineage", "dataset facets of OpenLineage", ".json", "openlineage.openlineage_facets"),
    _format("dbt", "a dbt model with an enforced contract", ".yml", "dbt.dbt_model"),
    _format("avro", "an Avro record schema", ".avsc", "avro.avro_schema"),
    _format("polars", "Python source of a Polars schema", ".py", "polars_source.polars_source"),
    _format("pydantic", "Python source of a pydantic model of one row", ".py", "pydantic_source.pydantic_source"),
    _format("pandera", "Python source of a pandera model of the table", ".py", "pandera_source.pandera_source"),
    _format("odcs", "a document of the Open Data Contract Standard", ".odcs.yaml", "odcs.odcs_document", "#"),
    _sql("delta", "the table in SQL for Delta on Spark"),
    _sql("duckdb", "the same for DuckDB"),
    _sql("postgres", "the same for PostgreSQL"),
    _sql("snowflake", "the same for Snowflake"),
    _format(
        "databricks",
        "a folder: table, grants and the gate as a job, as a bundle for Databricks",
        "",
        "databricks.databricks_bundle",
    ),
)
FORMATS: Mapping[str, ExportFormat] = {item.name: item for item in _FORMATS}
