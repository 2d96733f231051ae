"""A user's own asset as the candidate of a contract: what it returns is the delivery, what it is called and needs stays."""

import dagster as dg
import polars as pl
import pytest
from arro3.core import Table

from contract_assets.assets import build_contract_assets
from contract_assets.recheck import build_recheck_job
from contract_assets.resources import GateResource
from contract_assets.schedules import build_publish_job
from contract_core.errors import WrongUsageError
from tests.assets.bench import (
    BY_REGION,
    DAY,
    MARKER,
    NEXT,
    Bench,
    contract_of,
    everything_told,
    failures,
    kinds,
    outcomes,
)
from tests.assets.own import BAD_ROWS, GOOD_ROWS, PLANTED, SCHEMA, TYPED, UNPARTED, Rows, Times, rows


def giving(value: object, **options: object) -> dg.AssetsDefinition:
    """A user's asset `raw/mine` that returns this."""

    @dg.asset(key=["raw", "mine"], **options)
    def mine() -> object:
        return value

    return mine


def run(bench: Bench, own: dg.AssetsDefinition, contract=TYPED, partition: str | None = DAY, **options: object):
    bench.contract = contract
    resources = {"gate": bench.gate, **options.pop("resources", {})}
    return dg.materialize(
        build_contract_assets(contract, candidate=own),
        resources=resources,
        partition_key=partition,
        instance=bench.instance,
        raise_on_error=False,
        **options,
    )


@pytest.mark.parametrize(
    "value",
    [GOOD_ROWS, GOOD_ROWS.collect(), Table.from_arrow(GOOD_ROWS.collect())],
    ids=["lazy", "frame", "arrow"],
)
def test_frames_are_taken_judged_and_published(bench, value):
    result = run(bench, giving(value))
    assert result.success, failures(result)
    assert kinds(result, "raw__mine") == ["materialised", "check", "ended"]
    assert kinds(result, "published__cases") == ["materialised", "check", "ended"]
    assert [row[2] for row in bench.shown()] == [2, 1]


def test_a_refused_frame_is_checked_and_neither_materialised_nor_published(bench):
    result = run(bench, giving(BAD_ROWS))
    assert kinds(result, "raw__mine") == ["check", "failed"]
    assert {name for name, passed in outcomes(result).items() if not passed} == {"field_n"}
    assert failures(result) == [
        "refused, the published table is as it was. broken: 'n' is at least 0; 1 of 2 rows breaks it"
    ]
    assert bench.materialized(dg.AssetKey(["raw", "mine"])) == set()
    assert not bench.table.exists()


def test_the_same_rows_again_are_the_same_submission_and_are_published_once(bench):
    run(bench, giving(GOOD_ROWS))
    run(bench, giving(GOOD_ROWS.collect()))
    assert bench.publications() == 1


def test_the_frame_leaves_no_second_copy_behind(bench):
    run(bench, giving(GOOD_ROWS))
    assert len(list((bench.root / "candidates").rglob("*.parquet"))) == 1
    assert not list((bench.root / "candidates").rglob("take-*"))


def test_a_contract_without_partitions_takes_an_asset_without(bench):
    result = run(bench, giving(GOOD_ROWS), UNPARTED, None)
    assert result.success, failures(result)
    assert len(bench.shown()) == 2


@pytest.mark.parametrize("as_given", [lambda path: path, str, lambda path: [path], lambda path: (path,)])
def test_paths_of_delivered_files_are_taken_as_they_are(bench, tmp_path, as_given):
    path = tmp_path / "delivered.csv"
    path.write_text(f"region,day,n\nNL,{DAY},1\n")
    result = run(bench, giving(as_given(path)), contract_of())
    assert result.success, failures(result)
    assert len(bench.shown()) == 1


def test_several_files_are_one_delivery(bench, tmp_path):
    rows(1).sink_parquet(tmp_path / "a.parquet")
    rows(2, region="FR").sink_parquet(tmp_path / "b.parquet")
    result = run(bench, giving([tmp_path / "a.parquet", str(tmp_path / "b.parquet")]))
    assert result.success, failures(result)
    assert len(bench.shown()) == 2


def test_what_the_user_has_said_of_the_asset_stays():
    automation, retry = dg.AutomationCondition.on_cron("@daily"), dg.RetryPolicy(max_retries=2)

    @dg.asset(
        key=["raw", "mine"],
        deps=["upstream"],
        group_name="own",
        owners=["team:own"],
        tags={"tier": "one", "contract": "mine"},
        kinds={"python"},
        description="Mine.",
        metadata={"link": "kept"},
        code_version="7",
        automation_condition=automation,
        retry_policy=retry,
        pool="narrow",
        op_tags={"cpu": "1"},
        io_manager_key="absent",
    )
    def mine(source: Rows) -> pl.LazyFrame:
        return rows(source.n)

    made, published = build_contract_assets(TYPED, candidate=mine)
    (spec,) = made.specs
    assert (spec.key.path, spec.group_name, list(spec.owners)) == (["raw", "mine"], "own", ["team:own"])
    assert (spec.tags["tier"], spec.tags["contract"], spec.kinds) == ("one", "mine", {"python"})
    assert spec.tags["contract_version"] == "1.0.0"
    assert (spec.description, spec.metadata["link"], spec.code_version) == ("Mine.", "kept", "7")
    assert (spec.automation_condition, made.op.retry_policy, made.op.pool) == (automation, retry, "narrow")
    assert made.op.tags["cpu"] == "1"
    assert [dep.asset_key.path for dep in spec.deps] == [["upstream"]]
    assert made.op.required_resource_keys == {"source", "gate"}
    assert [dep.asset_key for dep in next(iter(published.specs)).deps] == [spec.key]


def test_context_config_resources_and_inputs_reach_the_function(bench):
    @dg.asset
    def upstream() -> int: ...

    @dg.asset(partitions_def=dg.DailyPartitionsDefinition("2026-10-01"))
    def mine(context: dg.AssetExecutionContext, config: Times, source: Rows, upstream: int) -> pl.DataFrame:
        return rows(source.n * config.times + upstream, day=context.partition_key).collect()

    bench.contract = TYPED
    result = dg.materialize(
        [upstream, *build_contract_assets(TYPED, candidate=mine)],
        selection=["mine", "published/cases"],
        instance=bench.instance,
        resources={"gate": bench.gate, "source": Rows(n=3), "io_manager": Twenty()},
        partition_key=NEXT,
        run_config={"ops": {"mine": {"config": {"times": 5}}}},
        raise_on_error=False,
    )
    assert result.success, failures(result)
    assert bench.shown()[0][2] == 35


class Twenty(dg.IOManager):
    def handle_output(self, context, obj): ...

    def load_input(self, context):
        return 20


def test_a_function_that_asks_for_the_gate_itself_is_given_it(bench):
    @dg.asset
    def mine(gate: GateResource) -> pl.LazyFrame:
        return rows(len(gate.as_of))

    result = run(bench, mine)
    assert result.success, failures(result)
    assert bench.shown()[0][2] == len(bench.as_of)


def test_resource_keys_are_given_as_before(bench):
    @dg.asset(required_resource_keys={"source"}, config_schema={"n": int})
    def mine(context) -> pl.LazyFrame:
        return rows(context.op_execution_context.op_config["n"] + context.resources.source.n)

    result = run(bench, mine, resources={"source": Rows(n=1)}, run_config={"ops": {"mine": {"config": {"n": 4}}}})
    assert result.success, failures(result)
    assert bench.shown()[0][2] == 5


def test_the_users_own_checks_and_metadata_are_told_too(bench):
    @dg.asset(check_specs=[dg.AssetCheckSpec("own", asset="mine")])
    def mine():
        yield dg.Output(GOOD_ROWS, metadata={"pages": 3})
        yield dg.AssetCheckResult(check_name="own", passed=True)

    result = run(bench, mine)
    assert result.success, failures(result)
    assert outcomes(result)["own"]
    (event,) = result.asset_materializations_for_node("mine")
    assert event.metadata["pages"].value == 3
    assert "submission" in event.metadata


def test_a_materialize_result_hands_its_value_over(bench):
    result = run(bench, giving(dg.MaterializeResult(value=GOOD_ROWS, tags={"own": "yes"})))
    assert result.success, failures(result)
    assert len(bench.shown()) == 2


def test_a_refusal_is_never_retried_and_a_failure_of_the_function_is(bench):
    calls = []

    @dg.asset(retry_policy=dg.RetryPolicy(max_retries=2))
    def mine() -> pl.LazyFrame:
        calls.append(len(calls))
        if len(calls) == 1:
            raise OSError(MARKER)
        return BAD_ROWS

    result = run(bench, mine)
    assert calls == [0, 1]
    assert failures(result)[0].startswith("refused")
    assert MARKER not in everything_told(bench.instance)


def test_a_retry_that_the_function_asks_for_is_given_and_its_cause_withheld(bench):
    calls = []

    @dg.asset
    def mine() -> pl.LazyFrame:
        calls.append(len(calls))
        if len(calls) == 1:
            raise dg.RetryRequested(max_retries=1) from ValueError(MARKER)
        return GOOD_ROWS

    assert run(bench, mine).success
    assert len(calls) == 2
    assert MARKER not in everything_told(bench.instance)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "delivery of 'cases': nothing was handed over"),
        (42, "delivery of 'cases': a value of type int was handed over"),
        ({MARKER: 1}, "delivery of 'cases': a value of type dict was handed over"),
        ([], "delivery of 'cases': a value of type list was handed over"),
        ("no/such/file.parquet", "delivery no/such/file.parquet: is not there"),
        (
            rows(1).with_columns(pl.lit(MARKER).str.to_date()),
            "delivery of 'cases': the frame cannot be written (ComputeError)",
        ),
        (rows(1).select("absent"), "delivery of 'cases': the frame cannot be written (ColumnNotFoundError)"),
    ],
)
def test_what_is_no_delivery_is_told_by_its_type_alone(bench, value, told):
    result = run(bench, giving(value))
    assert failures(result)[0].splitlines()[0] == told
    assert kinds(result, "raw__mine") == ["check", "failed"]
    assert not any(outcomes(result).values())
    assert MARKER not in everything_told(bench.instance)
    assert not bench.table.exists()


class Twins:
    """A table from elsewhere with two columns of one name."""

    def __arrow_c_stream__(self, requested_schema=None):
        once = Table.from_arrow(GOOD_ROWS.collect())
        return once.append_column("n", once.column("n")).__arrow_c_stream__(requested_schema)


def test_two_columns_of_one_name_are_refused_in_our_words(bench):
    result = run(bench, giving(Twins()))
    assert failures(result)[0].startswith("delivery of 'cases': the frame cannot be written (")
    assert not bench.table.exists()


def test_a_frame_without_rows_is_judged_and_breaks_the_row_count(bench):
    result = run(bench, giving(pl.DataFrame(schema=SCHEMA)))
    assert {name for name, passed in outcomes(result).items() if not passed} == {"rows"}
    assert failures(result)[0].startswith("refused")


def test_a_frame_without_columns_is_refused(bench):
    result = run(bench, giving(pl.DataFrame()))
    assert not result.success
    assert not bench.table.exists()


def test_no_value_of_a_refused_frame_is_told(bench):
    result = run(bench, giving(PLANTED))
    assert failures(result)[0].startswith("refused")
    assert MARKER not in everything_told(bench.instance)


@pytest.mark.parametrize("raised", [ValueError(MARKER), KeyError(MARKER), pl.exceptions.ComputeError(MARKER)])
def test_the_words_of_what_the_function_raises_are_withheld(bench, raised):
    @dg.asset
    def mine() -> pl.LazyFrame:
        raise raised

    result = run(bench, mine)
    told = f"the step stopped with {type(raised).__name__}; its text is withheld, it may quote data"
    assert failures(result) == [told]
    assert MARKER not in everything_told(bench.instance)


def test_a_failure_of_the_users_own_keeps_its_words_and_not_its_cause(bench):
    @dg.asset
    def mine() -> pl.LazyFrame:
        raise dg.Failure("the source is closed", allow_retries=False) from ValueError(MARKER)

    assert failures(run(bench, mine)) == ["the source is closed"]
    assert MARKER not in everything_told(bench.instance)


def test_a_frame_under_a_contract_about_text_is_refused_with_what_to_write(bench):
    result = run(bench, giving(GOOD_ROWS), contract_of())
    assert failures(result)[0] == (
        "delivery of 'cases': a frame was handed over, and the contract promises 'csv'\n"
        "    write delivery: {format: {type: parquet}} in a new version, or return the paths of the files"
    )


def test_the_publication_alone_after_a_refusal_is_refused(bench):
    run(bench, giving(BAD_ROWS))
    result = run(bench, giving(BAD_ROWS), selection=["published/cases"])
    assert "it was refused (n.range)" in failures(result)[0]
    assert not bench.table.exists()


def test_the_candidate_alone_publishes_nothing(bench):
    result = run(bench, giving(GOOD_ROWS), selection=["raw/mine"])
    assert result.success, failures(result)
    assert not bench.table.exists()


@pytest.mark.parametrize(
    ("text", "partitions"),
    [
        (None, dg.HourlyPartitionsDefinition("2026-10-01-00:00")),
        (None, dg.DailyPartitionsDefinition("2026-10-01", timezone="Asia/Tokyo")),
        ("whole", dg.DailyPartitionsDefinition("2026-10-01")),
    ],
    ids=["hours", "zone", "no partitions"],
)
def test_partitions_that_are_counted_in_another_way_are_refused(text, partitions):
    contract = UNPARTED if text else TYPED
    with pytest.raises(WrongUsageError) as raised:
        build_contract_assets(contract, candidate=giving(GOOD_ROWS, partitions_def=partitions))
    assert raised.value.problems[0].what == "has other partitions than contract 'cases'"


def test_partitions_by_value_may_be_a_list_of_the_users_own(bench):
    contract = contract_of(BY_REGION.replace("{type: csv}", "{type: parquet}"))
    own = giving(rows(1), partitions_def=dg.StaticPartitionsDefinition(["NL", "BE"]))
    result = run(bench, own, contract, "NL")
    assert result.success, failures(result)
    assert [spec.partitions_def for made in build_contract_assets(contract, candidate=own) for spec in made.specs] == [
        dg.StaticPartitionsDefinition(["NL", "BE"])
    ] * 2


def test_an_asset_that_takes_several_partitions_in_one_run_is_refused():
    with pytest.warns(dg.BetaWarning, match="backfill_policy"):
        own = giving(GOOD_ROWS, backfill_policy=dg.BackfillPolicy.single_run())
    with pytest.raises(WrongUsageError) as raised:
        build_contract_assets(TYPED, candidate=own)
    assert "takes several partitions in one run" in str(raised.value)


def test_assets_that_are_not_one_function_are_refused():
    @dg.multi_asset(specs=[dg.AssetSpec("a"), dg.AssetSpec("b")])
    def two(): ...

    @dg.asset
    async def waiting(): ...

    @dg.op
    def step(): ...

    @dg.graph_asset
    def graph():
        return step()

    told = []
    for own in (two, waiting, graph):
        with pytest.raises(WrongUsageError) as raised:
            build_contract_assets(TYPED, candidate=own)
        told.append(str(raised.value).splitlines()[0])
    assert told == [
        "asset a, b: holds 2 assets, and contract 'cases' is about one",
        "asset waiting: is made by an asynchronous function",
        "asset graph: is not made by one function",
    ]


def test_the_jobs_of_a_contract_take_and_judge_an_own_asset_again(bench):
    own = giving(GOOD_ROWS)
    bench.contract = TYPED
    jobs = [build(TYPED, candidate=own.key) for build in (build_publish_job, build_recheck_job)]
    definitions = dg.Definitions(
        assets=build_contract_assets(TYPED, candidate=own), jobs=jobs, resources={"gate": bench.gate}
    )
    for name in ("publish_cases", "recheck_cases"):
        job = definitions.resolve_job_def(name)
        assert job.execute_in_process(partition_key=DAY, instance=bench.instance).success
    assert len(bench.shown()) == 2
    latest = bench.instance.event_log_storage.get_asset_check_execution_history(
        dg.AssetCheckKey(own.key, "field_n"), limit=1
    )
    assert latest[0].evaluation.description.startswith("judged again as of")
