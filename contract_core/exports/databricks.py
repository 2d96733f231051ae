"""A contract as what is deployed to Databricks: the table, schemas with grants, and the gate as a job, in the files of one bundle.

No workspace, catalog or identity stands in it: they are variables. What a task does is the gate's own command.
"""

import yaml

from contract_core.contract.model import Contract
from contract_core.contract.writing import contract_text
from contract_core.exports.databricks_job import SOURCE
from contract_core.exports.databricks_resources import Document, bundle, job, places
from contract_core.exports.databricks_table import table_of, table_sql
from contract_core.exports.exported import Exported
from contract_core.exports.left_out import sentences
from contract_core.exports.source_text import generated_note

_JOB, _PLACES, _RUN, _TABLE = "resources/job.yml", "resources/places.yml", "src/run_gate.py", "sql/table.sql"
_CARRIED = frozenset(
    {"description", "grain", "status", "domain", "delivery", "enforcement"}
    | {f"fields.{name}" for name in ("description", "semantics", "unit", "classification")}
)


def databricks_bundle(contract: Contract) -> Exported:
    """The files of the bundle, with the contract itself among them, and what Unity Catalog does not keep of it by itself.

    Raises WrongUsageError for a field whose name Databricks would read as a variable.
    """
    table = table_of(contract)
    contract_file = f"contract/{contract.name}.yaml"
    note = generated_note(contract, "databricks")
    texts = {
        "databricks.yml": f"# {note}\n{_yaml(bundle(contract, (_PLACES, _JOB)))}",
        _PLACES: f"# {note}\n{_yaml(places())}",
        _JOB: f"# {note}\n{_yaml(job(contract, contract_file, _RUN))}",
        _RUN: f"# {note}\n{SOURCE}",
        _TABLE: f"-- {note}\n{table_sql(table)}",
        contract_file: f"# {note}\n{contract_text(contract)}",
    }
    return Exported("", sentences(contract, table.why, _CARRIED, table.partly), texts)


def _yaml(document: Document) -> str:
    return yaml.safe_dump(dict(document), sort_keys=False, width=120)
