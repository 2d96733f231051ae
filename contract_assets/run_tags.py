"""What a step writes on its run: what the run was about, and that nobody starts it again where trying again changes nothing."""

import dagster as dg
from dagster._core.storage.tags import MAX_RETRIES_TAG  # the public name is missing in 1.13

from contract_assets.labels import tags_of
from contract_core.contract.model import Contract

Context = dg.AssetExecutionContext | dg.OpExecutionContext


def name_submission(context: Context, contract: Contract, submission: str) -> None:
    """Contract, version and submission, to find the run by; of a run about several contracts those of the last one."""
    context.instance.add_run_tags(context.run.run_id, {**tags_of(contract), "submission": submission[:12]})


def end_retries(context: Context, failure: dg.Failure | None = None) -> None:
    """After a refusal Dagster's `run_retries` do not launch the run again, whatever they allow; after a crash they may.

    A failure says which it is, as it does to a step's own retry policy.
    """
    if failure is None or not failure.allow_retries:
        context.instance.add_run_tags(context.run.run_id, {MAX_RETRIES_TAG: "0"})
