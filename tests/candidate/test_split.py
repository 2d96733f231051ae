"""A delivery of several partitions: every row is in the share of its partition, and a row of none is in each."""

from collections.abc import Mapping
from datetime import UTC, date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_core.candidate.facts import Facts, FileFacts
from contract_core.candidate.split import rows_by_key, share_of
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.partition import window
from contract_core.errors import CandidateUnreadableError


def contract_of(type_: str = "date", **terms: str) -> Contract:
    stated = {"column": "at", "split": "true"} | terms
    partition = ", ".join(f"{name}: {value}" for name, value in stated.items())
    fields = f"fields: [{{name: at, type: {type_}}}, {{name: n, type: integer}}]\n"
    return parse_contract(
        f'contract: cases\nversion: "1.0.0"\n{fields}delivery: {{partition: {{{partition}}}}}\n', "cases.yaml"
    )


def daily(start: date = date(2026, 10, 1)) -> Contract:
    return contract_of(every="day", start=start.isoformat())


def counted(contract: Contract, *values: object, dtype: pl.DataType | type[pl.DataType]) -> Mapping[str, int] | None:
    return rows_by_key(contract, pl.LazyFrame({"at": pl.Series(values, dtype=dtype)}))


SUNDAY = date(2026, 10, 4)
MOMENT = datetime(2026, 10, 4, 23, 30, tzinfo=UTC)
START = {"start": "2026-01-01"}


@pytest.mark.parametrize(
    ("contract", "value", "dtype", "key"),
    [
        pytest.param(contract_of(every="day", **START), SUNDAY, pl.Date(), "2026-10-04", id="a day"),
        pytest.param(contract_of(every="week", **START), SUNDAY, pl.Date(), "2026-10-04", id="a Sunday begins a week"),
        pytest.param(contract_of(every="week", **START), date(2026, 10, 3), pl.Date(), "2026-09-27", id="a Saturday ends one"),
        pytest.param(contract_of(every="month", **START), SUNDAY, pl.Date(), "2026-10-01", id="a month"),
        pytest.param(contract_of("timestamp", every="hour", **START), MOMENT, pl.Datetime("us", "UTC"), "2026-10-04-23:00", id="an hour"),
        pytest.param(contract_of("timestamp", every="day", timezone="Europe/Amsterdam", **START), MOMENT, pl.Datetime("ms", "UTC"), "2026-10-05", id="an instant on the clocks of the zone"),
        pytest.param(contract_of("timestamp", every="day", timezone="Europe/Amsterdam", **START), MOMENT.replace(tzinfo=None), pl.Datetime("ns"), "2026-10-04", id="wall-clock time is of the zone already"),
        pytest.param(contract_of("string"), "north", pl.String(), "north", id="a text"),
        pytest.param(contract_of("integer"), -7, pl.Int16(), "-7", id="a number"),
        pytest.param(contract_of("date"), SUNDAY, pl.Date(), "2026-10-04", id="a day as a value"),
    ],
)  # fmt: skip
def test_a_row_is_of_the_partition_that_its_value_lies_in(
    contract: Contract, value: object, dtype: pl.DataType, key: str
) -> None:
    assert counted(contract, value, None, value, dtype=dtype) == {key: 2}


@pytest.mark.parametrize(
    ("contract", "values", "dtype"),
    [
        pytest.param(daily(), (None,), pl.Date, id="no value"),
        pytest.param(daily(), (date(2026, 9, 30),), pl.Date, id="before the first day"),
        pytest.param(daily(date(1, 1, 1)), (-800_000, 3_000_000), pl.Int32, id="outside of the calendar"),
        pytest.param(contract_of("string"), ("a/b", "", " x", ".."), pl.String, id="what can be no folder"),
    ],
)
def test_a_row_may_be_of_no_partition(contract: Contract, values: tuple[object, ...], dtype: type[pl.DataType]) -> None:
    wanted = pl.Date if dtype == pl.Int32 else dtype
    frame = pl.LazyFrame({"at": pl.Series(values, dtype=dtype)}).with_columns(pl.col("at").cast(wanted))
    assert rows_by_key(contract, frame) == {}


@pytest.mark.parametrize(
    ("contract", "dtype"),
    [
        pytest.param(daily(), pl.String, id="a text is no day"),
        pytest.param(contract_of("timestamp", every="hour", **START), pl.Date, id="a day has no hour"),
        pytest.param(contract_of("integer"), pl.Float64, id="a float is no number of a partition"),
    ],
)
def test_a_column_of_another_type_tells_nothing(contract: Contract, dtype: type[pl.DataType]) -> None:
    assert counted(contract, dtype=dtype) is None


def test_a_column_that_is_not_there_tells_nothing_and_leaves_the_delivery_whole() -> None:
    frame = pl.LazyFrame({"n": [1, 2]})
    share = share_of(daily(), "2026-10-01", frame, facts(2))
    assert (share.frame.collect().height, share.facts) == (2, facts(2))


def facts(rows: int) -> Facts:
    return Facts("parquet", (FileFacts("a.parquet", 1, "0", rows),))


def test_a_partition_of_which_there_is_no_row_is_not_taken_for_an_empty_one() -> None:
    frame = pl.LazyFrame({"at": [date(2026, 10, 1), None]})
    with pytest.raises(CandidateUnreadableError, match="holds no row of this partition"):
        share_of(daily(), "2026-10-02", frame, facts(2))


def test_an_empty_delivery_says_nothing_of_any_partition() -> None:
    with pytest.raises(CandidateUnreadableError, match="holds no row of this partition"):
        share_of(daily(), "2026-10-01", pl.LazyFrame(schema={"at": pl.Date}), facts(0))


DAYS = st.dates(date(2026, 9, 20), date(2026, 12, 1)) | st.none()
EVERY = st.sampled_from(["day", "week", "month"])


@given(values=st.lists(DAYS, max_size=12), every=EVERY)
def test_every_row_is_in_just_one_share_or_in_all(values: list[date | None], every: str) -> None:
    contract = contract_of(every=every, start="2026-10-01")
    frame = pl.LazyFrame({"at": pl.Series(values, dtype=pl.Date), "n": pl.Series(range(len(values)), dtype=pl.Int64)})
    keys = rows_by_key(contract, frame)
    assert keys is not None
    shares = {key: share_of(contract, key, frame, facts(len(values))) for key in keys}
    held = {key: set(share.frame.collect()["n"].to_list()) for key, share in shares.items()}
    own = {key: {n for n, value in enumerate(values) if lies_in(contract, key, value)} for key in keys}
    strangers = set(range(len(values))) - set().union(*own.values())
    assert held == {key: own[key] | strangers for key in keys}
    assert {key: share.facts.rows for key, share in shares.items()} == {key: len(rows) for key, rows in held.items()}
    assert keys == {key: len(rows) for key, rows in own.items()}
    assert all(own.values())


def lies_in(contract: Contract, key: str, value: date | None) -> bool:
    terms = contract.delivery.partition
    assert terms is not None
    first, last = window(terms, key)
    return value is not None and first.date() <= value < last.date()
