"""Contract → landing, candidate and published assets. Each step asks the core one question and tells Dagster the answer."""

from collections.abc import Iterator

import dagster as dg

from contract_assets.checks import check_results, check_specs
from contract_assets.failures import told_to_dagster
from contract_assets.metadata import candidate_metadata, definition_metadata, findings_summary, publication_metadata
from contract_assets.partitions import partitions_of
from contract_assets.resources import GateResource
from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.landing import landed_paths
from contract_core.contract.model import Contract
from contract_core.publication.submit import Judged, judge_again, publish_latest, take_and_decide

CONTRACT_HOLDS = (
    ~dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.any_checks_match(~dg.AutomationCondition.check_passed(), blocking_only=True)
    )
).with_label("contract_holds")

CheckedCandidate = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]


def landing_key(contract: Contract) -> dg.AssetKey:
    """The key of what producers deliver."""
    return dg.AssetKey(["landing", contract.name])


def candidate_key(contract: Contract) -> dg.AssetKey:
    """The key of what is offered for publication."""
    return dg.AssetKey(["candidate", contract.name])


def published_key(contract: Contract) -> dg.AssetKey:
    """The key of what consumers read."""
    return dg.AssetKey(["published", contract.name])


def build_contract_assets(contract: Contract) -> list[dg.AssetSpec | dg.AssetsDefinition]:
    """The three assets of a contract: landing (external), candidate with its checks, published."""
    return [_landing(contract), _candidate(contract), _published(contract)]


def _owners(contract: Contract) -> list[str]:
    """The contacts that Dagster takes as owners: e-mail addresses and teams."""
    producer = contract.owners.producer if contract.owners is not None else None
    contact = producer.contact if producer is not None else None
    return [contact] if contact is not None and (contact.startswith("team:") or "@" in contact) else []


def _tags(contract: Contract) -> dict[str, str]:
    return {"contract": contract.name, "contract_version": contract.version, "contract_status": contract.status}


def _landing(contract: Contract) -> dg.AssetSpec:
    return dg.AssetSpec(
        key=landing_key(contract),
        description=f"What producers deliver for {contract.name}. Nobody reads it but the step that takes the candidate.",
        group_name=contract.domain or "contracts",
        owners=_owners(contract),
        tags=_tags(contract),
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
        group_name=contract.domain or "contracts",
        owners=_owners(contract),
        tags=_tags(contract),
        kinds={"parquet", "polars"},
        code_version=contract.version,
        metadata=definition_metadata(contract),
    )
    def candidate(context: dg.AssetExecutionContext, gate: GateResource) -> CheckedCandidate:
        with told_to_dagster():
            judged = _take_and_decide(contract, gate, _partition(context))
        if not judged.is_accepted:
            yield from check_results(contract, judged.report, key)
            raise _refusal(judged)
        yield dg.MaterializeResult(asset_key=key, metadata=candidate_metadata(judged.report))
        yield from check_results(contract, judged.report, key)

    return candidate


def _published(contract: Contract) -> dg.AssetsDefinition:
    @dg.asset(
        key=published_key(contract),
        deps=[candidate_key(contract)],
        partitions_def=partitions_of(contract),
        description=_promise(contract),
        group_name=contract.domain or "contracts",
        owners=_owners(contract),
        tags=_tags(contract),
        kinds={"deltalake"},
        code_version=contract.version,
        metadata=definition_metadata(contract),
        automation_condition=dg.AutomationCondition.eager() & CONTRACT_HOLDS,
        pool=f"publish_{contract.name}",
    )
    def published(context: dg.AssetExecutionContext, gate: GateResource) -> dg.MaterializeResult[None]:
        with told_to_dagster():
            record = publish_latest(contract, _partition(context), gate.environment(), gate.now())
        return dg.MaterializeResult(asset_key=published_key(contract), metadata=publication_metadata(record))

    return published


def build_recheck_job(contract: Contract) -> dg.JobDefinition:
    """A job that judges the stored candidate of a partition again, as of now; its checks say so."""
    key, partitions = candidate_key(contract), partitions_of(contract)

    @dg.op(name=f"judge_{contract.name}_again")
    def judge_stored_candidate(context: dg.OpExecutionContext, gate: GateResource) -> None:
        partition, moment = _partition(context), gate.moment_of_judgement()
        with told_to_dagster():
            judged = judge_again(contract, partition, gate.environment(), gate.now(), moment)
        note = f"judged again as of {moment:%Y-%m-%d %H:%M} UTC: "
        for evaluation in _evaluations(contract, judged, key, partition, note):
            context.instance.report_runless_asset_event(evaluation)
        if not judged.is_accepted:
            raise _refusal(judged)

    @dg.job(
        name=f"recheck_{contract.name}",
        partitions_def=partitions,
        description=f"Judge the stored candidate of {contract.name} again, as of now.",
    )
    def recheck() -> None:
        judge_stored_candidate()

    return recheck


def _evaluations(
    contract: Contract, judged: Judged, key: dg.AssetKey, partition: str | None, note: str
) -> Iterator[dg.AssetCheckEvaluation]:
    blocking = {spec.name: spec.blocking for spec in check_specs(contract, key, None)}
    for told in check_results(contract, judged.report, key, note):
        assert told.check_name is not None
        yield dg.AssetCheckEvaluation(
            asset_key=key,
            check_name=told.check_name,
            passed=told.passed,
            severity=told.severity,
            description=told.description,
            metadata=told.metadata,
            blocking=blocking[told.check_name],
            partition=partition,
        )


def _take_and_decide(contract: Contract, gate: GateResource, partition: str | None) -> Judged:
    environment = gate.environment()
    delivery = collect_delivery(contract, landed_paths(contract, environment.landing, partition), partition)
    return take_and_decide(contract, delivery, environment, gate.now(), gate.moment_of_judgement())


def _partition(context: dg.AssetExecutionContext | dg.OpExecutionContext) -> str | None:
    return context.partition_key if context.has_partition_key else None


def _refusal(judged: Judged) -> dg.Failure:
    """The end of a refused candidate: red, without retry, and without a materialisation that anything could step on."""
    held_back = [finding for finding in judged.report.breached() if finding.id in judged.decision.reasons]
    return dg.Failure(
        description=f"refused, the published table is as it was. {findings_summary(held_back)}",
        metadata={"rules": list(judged.decision.reasons), "submission": judged.report.submission},
        allow_retries=False,
    )


def _promise(contract: Contract) -> str:
    """What consumers may rely on, in the contract's words."""
    words = [
        contract.description or f"The published table of {contract.name}.",
        f"Grain: {contract.grain}" if contract.grain else "",
    ]
    return " ".join(word for word in [*words, "Only deliveries that keep the contract appear here."] if word)
