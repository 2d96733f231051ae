"""Contract → landing, candidate and published assets. Each step asks the core one question and tells Dagster the answer."""

from collections.abc import Iterator
from contextlib import suppress

import dagster as dg

from contract_assets.check_events import log_checks
from contract_assets.checks import check_results, check_specs, unanswered_checks
from contract_assets.failures import told_to_dagster
from contract_assets.labels import candidate_key, group_of, landing_key, owners_of, promise_of, published_key, tags_of
from contract_assets.metadata import candidate_metadata, definition_metadata, findings_summary, publication_metadata
from contract_assets.partitions import partition_of, partitions_of
from contract_assets.published_checks import (
    freshness_policy_of,
    published_check_results,
    published_check_specs,
)
from contract_assets.resources import GateResource
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.landing import landed_paths
from contract_core.contract.model import Contract
from contract_core.publication.submit import Judged, publish_latest, take_and_decide

CONTRACT_HOLDS = (
    ~dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.any_checks_match(~dg.AutomationCondition.check_passed(), blocking_only=True)
    )
).with_label("contract_holds")

WHEN_ACCEPTED = dg.AutomationCondition.eager().without(dg.AutomationCondition.in_latest_time_window()) & CONTRACT_HOLDS
"""For every partition: a delivery comes after its day has ended, and a correction later still."""

CheckedAsset = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]


def build_contract_assets(contract: Contract) -> list[dg.AssetSpec | dg.AssetsDefinition]:
    """The three assets of a contract: landing (external), candidate with its checks, published."""
    return [_landing(contract), _candidate(contract), _published(contract)]


def _landing(contract: Contract) -> dg.AssetSpec:
    return dg.AssetSpec(
        key=landing_key(contract),
        description=f"What producers deliver for {contract.name}. Nobody reads it but the step that takes the candidate.",
        group_name=group_of(contract),
        owners=owners_of(contract),
        tags=tags_of(contract),
        kinds={contract.delivery.format.type},
        partitions_def=partitions_of(contract),
    )


def _candidate(contract: Contract) -> dg.AssetsDefinition:
    key, partitions = candidate_key(contract), partitions_of(contract)

    @dg.asset(
        key=key,
        deps=[landing_key(contract)],
        partitions_def=partitions,
        check_specs=check_specs(contract, key, partitions),
        description=f"One delivery of {contract.name}, taken once and judged. Restricted: not for consumers.",
        group_name=group_of(contract),
        owners=owners_of(contract),
        tags=tags_of(contract),
        kinds={"parquet", "polars"},
        code_version=contract.version,
        metadata=definition_metadata(contract),
    )
    def candidate(context: dg.AssetExecutionContext, gate: GateResource) -> CheckedAsset:
        try:
            with told_to_dagster():
                judged = _take_and_decide(contract, gate, partition_of(context))
        except dg.Failure as failure:
            yield from unanswered_checks(contract, key, failure.description or "")
            raise
        if not judged.is_accepted:
            yield from check_results(contract, judged.report, key)
            _tell_what_consumers_see(context, contract, gate)
            raise refusal(judged)
        yield dg.MaterializeResult(asset_key=key, metadata=candidate_metadata(judged.report))
        yield from check_results(contract, judged.report, key)

    return candidate


def _published(contract: Contract) -> dg.AssetsDefinition:
    key, partitions = published_key(contract), partitions_of(contract)

    @dg.asset(
        key=key,
        deps=[candidate_key(contract)],
        partitions_def=partitions,
        check_specs=published_check_specs(contract, key, partitions),
        description=promise_of(contract),
        group_name=group_of(contract),
        owners=owners_of(contract),
        tags=tags_of(contract),
        kinds={"deltalake"},
        code_version=contract.version,
        metadata=definition_metadata(contract),
        automation_condition=WHEN_ACCEPTED,
        freshness_policy=freshness_policy_of(contract),
        pool=f"publish_{contract.name}",
    )
    def published(context: dg.AssetExecutionContext, gate: GateResource) -> CheckedAsset:
        environment, partition = gate.environment(), partition_of(context)
        with told_to_dagster():
            record = publish_latest(contract, partition, environment, gate.now())
        yield dg.MaterializeResult(asset_key=key, metadata=publication_metadata(record))
        with told_to_dagster():
            results = list(published_check_results(contract, partition, environment, gate.moment_of_judgement(), key))
        yield from results

    return published


def _take_and_decide(contract: Contract, gate: GateResource, partition: str | None) -> Judged:
    environment = gate.environment()
    delivery = collect_delivery(contract, landed_paths(contract, environment.landing, partition), partition)
    return take_and_decide(contract, delivery, environment, gate.now(), gate.moment_of_judgement())


def _tell_what_consumers_see(context: dg.AssetExecutionContext, contract: Contract, gate: GateResource) -> None:
    """Answers the published table's checks in place of the step that will not run; what cannot be told does not hide the refusal."""
    with suppress(dg.Failure), told_to_dagster():
        key, environment, moment = published_key(contract), gate.environment(), gate.moment_of_judgement()
        seen = list(published_check_results(contract, partition_of(context), environment, moment, key))
        log_checks(context, seen, published_check_specs(contract, key, None))


def refusal(judged: Judged) -> dg.Failure:
    """The end of a refused candidate: red, without retry, and without a materialisation that anything could step on."""
    held_back = [finding for finding in judged.report.breached() if finding.id in judged.decision.reasons]
    return dg.Failure(
        description=f"refused, the published table is as it was. {findings_summary(held_back)}",
        metadata={"rules": list(judged.decision.reasons), "submission": judged.report.submission},
        allow_retries=False,
    )
