"""Which files of a published table may go: those that neither it needs as it is nor a version that its contract still keeps."""

from datetime import datetime, timedelta

from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.errors import Problem, PublicationError
from contract_core.operations.cleaning import Cleaning, Going, Kind, Why
from contract_core.publication.causes import cause_of
from contract_core.publication.submit import store_of
from contract_core.publication.tables import TABLE_FAILURES, open_table
from contract_core.publication.unneeded import unneeded_files, versions_since

SHORTEST = timedelta(hours=1)
"""However short the contract keeps replaced versions: whoever opened one just now reads it to its end."""


def plan_versions(contract: Contract, environment: Environment, at: datetime) -> Cleaning | None:
    """The files that may go at `at`; None where the contract does not say how long replaced versions stay. Nothing is removed here."""
    keep = contract.publication.keep_versions
    if keep is None:
        return None
    folder = store_of(environment).path_of(contract.name)
    try:
        table = open_table(folder)
        kept = () if table is None else versions_since(folder, table, at - max(keep, SHORTEST))
        files = {} if table is None else unneeded_files(folder, table, kept)
    except TABLE_FAILURES as error:
        what = f"the versions of its published table cannot be read: {cause_of(error)}"
    else:
        goes = tuple(Going(path.name, Why.REPLACED, size) for path, size in files.items())
        return Cleaning(Kind.VERSIONS, contract.name, goes, len(kept), tuple(files))
    raise PublicationError(Problem(f"contract '{contract.name}'", what, "repair or restore the table"))
