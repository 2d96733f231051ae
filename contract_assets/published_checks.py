"""The checks of a published table: how old its data are, and whether it shows what the ledger says. The core answers both."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import dagster as dg

from contract_assets.checks import partitioned_checks
from contract_assets.labels import plain
from contract_assets.metadata import freshness_metadata, reconciliation_metadata
from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.operations.reconciled import reconcile
from contract_core.operations.status import status_of
from contract_core.publication.ledger import Ledger
from contract_core.rendering.history import status_lines

FRESHNESS, RECONCILED = "freshness", "reconciled"
_SHORTEST_WINDOW = timedelta(minutes=1)


def published_check_specs(
    contract: Contract, asset: dg.AssetKey, partitions: dg.PartitionsDefinition | None
) -> list[dg.AssetCheckSpec]:
    """`reconciled` always, `freshness` where the contract promises an age."""
    with partitioned_checks():
        reconciled = dg.AssetCheckSpec(
            RECONCILED,
            asset=asset,
            description="The partition of the table shows what the ledger says was published last: its mark and its rows.",
            blocking=True,
            partitions_def=partitions,
        )
        freshness = dg.AssetCheckSpec(
            FRESHNESS,
            asset=asset,
            description="The newest published data are as new as the contract promises. Told at each publication and recheck.",
            blocking=False,
            partitions_def=partitions,
        )
    return [reconciled] if contract.freshness is None else [reconciled, freshness]


def published_check_results(
    contract: Contract, partition: str | None, environment: Environment, as_of: datetime, asset: dg.AssetKey
) -> Iterator[dg.AssetCheckResult]:
    """The answers for the table as it stands; `as_of` is the moment for which its age is told."""
    found = reconcile(contract, partition, environment)
    yield dg.AssetCheckResult(
        check_name=RECONCILED,
        asset_key=asset,
        passed=not found.differences,
        description="; ".join(found.differences) or "the table shows what the ledger says",
        metadata=reconciliation_metadata(found),
    )
    if contract.freshness is None:
        return
    status = status_of(contract, Ledger(environment.ledger).entries(contract=contract.name), as_of)
    yield dg.AssetCheckResult(
        check_name=FRESHNESS,
        asset_key=asset,
        passed=status.is_stale is False,
        severity=dg.AssetCheckSeverity.WARN,
        description=plain(next(status_lines(status))),
        metadata=freshness_metadata(status, contract.freshness.max_age),
    )


def freshness_policy_of(contract: Contract) -> dg.FreshnessPolicy | None:
    """Dagster's own watch: a table that nobody published to for the promised age holds data that are older than that."""
    if contract.freshness is None:
        return None
    return dg.FreshnessPolicy.time_window(fail_window=max(contract.freshness.max_age, _SHORTEST_WINDOW))
