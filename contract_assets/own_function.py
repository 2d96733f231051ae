"""A user's own asset with steps put around its function: what it is, needs and is called stays; what it returns is taken in hand."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any

import dagster as dg
from dagster._core.definitions.decorators.op_decorator import (
    DecoratedOpFunction,
)  # how 1.13 knows which argument is context, config or resource; there is no public way to keep that
from dagster._core.types.dagster_type import DagsterTypeKind  # no public name in 1.13

from contract_assets.failures import told_to_dagster
from contract_assets.partitions import partitions_like
from contract_core.contract.model import Contract
from contract_core.errors import Problem, WrongUsageError

GATE = "gate"
Events = Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]
_PASSED_ON = (dg.AssetCheckResult, dg.AssetObservation, dg.AssetMaterialization, dg.ExpectationResult)


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What a user's function gave: its value, what it says of it, and events that are no value."""

    value: object = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] | None = None
    data_version: dg.DataVersion | None = None
    events: tuple[Any, ...] = ()

    def materialised(self, metadata: Mapping[str, Any], **stored: Any) -> dg.MaterializeResult[Any]:  # noqa: ANN401 - key, value
        """The materialisation of this value with what the user says of it, and ours beside it."""
        told = {**self.metadata, **metadata}
        return dg.MaterializeResult(metadata=told, tags=self.tags, data_version=self.data_version, **stored)


@dataclass(frozen=True, slots=True)
class Wrapped:
    """How a user's asset is changed: checks of its own step, its output, its spec, and what its step needs."""

    checks: Sequence[dg.AssetCheckSpec]
    out: dg.Out
    spec: dg.AssetSpec
    needs: frozenset[str] = frozenset()


def own_spec(own: dg.AssetsDefinition, contract: Contract) -> dg.AssetSpec:
    """The spec of the one asset, under the contract's partitions where it has none of its own.

    Raises WrongUsageError for an asset that cannot be one of a contract.
    """
    specs = list(own.specs)
    _refuse(own, contract)
    spec = specs[0]
    partitions = partitions_like(contract, spec.partitions_def, spec.key.to_user_string())
    return spec if partitions == spec.partitions_def else spec.replace_attributes(partitions_def=partitions)


def own_out(own: dg.AssetsDefinition) -> dg.Out:
    """The asset's own output: its type, its I/O manager, its metadata."""
    made: dg.Out = dg.Out.from_definition(own.op.output_dict[next(iter(own.node_keys_by_output_name))])
    return made


def stored_out(own: dg.AssetsDefinition) -> dg.Out:
    """The same for an asset whose I/O manager is given its value; raises WrongUsageError for one that stores its rows itself."""
    made = own_out(own)
    if isinstance(made.dagster_type, dg.DagsterType) and made.dagster_type.kind == DagsterTypeKind.NOTHING:
        where = f"asset {own.key.to_user_string()}"
        hint = "let its function return a frame and say so in its annotation, or give it to build_contract_assets"
        raise WrongUsageError(Problem(where, "hands nothing to an I/O manager", hint))
    return made


def unstored_out(own: dg.AssetsDefinition) -> dg.Out:
    """The same output where nothing is handed to an I/O manager."""
    out = own_out(own)
    return dg.Out(dg.Nothing, out.description, metadata=out.metadata, code_version=out.code_version)


def wrapped(
    own: dg.AssetsDefinition, how: Wrapped, steps: Callable[[dg.AssetExecutionContext, Callable[[], Any]], Events]
) -> dg.AssetsDefinition:
    """The same asset, whose step runs `steps` with the user's function, to be called without arguments."""
    op, name = own.op, next(iter(own.node_keys_by_output_name))
    named = {spec.get_python_identifier(): spec for spec in how.checks}
    outs = {key: dg.Out.from_definition(made) for key, made in op.output_dict.items()} | {name: how.out}
    outs |= {key: dg.Out(dagster_type=dg.Nothing, is_required=True) for key in named}
    changed = dg.OpDefinition(
        compute_fn=DecoratedOpFunction(_around(op.compute_fn.decorated_fn, steps)),  # type: ignore[union-attr]  # seen
        name=op.name,
        ins={key: dg.In.from_definition(given) for key, given in op.input_dict.items()},
        outs=outs,
        description=op.description,
        config_schema=op.config_schema,
        required_resource_keys=set(op.required_resource_keys) | how.needs,
        tags=op.tags,
        retry_policy=op.retry_policy,
        pool=op.pool,
    )
    known = own.get_attributes_dict()
    del known["execution_type"]  # beta in 1.13, and a function that returns something is a materialisation anyway
    checks = {**known["check_specs_by_output_name"], **named}
    asked = {"node_def": changed, "specs": [how.spec], "check_specs_by_output_name": checks}
    return dg.AssetsDefinition(**(known | asked | {"selected_asset_check_keys": None}))


def handed_over(run: Callable[[], Any]) -> HandedOver:
    """What the function gives. What it raises becomes a Failure whose text quotes nothing; its wish for a retry stays."""
    with _told_alone():
        returned = run()
        if inspect.isgenerator(returned):
            returned = tuple(returned)
        is_tuple = isinstance(returned, tuple) and not hasattr(returned, "_fields")
        given = returned if is_tuple else (returned,)
        events = tuple(item for item in given if isinstance(item, _PASSED_ON))
        values = [item for item in given if not isinstance(item, _PASSED_ON)]
        return _unpacked(values[0] if len(values) == 1 else (tuple(values) or None), events)


def _unpacked(value: object, events: tuple[Any, ...]) -> HandedOver:
    if isinstance(value, dg.MaterializeResult):
        own = value.value if value.value is not dg.MaterializeResult().value else None
        events = (*events, *(value.check_results or ()))
        return HandedOver(own, value.metadata or {}, value.tags, value.data_version, events)
    if isinstance(value, dg.Output):
        return HandedOver(value.value, value.metadata, value.tags, value.data_version, events)
    return HandedOver(value, events=events)


def _around(own: Callable[..., Any], steps: Callable[..., Events]) -> Callable[..., Events]:
    @wraps(own)
    def ran(*given: Any, **named: Any) -> Events:  # noqa: ANN401 - whatever Dagster gives the user's function
        yield from steps(dg.AssetExecutionContext.get(), partial(own, *given, **named))

    # Dagster would read the user's annotation as that of all outputs, the checks' too.
    ran.__signature__ = inspect.signature(own).replace(return_annotation=inspect.Signature.empty)  # type: ignore[attr-defined]
    ran.__annotations__ = {name: kind for name, kind in own.__annotations__.items() if name != "return"}
    return ran


@contextmanager
def _told_alone() -> Iterator[None]:
    """A user's own Failure keeps its words and loses its cause; a request for a retry loses its cause alone."""
    told: BaseException
    try:
        with told_to_dagster():
            yield
    except dg.RetryRequested as asked:
        told = dg.RetryRequested(asked.max_retries, asked.seconds_to_wait)
    except dg.Failure as failure:
        told = failure
        told.__context__ = None
    else:
        return
    raise told from None


def _refuse(own: dg.AssetsDefinition, contract: Contract) -> None:
    where = f"asset {', '.join(sorted(key.to_user_string() for key in own.keys))}"
    what, hint = "", "write one function with @dg.asset"
    if len(own.keys) != 1:
        what = f"holds {len(own.keys)} assets, and contract '{contract.name}' is about one"
    elif not own.is_executable or not isinstance(own.node_def, dg.OpDefinition):
        what = "is not made by one function"
    elif not isinstance(own.node_def.compute_fn, DecoratedOpFunction):
        what = "is not made by a decorated function"
    else:
        function = own.node_def.compute_fn.decorated_fn
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            what, hint = "is made by an asynchronous function", "write it without async"
        policy = own.backfill_policy
        if contract.delivery.partition is not None and policy is not None and policy.max_partitions_per_run != 1:
            what = "takes several partitions in one run, and each is judged by itself"
            hint = "write backfill_policy=dg.BackfillPolicy.multi_run()"
    if what:
        raise WrongUsageError(Problem(where, what, hint))
