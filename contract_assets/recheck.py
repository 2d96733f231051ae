"""The job that judges a stored candidate again: a partitioned check cannot be run alone from the UI, and time alone may break a promise."""

import dagster as dg

from contract_assets.assets import refusal
from contract_assets.check_events import log_checks
from contract_assets.checks import check_results, check_specs
from contract_assets.failures import told_to_dagster
from contract_assets.incidents import log_incidents
from contract_assets.labels import candidate_key, published_key
from contract_assets.partitions import partition_of, partitions_of
from contract_assets.published_checks import published_check_results, published_check_specs
from contract_assets.resources import GateResource
from contract_assets.run_tags import end_retries
from contract_assets.shown import shown
from contract_core.contract.model import Contract
from contract_core.publication.submit import judge_again


def build_recheck_job(
    contract: Contract, catalog: str | None = None, candidate: dg.AssetKey | None = None
) -> dg.JobDefinition:
    """Judges the candidate that a partition was last decided on, as of now; its checks say so, and the gate follows it.

    `candidate` is the key of a user's own asset.
    """
    own, published = candidate or candidate_key(contract, catalog), published_key(contract, catalog)

    @dg.op(name=f"judge_{contract.name}_again")
    def judge_stored_candidate(context: dg.OpExecutionContext, gate: GateResource) -> None:
        partition, moment = partition_of(contract, context), gate.moment_of_judgement()
        with told_to_dagster():
            judged = judge_again(contract, partition, gate.environment(), gate.now(), moment)
            if not judged.is_accepted:
                end_retries(context)
            seen = shown(contract, gate)
            now = list(published_check_results(seen, partition, published))
        note = f"judged again as of {moment:%Y-%m-%d %H:%M} UTC: "
        told = check_results(judged, own, note)
        log_checks(context, partition, told, check_specs(contract, own, None))
        log_checks(context, partition, now, published_check_specs(contract, published, None))
        log_incidents(context, seen, catalog)
        if not judged.is_accepted:
            raise refusal(judged, seen)

    @dg.job(
        name=f"recheck_{contract.name}",
        partitions_def=partitions_of(contract),
        description=f"Judge the candidate of {contract.name} that was decided on last again, as of now. Publishes nothing.",
        tags={"contract": contract.name, "contract_version": contract.version},
    )
    def recheck() -> None:
        judge_stored_candidate()

    return recheck
