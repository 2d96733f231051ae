"""Contract → landing, candidate and published assets. Each step asks the core one question and tells Dagster the answer."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import Field

from contract_assets.check_events import log_checks
from contract_assets.checks import check_results, check_specs, unanswered_checks
from contract_assets.failures import told_to_dagster
from contract_assets.incidents import incidents_check_spec, incidents_result, log_incidents
from contract_assets.labels import candidate_key, group_of, landing_key, owners_of, promise_of, published_key, tags_of
from contract_assets.measures import judgement_measures, publication_measures
from contract_assets.metadata import Metadata, candidate_metadata, definition_metadata, publication_metadata
from contract_assets.notifications import notified_check_spec, notified_result
from contract_assets.own_function import GATE, Events, HandedOver, Wrapped, handed_over, own_spec, unstored_out, wrapped
from contract_assets.partitions import partition_of, partitions_of
from contract_assets.published_checks import (
    freshness_policy_of,
    published_check_results,
    published_check_specs,
)
from contract_assets.resources import GateResource
from contract_assets.restatements import restatement_metadata
from contract_assets.run_tags import end_retries, name_submission
from contract_assets.shown import Shown, observe, shown, shown_if_known
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.handed_over import delivered_paths_of
from contract_core.candidate.landing import landed_paths
from contract_core.candidate.spool import attempt_folder
from contract_core.contract.model import Contract
from contract_core.operations.identity import refuse_other_identity
from contract_core.publication.publish import publish, publish_older
from contract_core.publication.record import PublicationRecord
from contract_core.publication.submit import Judged, publish_latest, take_and_decide
from contract_core.rendering.reports import decision_words, message

CONTRACT_HOLDS = (
    ~dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.any_checks_match(~dg.AutomationCondition.check_passed(), blocking_only=True)
    )
).with_label("contract_holds")

WHEN_ACCEPTED = dg.AutomationCondition.eager().without(dg.AutomationCondition.in_latest_time_window()) & CONTRACT_HOLDS
"""For every partition: a delivery comes after its day has ended, and a correction later still."""


class PublishConfig(dg.Config):
    """What may be asked of one run of the published asset, in the launchpad."""

    allow_older: bool = Field(
        default=False,
        description="Publish this delivery even where it replaces one that was received later: go back on purpose.",
    )


CheckedAsset = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]


@dataclass(frozen=True, slots=True)
class Offered:
    """The asset that is offered for publication: its key, its partitions, and the catalogue of the assets beside it."""

    contract: Contract
    key: dg.AssetKey
    partitions: dg.PartitionsDefinition | None
    catalog: str | None


def build_contract_assets(
    contract: Contract, catalog: str | None = None, candidate: dg.AssetsDefinition | None = None
) -> list[dg.AssetSpec | dg.AssetsDefinition]:
    """The three assets of a contract: landing (external), candidate with its checks, published; `catalog` begins their keys.

    With `candidate`, a user's own asset: what its function returns is the delivery, and there is no landing.
    """
    known = definition_metadata(contract)
    if candidate is not None:
        spec = own_spec(candidate, contract)
        offered = Offered(contract, spec.key, spec.partitions_def, catalog)
        return [_own_candidate(offered, candidate, spec, known), _published(offered, known)]
    offered = Offered(contract, candidate_key(contract, catalog), partitions_of(contract), catalog)
    return [_landing(contract, catalog), _candidate(offered, known), _published(offered, known)]


def _landing(contract: Contract, catalog: str | None) -> dg.AssetSpec:
    return dg.AssetSpec(
        key=landing_key(contract, catalog),
        description=f"What producers deliver for {contract.name}. Nobody reads it but the step that takes the candidate.",
        group_name=group_of(contract),
        owners=owners_of(contract),
        tags=tags_of(contract),
        kinds={contract.delivery.format.type},
        partitions_def=partitions_of(contract),
    )


def _candidate(offered: Offered, known: Metadata) -> dg.AssetsDefinition:
    contract = offered.contract

    @dg.asset(
        key=offered.key,
        deps=[landing_key(contract, offered.catalog)],
        partitions_def=offered.partitions,
        check_specs=check_specs(contract, offered.key, offered.partitions),
        description=f"One delivery of {contract.name}, taken once and judged. Restricted: not for consumers.",
        group_name=group_of(contract),
        owners=owners_of(contract),
        tags=tags_of(contract),
        kinds={"parquet", "polars"},
        code_version=contract.version,
        metadata=known,
    )
    def candidate(context: dg.AssetExecutionContext, gate: GateResource) -> CheckedAsset:
        yield from _told(
            context, offered, gate, lambda: _take_and_decide(contract, gate, partition_of(contract, context))
        )

    return candidate


def _own_candidate(
    offered: Offered, own: dg.AssetsDefinition, spec: dg.AssetSpec, known: Metadata
) -> dg.AssetsDefinition:
    """A user's asset as the candidate: the same function, needs and names, and our judgement of what it returns."""
    contract = offered.contract

    def steps(context: dg.AssetExecutionContext, run: Callable[[], Any]) -> Events:
        gate, given = context.resources.gate, HandedOver()

        def taken() -> Judged:
            nonlocal given
            given = handed_over(run)
            return _take_handed_over(contract, gate, partition_of(contract, context), given.value)

        for event in _told(context, offered, gate, taken):
            is_new = isinstance(event, dg.MaterializeResult)
            yield given.materialised(event.metadata or {}, asset_key=offered.key) if is_new else event
        yield from given.events

    checks = check_specs(contract, offered.key, offered.partitions)
    return wrapped(own, Wrapped(checks, unstored_out(own), _named(spec, contract, known), frozenset({GATE})), steps)


def _named(spec: dg.AssetSpec, contract: Contract, known: Metadata) -> dg.AssetSpec:
    """The user's spec with what the contract says beside it; where both say something, the user's words stay."""
    tags = {name: value for name, value in tags_of(contract).items() if name not in spec.tags}
    return spec.merge_attributes(tags=tags, metadata={k: v for k, v in known.items() if k not in spec.metadata})


def _told(
    context: dg.AssetExecutionContext, offered: Offered, gate: GateResource, taken: Callable[[], Judged]
) -> CheckedAsset:
    """What becomes of a candidate, told in an order that automation can rely on: a refused one is not materialised."""
    contract, key, catalog = offered.contract, offered.key, offered.catalog
    try:
        with told_to_dagster():
            judged = taken()
    except dg.Failure as failure:
        end_retries(context, failure)
        yield from unanswered_checks(contract, key, failure.description or "")
        _tell_what_consumers_see(context, shown_if_known(contract, gate), catalog)
        raise
    name_submission(context, contract, judged.report.submission)
    if not judged.is_accepted:
        end_retries(context)
        yield from check_results(judged, key)
        seen = shown_if_known(contract, gate)
        _tell_what_consumers_see(context, seen, catalog)
        observe(context, published_key(contract, catalog), partition_of(contract, context), seen)
        raise refusal(judged, seen)
    told = {**candidate_metadata(judged.report, judged.decision), **judgement_measures(judged.report)}
    correction = restatement_metadata(judged.report.learned.restated)
    yield dg.MaterializeResult(asset_key=key, metadata={**told, **correction})
    yield from check_results(judged, key)


def _published(offered: Offered, known: Metadata) -> dg.AssetsDefinition:
    contract, partitions, catalog = offered.contract, offered.partitions, offered.catalog
    key = published_key(contract, catalog)

    @dg.asset(
        key=key,
        deps=[offered.key],
        partitions_def=partitions,
        check_specs=[
            *published_check_specs(contract, key, partitions),
            notified_check_spec(contract, catalog),
            incidents_check_spec(contract, catalog),
        ],
        description=promise_of(contract),
        group_name=group_of(contract),
        owners=owners_of(contract),
        tags=tags_of(contract),
        kinds={"deltalake"},
        code_version=contract.version,
        metadata=known,
        automation_condition=WHEN_ACCEPTED,
        freshness_policy=freshness_policy_of(contract),
        pool=f"publish_{contract.name}",
    )
    def published(context: dg.AssetExecutionContext, config: PublishConfig, gate: GateResource) -> CheckedAsset:
        partition = partition_of(contract, context)
        try:
            with told_to_dagster():
                record = _publish(contract, partition, gate, config)
        except dg.Failure as failure:
            end_retries(context, failure)
            raise
        name_submission(context, contract, record.submission)
        seen = shown_if_known(contract, gate)
        told = {**publication_metadata(record, _quarantine(contract, gate)), **publication_measures(record)}
        told |= {} if record.superseded_by is not None else restatement_metadata(record.restated)
        told = told if seen is None else {**seen.lasting_facts, **told, **seen.table}
        yield dg.MaterializeResult(asset_key=key, metadata=told)
        with told_to_dagster():
            seen = seen or shown(contract, gate)
            results = list(published_check_results(seen, partition, key))
            results += [notified_result(seen, catalog), incidents_result(seen, catalog)]
        yield from results

    return published


def _publish(contract: Contract, partition: str | None, gate: GateResource, config: PublishConfig) -> PublicationRecord:
    environment = gate.environment()
    refuse_other_identity(environment)
    how = publish_older if config.allow_older else publish
    return publish_latest(contract, partition, environment, gate.now(), how)


def _quarantine(contract: Contract, gate: GateResource) -> Path | None:
    """Where the rows are that were kept apart, for a contract that keeps some."""
    is_kept = contract.enforcement.on_breach == "quarantine"
    return gate.store().quarantine.path_of(contract.name) if is_kept else None


def _take_and_decide(contract: Contract, gate: GateResource, partition: str | None) -> Judged:
    environment = gate.environment()
    delivery = collect_delivery(contract, landed_paths(contract, environment.landing, partition), partition)
    return take_and_decide(contract, delivery, environment, gate.now(), gate.moment_of_judgement())


def _take_handed_over(contract: Contract, gate: GateResource, partition: str | None, value: object) -> Judged:
    environment = gate.environment()
    with attempt_folder(environment.candidates.absolute()) as folder:
        delivery = collect_delivery(contract, delivered_paths_of(contract, value, folder), partition)
        return take_and_decide(contract, delivery, environment, gate.now(), gate.moment_of_judgement())


def _tell_what_consumers_see(context: dg.AssetExecutionContext, seen: Shown | None, catalog: str | None) -> None:
    """Answers the published table's checks in place of the step that will not run; what cannot be told does not hide the refusal."""
    if seen is None:
        return
    key, partition = published_key(seen.contract, catalog), partition_of(seen.contract, context)
    with suppress(dg.Failure), told_to_dagster():
        told = list(published_check_results(seen, partition, key))
        log_checks(context, partition, told, published_check_specs(seen.contract, key, None))
        told = [notified_result(seen, catalog)]
        log_checks(context, None, told, [notified_check_spec(seen.contract, catalog)])
    log_incidents(context, seen, catalog)


def refusal(judged: Judged, seen: Shown | None) -> dg.Failure:
    """The end of a refused candidate: red, without retry, and without a materialisation that anything could step on.

    It says what consumers still see, as far as that is known.
    """
    still = f" and still {seen.words}" if seen is not None and seen.status.newest is not None else ""
    return refused(judged, f"the published table is as it was{still}")


def refused(judged: Judged, left: str) -> dg.Failure:
    """The same, where `left` says what stays as it was."""
    held_back = [finding for finding in judged.report.breached() if finding.id in judged.decision.reasons]
    weighed = [] if judged.report.broken_rows is None else [decision_words(judged.report, judged.decision)]
    told = [*weighed, *(message(finding) for finding in held_back)]
    return dg.Failure(
        description=f"refused, {left}. {'; '.join(told)}",
        metadata={"rules": ", ".join(judged.decision.reasons), "submission": judged.report.submission},
        allow_retries=False,
    )
