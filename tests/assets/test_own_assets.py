"""Checks of a contract on assets that I/O managers store: a refused frame never reaches them, and what they store is what was judged."""

import dagster as dg
import polars as pl
import pytest

from contract_assets.own_assets import Checked, contract_checks, dagster_type_of, with_contract
from contract_assets.partitions import partitions_of
from contract_core.errors import NotYetSupportedError, WrongUsageError
from tests.assets.bench import DAY, MARKER, NEXT, WHOLE, everything_told, failures, kinds, outcomes, quiet_instance
from tests.assets.own import (
    BAD_ROWS,
    GOOD_ROWS,
    PLANTED,
    TYPED,
    UNPARTED,
    Files,
    Rows,
    Times,
    contract_of,
    fixed_now,
    rows,
)

STORES = ["parquet", "delta", "duckdb"]


@pytest.fixture
def instance():
    with quiet_instance() as made:
        yield made


def mine(value: object, **options: object) -> dg.AssetsDefinition:
    @dg.asset(io_manager_key="store", **options)
    def mine() -> object:
        return value

    return mine


def run(instance, tmp_path, made, kind: str = "parquet", partition: str | None = DAY, **options: object):
    store = Files(tmp_path, kind)
    result = dg.materialize(
        [made, *options.pop("others", [])],
        resources={"store": store, **options.pop("resources", {})},
        partition_key=partition,
        instance=instance,
        raise_on_error=False,
        **options,
    )
    return result, store


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize(("contract", "partition"), [(TYPED, DAY), (UNPARTED, None)], ids=["partitioned", "whole"])
def test_an_accepted_lazy_frame_is_stored_as_it_was_judged_and_stays_lazy(
    instance, tmp_path, kind, contract, partition
):
    result, store = run(instance, tmp_path, with_contract(mine(GOOD_ROWS), contract, fixed_now), kind, partition)
    assert kinds(result, "mine") == ["materialised", "check", "ended"], failures(result)
    assert store.stored == ["LazyFrame"]
    assert all(outcomes(result).values())
    assert store.read(partition)["n"].to_list() == [1, 2]


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("value", [BAD_ROWS, BAD_ROWS.collect()], ids=["lazy", "frame"])
def test_a_refused_frame_never_reaches_the_io_manager(instance, tmp_path, kind, value):
    result, store = run(instance, tmp_path, with_contract(mine(value), TYPED, fixed_now), kind)
    assert kinds(result, "mine") == ["check", "failed"]
    assert failures(result) == [
        "refused, nothing was handed to the I/O manager. broken: 'n' is at least 0; 1 of 2 rows breaks it"
    ]
    assert store.stored == list(tmp_path.iterdir()) == []


def test_a_frame_that_is_not_lazy_is_handed_on_as_it_is(instance, tmp_path):
    _, store = run(instance, tmp_path, with_contract(mine(GOOD_ROWS.collect()), TYPED, fixed_now))
    assert store.stored == ["DataFrame"]


@pytest.mark.parametrize("kept_by", [dg.InMemoryIOManager, dg.FilesystemIOManager], ids=["memory", "pickled"])
def test_a_lazy_frame_outlives_the_step_where_dagster_itself_keeps_it(instance, tmp_path, kept_by):
    seen = []
    options = {"base_dir": str(tmp_path)} if kept_by is dg.FilesystemIOManager else {}

    @dg.asset(io_manager_key="store")
    def report(mine) -> None:
        seen.append(mine.collect()["n"].to_list())

    own = with_contract(mine(GOOD_ROWS), UNPARTED, fixed_now)
    dg.materialize([own, report], resources={"store": kept_by(**options)}, instance=instance)
    assert seen == [[1, 2]]


def test_a_lazy_frame_is_computed_once(instance, tmp_path):
    computed = []

    def seen(frame: pl.DataFrame) -> pl.DataFrame:
        computed.append(frame.height)
        return frame

    counted = rows(1, 2).map_batches(seen)
    run(instance, tmp_path, with_contract(mine(counted), TYPED, fixed_now))
    assert computed == [2]


@pytest.mark.parametrize(("value", "read"), [(GOOD_ROWS, [2]), (BAD_ROWS, [])], ids=["accepted", "refused"])
def test_what_is_downstream_runs_after_an_accepted_frame_alone(instance, tmp_path, value, read):
    seen = []

    @dg.asset(io_manager_key="store")
    def report(mine: pl.DataFrame) -> pl.DataFrame:
        seen.append(mine.height)
        return mine

    run(instance, tmp_path, with_contract(mine(value), UNPARTED, fixed_now), partition=None, others=[report])
    assert seen == read


def test_config_resources_and_partition_reach_the_function(instance, tmp_path):
    @dg.asset(io_manager_key="store")
    def mine(context: dg.AssetExecutionContext, config: Times, source: Rows) -> pl.LazyFrame:
        return rows(source.n * config.times, day=context.partition_key)

    config = {"ops": {"mine": {"config": {"times": 4}}}}
    own = with_contract(mine, TYPED, fixed_now)
    run(instance, tmp_path, own, partition=NEXT, resources={"source": Rows(n=2)}, run_config=config)
    assert pl.read_parquet(tmp_path / f"mine-{NEXT}")["n"].to_list() == [8]


def test_a_refusal_is_never_retried(instance, tmp_path):
    calls = []

    @dg.asset(io_manager_key="store", retry_policy=dg.RetryPolicy(max_retries=2))
    def mine() -> pl.LazyFrame:
        calls.append(1)
        return BAD_ROWS

    run(instance, tmp_path, with_contract(mine, TYPED, fixed_now))
    assert calls == [1]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "delivery of 'cases': nothing was handed over"),
        ("a/path.parquet", "delivery of 'cases': a value of type str was handed over"),
        (
            rows(1).with_columns(pl.lit(MARKER).str.to_date()),
            "delivery of 'cases': the frame cannot be written (ComputeError)",
        ),
    ],
)
def test_what_is_no_frame_is_refused_by_its_type_alone(instance, tmp_path, value, told):
    result, store = run(instance, tmp_path, with_contract(mine(value), TYPED, fixed_now))
    assert failures(result)[0].splitlines()[0] == told
    assert not any(outcomes(result).values())
    assert store.stored == []
    assert MARKER not in everything_told(instance)


def test_no_value_of_a_refused_frame_is_told(instance, tmp_path):
    run(instance, tmp_path, with_contract(mine(PLANTED), TYPED, fixed_now))
    assert MARKER not in everything_told(instance)


@pytest.mark.parametrize(
    ("addition", "named"),
    [
        ("enforcement: {on_breach: quarantine}\n", "enforcement.on_breach: quarantine"),
        ("monitors: {volume: {max_deviation: 6}}\n", "monitors"),
    ],
)
def test_a_contract_that_a_frame_alone_cannot_be_held_to_is_refused_as_a_whole(addition, named):
    with pytest.raises(NotYetSupportedError) as raised:
        with_contract(mine(GOOD_ROWS), contract_of(WHOLE + addition))
    assert raised.value.problems[0].what == f"{named} cannot be enforced on a frame alone"


def test_an_asset_that_stores_its_rows_itself_is_refused():
    @dg.asset
    def mine() -> None: ...

    with pytest.raises(WrongUsageError) as raised:
        with_contract(mine, TYPED)
    assert str(raised.value).splitlines()[0] == "asset mine: hands nothing to an I/O manager"


@pytest.mark.parametrize("value", [GOOD_ROWS, GOOD_ROWS.collect()], ids=["lazy", "frame"])
def test_an_asset_from_elsewhere_is_checked_by_loading_it(instance, value):
    asked = []

    def load(partition: str | None) -> object:
        asked.append(partition)
        return value

    checks = contract_checks(TYPED, Checked(dg.AssetKey(["theirs", "cases"]), now=fixed_now), load)
    result = check(instance, checks)
    assert result.success, failures(result)
    assert asked == [DAY]
    assert all(outcomes(result).values())


def check(instance, checks: dg.AssetChecksDefinition, partition: str | None = DAY, **resources: object):
    made = dg.AssetSpec(next(iter(checks.check_specs)).asset_key, partitions_def=partitions_of(TYPED))
    every = dg.define_asset_job("every", dg.AssetSelection.all_asset_checks())
    definitions = dg.Definitions([made], asset_checks=[checks], jobs=[every], resources=resources)
    job = definitions.resolve_job_def("every")
    return job.execute_in_process(instance=instance, tags={"dagster/partition": partition}, raise_on_error=False)


def test_a_breach_of_an_asset_from_elsewhere_fails_its_check(instance):
    result = check(instance, contract_checks(TYPED, "theirs", lambda _: BAD_ROWS))
    assert not result.success
    assert {name for name, passed in outcomes(result).items() if not passed} == {"field_n"}


def test_what_cannot_be_loaded_fails_every_check_in_words_without_a_value(instance):
    def load(_: str | None) -> object:
        raise ValueError(MARKER)

    result = check(instance, contract_checks(TYPED, "theirs", load))
    assert failures(result) == ["the step stopped with ValueError; its text is withheld, it may quote data"]
    assert not any(outcomes(result).values())
    assert MARKER not in everything_told(instance)


def test_an_asset_from_elsewhere_is_loaded_by_its_io_manager(instance, tmp_path):
    BAD_ROWS.sink_parquet(tmp_path / "theirs-all")
    checks = contract_checks(UNPARTED, Checked(dg.AssetKey("theirs"), now=fixed_now))
    theirs = dg.AssetSpec("theirs").with_io_manager_key("store")
    definitions = dg.Definitions([theirs], asset_checks=[checks], resources={"store": Files(tmp_path, "parquet")})
    job = definitions.resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(instance=instance, raise_on_error=False)
    assert {name for name, passed in outcomes(result).items() if not passed} == {"field_n"}


def typed_op(value: object, kind: dg.DagsterType):
    @dg.op(out=dg.Out(kind))
    def made():
        return value

    @dg.job
    def typed():
        made()

    return typed.execute_in_process(raise_on_error=False)


def test_a_dagster_type_takes_a_frame_that_keeps_the_contract():
    assert typed_op(GOOD_ROWS.collect(), dagster_type_of(UNPARTED, fixed_now)).success


def test_a_dagster_type_refuses_in_the_words_of_the_gate():
    checked = dagster_type_of(UNPARTED, fixed_now).type_check(None, BAD_ROWS)
    assert not checked.success
    assert checked.description == (
        "refused, no frame of this contract. broken: 'n' is at least 0; 1 of 2 rows breaks it"
    )
    assert not dagster_type_of(UNPARTED, fixed_now).type_check(None, 7).success


def test_a_dagster_type_of_a_contract_with_partitions_is_refused():
    with pytest.raises(NotYetSupportedError):
        dagster_type_of(TYPED)
