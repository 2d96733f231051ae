"""Contracts for assets that something else stores: checks in the asset's own step, checks about an asset from elsewhere, a Dagster type.

Nothing is recorded or published here: each asks the core for a judgement of a frame, and tells Dagster the answer.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dagster as dg
import polars as pl

from contract_assets.assets import refused
from contract_assets.checks import check_name, check_results, check_specs, unanswered_checks
from contract_assets.failures import told_to_dagster
from contract_assets.measures import judgement_measures
from contract_assets.metadata import candidate_metadata
from contract_assets.own_function import Events, Wrapped, handed_over, own_spec, stored_out, wrapped
from contract_assets.partitions import partition_of, partitions_of
from contract_assets.run_tags import end_retries
from contract_core.contract.model import Contract
from contract_core.publication.alone import frame_file, judge_frame, refuse_beyond_frames
from contract_core.publication.submit import Judged

Clock = Callable[[], datetime]
Load = Callable[[str | None], object]


def _now() -> datetime:
    return datetime.now(UTC)


def with_contract(own: dg.AssetsDefinition, contract: Contract, now: Clock = _now) -> dg.AssetsDefinition:
    """The same asset with the contract's checks in its own step: a refused frame never reaches the I/O manager.

    A lazy frame is computed once, into a file that is judged; the I/O manager is given a lazy scan of that file, which ends with
    the step. Raises NotYetSupportedError for a contract that asks for more than a frame can be held to.
    """
    refuse_beyond_frames(contract)
    spec, out = own_spec(own, contract), stored_out(own)

    def steps(context: dg.AssetExecutionContext, run: Callable[[], Any]) -> Events:
        with _folder() as folder:
            try:
                given = handed_over(run)
                judged = _judged(contract, given.value, partition_of(contract, context), now(), folder)
            except dg.Failure as failure:
                end_retries(context, failure)
                yield from unanswered_checks(contract, spec.key, failure.description or "")
                raise
            if not judged.is_accepted:
                end_retries(context)
                yield from check_results(judged, spec.key)
                raise refused(judged, "nothing was handed to the I/O manager")
            stored = _stored(contract, given.value, folder)
            stored = _with_its_rows(stored) if _keeps_plans(getattr(context.resources, out.io_manager_key)) else stored
            yield given.materialised(_told(judged), asset_key=spec.key, value=stored)
            yield from check_results(judged, spec.key)
            yield from given.events

    checks = check_specs(contract, spec.key, spec.partitions_def)
    return wrapped(own, Wrapped(checks, out, spec, frozenset({out.io_manager_key})), steps)


@dataclass(frozen=True, slots=True)
class Checked:
    """An asset from elsewhere: its key, its partitions where they are not the contract's, and the clock of its judgement."""

    key: dg.AssetKey
    partitions: dg.PartitionsDefinition | None = None
    now: Clock = _now


def contract_checks(
    contract: Contract, asset: str | Sequence[str] | dg.AssetKey | Checked, load: Load | None = None
) -> dg.AssetChecksDefinition:
    """The contract's checks about an asset that is made elsewhere, in a step of their own that judges once for all of them.

    `load` gives the rows of a partition, None for an asset without; where it is left out, the I/O manager loads them.
    """
    refuse_beyond_frames(contract)
    about = asset if isinstance(asset, Checked) else Checked(dg.AssetKey.from_coercible(asset))
    partitions = about.partitions or partitions_of(contract)
    options: dict[str, Any] = {
        "name": f"contract_{check_name(contract.name)}_{check_name(about.key.to_python_identifier())}",
        "specs": check_specs(contract, about.key, partitions),
        "description": f"Holds {about.key.to_user_string()} to contract {contract.name} {contract.version}.",
    }

    def results(context: dg.AssetCheckExecutionContext, rows: Load) -> Iterator[dg.AssetCheckResult]:
        step = context.op_execution_context
        partition = partition_of(contract, step)
        with _folder() as folder:
            try:
                with told_to_dagster():
                    judged = _judged(contract, rows(partition), partition, about.now(), folder)
            except dg.Failure as failure:
                end_retries(step, failure)
                yield from unanswered_checks(contract, about.key, failure.description or "")
                raise
            if not judged.is_accepted:
                end_retries(step)
            yield from check_results(judged, about.key)

    if load is None:

        @dg.multi_asset_check(ins={"stored": dg.AssetIn(about.key)}, **options)
        def checked(
            context: dg.AssetCheckExecutionContext,
            stored: Any,  # noqa: ANN401 - as its I/O manager gives it
        ) -> Iterator[dg.AssetCheckResult]:
            yield from results(context, lambda _: stored)

        return checked

    @dg.multi_asset_check(**options)
    def checked_by_loading(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
        yield from results(context, load)

    return checked_by_loading


def dagster_type_of(contract: Contract, now: Clock = _now) -> dg.DagsterType:
    """A Dagster type for frames of this contract, by the gate's own judgement. A lazy frame is computed for it, and again later.

    A type knows no partition: for a contract with partitions it raises NotYetSupportedError.
    """
    refuse_beyond_frames(contract, is_partition_known=False)

    def judged(_: dg.TypeCheckContext, value: object) -> dg.TypeCheck:
        with _folder() as folder:
            try:
                found = _judged(contract, value, None, now(), folder)
            except dg.Failure as failure:
                return dg.TypeCheck(success=False, description=failure.description)
            why = None if found.is_accepted else refused(found, "no frame of this contract").description
            return dg.TypeCheck(success=found.is_accepted, description=why, metadata=_told(found))

    return dg.DagsterType(
        judged, name=f"contract_{check_name(contract.name)}", description=contract.description, typing_type=object
    )


def _judged(contract: Contract, value: object, partition: str | None, at: datetime, folder: Path) -> Judged:
    with told_to_dagster():
        return judge_frame(contract, value, partition, at, folder)


def _stored(contract: Contract, value: object, folder: Path) -> object:
    """What the I/O manager is given: the frame that was judged, or a scan of the file that was."""
    is_lazy = isinstance(value, pl.LazyFrame)
    return pl.scan_parquet(frame_file(contract, folder), glob=False, hive_partitioning=False) if is_lazy else value


def _keeps_plans(store: object) -> bool:
    """True for Dagster's own I/O managers, which keep a lazy frame's plan and not its rows: the file is gone by then."""
    return type(store).__module__.startswith("dagster._core.storage.")


def _with_its_rows(value: object) -> object:
    return value.collect(engine="streaming").lazy() if isinstance(value, pl.LazyFrame) else value


def _told(judged: Judged) -> dict[str, Any]:
    return {**candidate_metadata(judged.report, judged.decision), **judgement_measures(judged.report)}


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder that nobody else may enter, gone when the step is."""
    with TemporaryDirectory(prefix="contract-gate-") as folder:
        yield Path(folder)
