"""The checks of a published table: how old its data are, whether they came in time, and whether it shows what the ledger says."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

import dagster as dg

from contract_assets.checks import SEVERITY, partitioned_checks
from contract_assets.labels import plain
from contract_assets.metadata import deadline_metadata, freshness_metadata, reconciliation_metadata
from contract_core.contract.model import Contract
from contract_core.environment import Environment
from contract_core.operations.deadlines import Expected, State, expected, is_promised
from contract_core.operations.reconciled import reconcile
from contract_core.operations.status import status_of
from contract_core.publication.entry import LedgerEntry
from contract_core.publication.ledger import Ledger
from contract_core.rendering.deadlines import expected_words
from contract_core.rendering.next_steps import step_for
from contract_core.rendering.shown import shown_words

FRESHNESS, RECONCILED, DEADLINE = "freshness", "reconciled", "deadline"
_SHORTEST_WINDOW = timedelta(minutes=1)


def published_check_specs(
    contract: Contract, asset: dg.AssetKey, partitions: dg.PartitionsDefinition | None
) -> list[dg.AssetCheckSpec]:
    """`reconciled` always, `freshness` where the contract promises an age, `deadline` where it says when partitions are due."""
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
        deadline = dg.AssetCheckSpec(
            DEADLINE,
            asset=asset,
            description="The partition came by the moment at which it was due. Told when it comes, and by a schedule when it does not.",
            blocking=False,
            partitions_def=partitions,
        )
    asked = [(freshness, contract.freshness is not None), (deadline, is_promised(contract))]
    return [reconciled, *(spec for spec, is_asked in asked if is_asked)]


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
    entries = Ledger(environment.ledger).entries(contract=contract.name)
    if contract.freshness is not None:
        yield _freshness_result(contract, entries, as_of, asset)
    if partition is not None and is_promised(contract):
        own = tuple(entry for entry in entries if entry.partition == partition)
        yield deadline_result(contract, expected(contract, own, partition, as_of), asset)


def _freshness_result(
    contract: Contract, entries: tuple[LedgerEntry, ...], as_of: datetime, asset: dg.AssetKey
) -> dg.AssetCheckResult:
    status = status_of(contract, entries, as_of)
    assert contract.freshness is not None, "only a promised age is told"
    is_fresh = status.is_stale is False
    return dg.AssetCheckResult(
        check_name=FRESHNESS,
        asset_key=asset,
        passed=is_fresh,
        severity=dg.AssetCheckSeverity.WARN,
        description=plain(shown_words(status)),
        metadata={
            **freshness_metadata(status, contract.freshness.max_age),
            **_what_to_do(FRESHNESS, is_kept=is_fresh),
        },
    )


def deadline_result(contract: Contract, item: Expected, asset: dg.AssetKey) -> dg.AssetCheckResult:
    """The answer for one partition; it fails for one that came late and for one that has not come although it is due."""
    assert contract.delivery.due is not None, "only a promised deadline is told"
    is_in_time = not item.is_overdue and item.state is not State.LATE
    return dg.AssetCheckResult(
        check_name=DEADLINE,
        asset_key=asset,
        passed=is_in_time,
        severity=SEVERITY[contract.delivery.due.severity],
        description=plain(expected_words(item)),
        metadata={**deadline_metadata(item), **_what_to_do(DEADLINE, is_kept=is_in_time)},
    )


def _what_to_do(rule: str, *, is_kept: bool) -> Mapping[str, dg.MetadataValue]:
    return {} if is_kept else {"what_to_do": dg.MetadataValue.text(step_for(rule, rule))}


def freshness_policy_of(contract: Contract) -> dg.FreshnessPolicy | None:
    """Dagster's own watch: a table that nobody published to for the promised age holds data that are older than that."""
    if contract.freshness is None:
        return None
    return dg.FreshnessPolicy.time_window(fail_window=max(contract.freshness.max_age, _SHORTEST_WINDOW))
