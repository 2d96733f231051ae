"""What consumers see now → what the UI shows of a published table: which partition, how old it is, and what became of the last ones.

The ledger is read here once for all that a step tells of the table.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import dagster as dg

from contract_assets.check_events import Context
from contract_assets.failures import told_to_dagster
from contract_assets.labels import plain
from contract_assets.metadata import Metadata
from contract_assets.resources import GateResource
from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.operations.coverage import Coverage, PartitionState
from contract_core.operations.standing import Standing, standing_of
from contract_core.operations.status import Status
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.ledger import Ledger
from contract_core.rendering.coverage import coverage_words
from contract_core.rendering.shown import partition_words, shown_words, state_words

_COLUMNS = ("partition", "state", "due (UTC)", "received (UTC)")
"""Their zone stands in the heading: the UI breaks a longer cell, and cuts the last column off."""
_PASSING = ("hours_since_publication", "open_refusals")
_MOMENT = "%Y-%m-%d %H:%M"


@dataclass(frozen=True, slots=True)
class Shown:
    """What consumers of a table see at a moment, what became of its last partitions and what is wrong, by the ledger's entries."""

    environment: Environment
    entries: tuple[LedgerEntry, ...]
    standing: Standing

    @property
    def contract(self) -> Contract:
        """Whose table it is."""
        return self.standing.contract

    @property
    def status(self) -> Status:
        """Which partition they see, and how old it is."""
        return self.standing.status

    @property
    def coverage(self) -> Coverage | None:
        """What became of the last partitions; None for a table without any."""
        return self.standing.coverage

    @property
    def words(self) -> str:
        """What they see, in a sentence."""
        return shown_words(self.status)

    @property
    def facts(self) -> Metadata:
        """The same for the UI: words, and numbers that it plots."""
        return dict(_facts(self.status, self.coverage))

    @property
    def lasting_facts(self) -> Metadata:
        """Those of a publication: the UI shows its latest one however much has been refused, or time gone by, since then."""
        return {name: value for name, value in self.facts.items() if name not in _PASSING}

    @property
    def table(self) -> Metadata:
        """What became of the last partitions; nothing of a table without any."""
        return {} if self.coverage is None or not self.coverage.partitions else {"coverage": _table(self.coverage)}


def shown(contract: Contract, gate: GateResource) -> Shown:
    """What consumers see now, by the ledger."""
    environment = gate.environment()
    entries = Ledger(environment.ledger).entries(contract=contract.name)
    return Shown(environment, entries, standing_of(contract, entries, gate.moment_of_judgement()))


def shown_if_known(contract: Contract, gate: GateResource) -> Shown | None:
    """The same, and None where it cannot be told: that must not hide what has just been done."""
    with suppress(dg.Failure), told_to_dagster():
        return shown(contract, gate)
    return None


def observe(context: Context, key: dg.AssetKey, partition: str | None, what: Shown | None) -> None:
    """Tells it of the published table although nothing was published to it: an observation in the run's own log."""
    if what is not None:
        context.log_event(
            dg.AssetObservation(
                asset_key=key, partition=partition, description=plain(what.words), metadata={**what.facts, **what.table}
            )
        )


def _facts(status: Status, coverage: Coverage | None) -> Iterator[tuple[str, dg.MetadataValue]]:
    yield "shows", dg.MetadataValue.text(partition_words(status))
    yield "state", dg.MetadataValue.text(state_words(status))
    if status.age is not None:
        yield "age_hours", _hours(status.age)
    if status.silence is not None:
        yield "hours_since_publication", _hours(status.silence)
    yield "open_refusals", dg.MetadataValue.int(len(status.refused_since))
    if coverage is not None and coverage.partitions:
        yield "partitions_missing", dg.MetadataValue.int(coverage.count(PartitionState.MISSING))


def _hours(length: timedelta) -> dg.MetadataValue:
    return dg.MetadataValue.float(round(length.total_seconds() / 3600, 2))


def _table(coverage: Coverage) -> dg.MetadataValue:
    records = [
        dg.TableRecord(
            {
                "partition": item.partition,
                "state": coverage_words(item),
                "due (UTC)": "" if item.due_at is None else f"{item.due_at:{_MOMENT}}",
                "received (UTC)": "" if item.arrived_at is None else f"{item.arrived_at:{_MOMENT}}",
            }
        )
        for item in coverage.partitions
    ]
    schema = dg.TableSchema(columns=[dg.TableColumn(name, "string") for name in _COLUMNS])
    return dg.MetadataValue.table(records=records, schema=schema)
