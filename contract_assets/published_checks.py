"""The checks of a published table: how old its data are, whether they came in time, and whether it shows what the ledger says."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

import dagster as dg

from contract_assets.checks import SEVERITY, partitioned_checks
from contract_assets.labels import plain
from contract_assets.metadata import deadline_metadata, freshness_metadata, reconciliation_metadata
from contract_assets.shown import Shown
from contract_core.contract.model import Contract
from contract_core.operations.deadlines import Expected, State, expected, is_promised
from contract_core.operations.reconciled import Reconciliation, compared, reconcile
from contract_core.operations.status import Status
from contract_core.publication.freshness import promised_freshness
from contract_core.publication.submit import store_of
from contract_core.rendering.deadlines import expected_words
from contract_core.rendering.next_steps import BY_RULE, WHEN_OVERDUE, WHEN_SILENT
from contract_core.rendering.shown import event_words, pause_words

FRESHNESS, SILENCE, RECONCILED, DEADLINE = "freshness", "silence", "reconciled", "deadline"
_DESCRIPTIONS = {
    RECONCILED: "The partition of the table shows what the ledger says was published last: its mark and its rows.",
    FRESHNESS: "The newest published event is as new as promised. Told at each publication, and by a schedule when none comes.",
    SILENCE: "Something new was published as lately as promised. Told at each publication, and by a schedule when none comes.",
    DEADLINE: "The partition came by the moment at which it was due. Told when it comes, and by a schedule when it does not.",
}
_SHORTEST_WINDOW = timedelta(minutes=1)


def published_check_specs(
    contract: Contract, asset: dg.AssetKey, partitions: dg.PartitionsDefinition | None
) -> list[dg.AssetCheckSpec]:
    """`reconciled` always, `freshness` and `silence` as far as they are promised, `deadline` where partitions are due at all."""
    promise = promised_freshness(contract)
    is_pause_promised = promise is not None and promise.max_silence is not None
    asked = {
        RECONCILED: True,
        FRESHNESS: promise is not None,
        SILENCE: is_pause_promised,
        DEADLINE: is_promised(contract),
    }
    with partitioned_checks():
        return [
            dg.AssetCheckSpec(
                name,
                asset=asset,
                description=_DESCRIPTIONS[name],
                blocking=name == RECONCILED,
                partitions_def=partitions,
            )
            for name, is_asked in asked.items()
            if is_asked
        ]


def published_check_results(seen: Shown, partition: str | None, asset: dg.AssetKey) -> Iterator[dg.AssetCheckResult]:
    """The answers for the table as it stands."""
    contract, found = seen.contract, _reconciled(seen, partition)
    yield dg.AssetCheckResult(
        check_name=RECONCILED,
        asset_key=asset,
        passed=not found.differences,
        description="; ".join(found.differences) or "the table shows what the ledger says",
        metadata=reconciliation_metadata(found),
    )
    yield from age_results(contract, seen.status, asset)
    if partition is not None and is_promised(contract):
        own = tuple(entry for entry in seen.entries if entry.partition == partition)
        yield deadline_result(contract, expected(contract, own, partition, seen.standing.at), asset)


def _reconciled(seen: Shown, partition: str | None) -> Reconciliation:
    """Where the two differ, by a second look: what was published since the ledger was read is no difference."""
    found = compared(seen.contract, partition, seen.entries, store_of(seen.environment))
    return reconcile(seen.contract, partition, seen.environment) if found.differences else found


def age_results(contract: Contract, status: Status, asset: dg.AssetKey) -> Iterator[dg.AssetCheckResult]:
    """The answers about the age of the newest event and about the last publication, as far as either is promised."""
    promise = promised_freshness(contract)
    if promise is None:
        return
    answers = [(FRESHNESS, status.is_too_old, promise.max_age, event_words(status), BY_RULE[FRESHNESS])]
    if promise.max_silence is not None:
        answers.append((SILENCE, status.is_silent, promise.max_silence, pause_words(status), WHEN_SILENT))
    for name, is_broken, allowed, words, step in answers:
        yield dg.AssetCheckResult(
            check_name=name,
            asset_key=asset,
            passed=is_broken is False,
            severity=dg.AssetCheckSeverity.WARN,
            description=plain(words),
            metadata={
                **freshness_metadata(status, allowed),
                **_what_to_do(step, is_kept=is_broken is False),
            },
        )


def deadline_result(contract: Contract, item: Expected, asset: dg.AssetKey) -> dg.AssetCheckResult:
    """The answer for one partition; it fails for one that came late and for one that has not come although it is due."""
    assert contract.delivery.due is not None, "only a promised deadline is told"
    is_in_time = not item.is_overdue and item.state is not State.LATE
    step = WHEN_OVERDUE if item.is_overdue else BY_RULE[DEADLINE]
    return dg.AssetCheckResult(
        check_name=DEADLINE,
        asset_key=asset,
        passed=is_in_time,
        severity=SEVERITY[contract.delivery.due.severity],
        description=plain(expected_words(item)),
        metadata={**deadline_metadata(item), **_what_to_do(step, is_kept=is_in_time)},
    )


def _what_to_do(step: str, *, is_kept: bool) -> Mapping[str, dg.MetadataValue]:
    return {} if is_kept else {"what_to_do": dg.MetadataValue.text(step)}


def freshness_policy_of(contract: Contract) -> dg.FreshnessPolicy | None:
    """Dagster's own watch over the last publication: for the promised pause, else for the promised age, since a table to which
    nobody published for so long holds data that are older.
    """
    promise = promised_freshness(contract)
    if promise is None:
        return None
    return dg.FreshnessPolicy.time_window(fail_window=max(promise.max_silence or promise.max_age, _SHORTEST_WINDOW))
