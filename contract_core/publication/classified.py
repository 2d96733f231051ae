"""What a published table's log may tell of columns that are confidential or restricted: nothing of their values.

A log quotes values in two places: the least and the greatest of a column in each file, and the predicate of an overwrite. It outlives
the rows, and whoever may list the table may read it.
"""

from collections.abc import Mapping

from deltalake import DeltaTable

from contract_core.contract.model import Contract
from contract_core.contract.monitor_consistency import CLASSIFIED
from contract_core.publication.kept_logs import WHOLE_LOG, lacking, state_properties

STATISTICS = "delta.dataSkippingStatsColumns"


def properties_of(contract: Contract) -> Mapping[str, str]:
    """What a published table states of itself: it keeps its log, and that has statistics of no classified column.

    Where there is one, of no column that the contract does not declare either; else nothing is said of statistics.
    """
    if len(tellable(contract, contract.field_names)) == len(contract.fields):
        return WHOLE_LOG
    return {**WHOLE_LOG, STATISTICS: ",".join(map(_quoted, tellable(contract, contract.field_names)))}


def unstated(table: DeltaTable, contract: Contract) -> Mapping[str, str]:
    """What a table does not state of itself, or states otherwise."""
    return lacking(table, properties_of(contract))


def state_unstated(table: DeltaTable, contract: Contract) -> None:
    """Gives the table what it does not state, in a commit of its own; a rival's is a conflict. Raises as delta-rs does."""
    state_properties(table, unstated(table, contract))


def tellable(contract: Contract, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the contract's columns whose values may stand in a predicate or in statistics."""
    return tuple(name for name in columns if contract.field(name).classification not in CLASSIFIED)


def _quoted(name: str) -> str:
    """Always in quotes: a list that delta-rs 1.6 cannot read is passed over, and statistics of all columns are written."""
    return "`" + name.replace("`", "``") + "`"
