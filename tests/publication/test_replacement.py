"""What a submission replaces: its own partition, whatever its name looks like, and nothing else."""

from datetime import UTC, date, datetime
from urllib.parse import unquote

import polars as pl
import pytest
from deltalake import write_deltalake

from contract_core.errors import PublicationError
from contract_core.publication.markers import encoded, gate_marker, marker_number, partition_marker
from contract_core.publication.store import Shown
from tests.publication.samples import BY_REGION, CASES, DAY, WHOLE, contract_of, publications, rows
from tests.publication.unchanged import unchanged


def test_only_the_delivered_partition_is_replaced(site):
    contract = contract_of()
    for day in range(1, 6):
        site.accept(contract, rows("a", "b", day=f"2026-10-0{day}"), f"2026-10-0{day}")
    site.accept(contract, rows("c", day="2026-10-03"), "2026-10-03")
    assert [str(row[1])[-1] + row[0] for row in sorted(site.shown(), key=lambda row: row[1])] == [
        "1a",
        "1b",
        "2a",
        "2b",
        "3c",
        "4a",
        "4b",
        "5a",
        "5b",
    ]


def test_an_accepted_empty_candidate_empties_its_partition_and_leaves_its_marker(site):
    contract = contract_of(CASES + "rows: {min: 0}\n")
    site.accept(contract, rows("a"))
    site.accept(contract, rows("b", day="2026-10-02"), "2026-10-02")
    empty = site.accept(contract, rows())
    assert [row[0] for row in site.shown()] == ["b"]
    version = publications(site.table())[2]
    assert site.store.current("cases", DAY) == Shown(version, marker_number(empty.submission))
    assert site.accept(contract, rows()).already_published
    assert len(publications(site.table())) == 3


def test_a_first_candidate_may_be_empty(site):
    contract = contract_of(CASES + "rows: {min: 0}\n")
    assert (site.accept(contract, rows()).table_version,) == publications(site.table())
    assert pl.read_delta(str(site.table())).schema == {"region": pl.String, "day": pl.Date, "n": pl.Int64}
    site.accept(contract, rows("a"))
    assert [row[0] for row in site.shown()] == ["a"]


HARD_VALUES = [
    "Valle d'Aosta",
    "' OR true --",
    "a\\b",
    "0.94-to-0.95",
    "0.94-to-0.96",
    "50% =x",
    "gate",
    "table",
    "Größe",
    'quo"te',
    "a=b&c",
]


def test_partition_values_are_quoted_and_never_share_rows_or_markers(site):
    contract = contract_of(BY_REGION)
    for value in HARD_VALUES:
        site.accept(contract, rows(value, n=1), value)
    for value in HARD_VALUES:
        site.accept(contract, rows(value, value, n=2), value)
    assert [row[0] for row in site.shown()] == sorted(HARD_VALUES * 2)
    assert {row[2] for row in site.shown()} == {2}
    markers = {partition_marker("cases", value) for value in [*HARD_VALUES, None, "gate", "table"]} | {
        gate_marker("cases")
    }
    assert len(markers) == len(HARD_VALUES) + 2
    assert [unquote(encoded(value)) for value in HARD_VALUES] == HARD_VALUES


VALUE_PARTITIONS = {
    "integer": ("n", "integer", "7", rows("a", n=7), rows("a", n=8)),
    "date": ("day", "date", "2026-10-01", rows("a"), rows("a", day="2026-10-02")),
    "uint64": ("n", "uint64", "7", rows("a", n=7).cast({"n": pl.UInt64}), rows("a", n=8).cast({"n": pl.UInt64})),
}


@pytest.mark.parametrize("column, type_text, key, own, other", VALUE_PARTITIONS.values(), ids=VALUE_PARTITIONS)
def test_a_partition_by_value_takes_its_own_rows_only(site, column, type_text, key, own, other):
    text = BY_REGION.replace("{column: region}", f"{{column: {column}}}")
    contract = contract_of(text.replace("type: integer", f"type: {type_text if column == 'n' else 'integer'}"))
    site.accept(contract, own, key)
    with unchanged(site.table()), pytest.raises(PublicationError, match="1 rows lie outside"):
        site.accept(contract, pl.concat([own, other]), key)


@pytest.mark.parametrize("key", ["07", "+7", "x", "7.0", " 7"])
def test_an_integer_partition_has_one_spelling(site, key):
    contract = contract_of(BY_REGION.replace("{column: region}", "{column: n}"))
    with pytest.raises(PublicationError, match="as the gate writes it"):
        site.accept(contract, rows("a", n=7), key)


def spans(every: str, column_type: str, zone: str = "UTC") -> str:
    terms = f"{{every: {every}, column: at, timezone: {zone}, start: 2026-01-01}}"
    fields = f"fields:\n  - {{name: at, type: {column_type}}}\n  - {{name: n, type: integer}}\n"
    delivery = f'delivery: {{path: "x/{{partition}}/*.parquet", format: {{type: parquet}}, partition: {terms}}}\n'
    return f'contract: cases\nversion: "1.0.0"\n{fields}{delivery}'


def at(*moments: datetime | date, n: int = 1) -> pl.DataFrame:
    return pl.DataFrame({"at": list(moments), "n": [n] * len(moments)})


SPANS = {
    "a day of moments in UTC": (
        spans("day", "timestamp"), DAY,
        [datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 10, 1, 23, 59, 59, 999999, tzinfo=UTC)],
        [datetime(2026, 9, 30, 23, 59, 59, 999999, tzinfo=UTC), datetime(2026, 10, 2, tzinfo=UTC)],
    ),
    "a day of moments in another zone": (
        spans("day", "timestamp", "Europe/Amsterdam"), DAY,
        [datetime(2026, 9, 30, 22, tzinfo=UTC), datetime(2026, 10, 1, 21, 59, tzinfo=UTC)],
        [datetime(2026, 9, 30, 21, 59, tzinfo=UTC), datetime(2026, 10, 1, 22, tzinfo=UTC)],
    ),
    "a day of 25 hours": (
        spans("day", "timestamp", "Europe/Amsterdam"), "2026-10-25",
        [datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 22, 59, tzinfo=UTC)],
        [datetime(2026, 10, 25, 23, tzinfo=UTC)],
    ),
    "a day on the wall": (
        spans("day", "timestamp", "Europe/Amsterdam"), DAY,
        [datetime(2026, 10, 1), datetime(2026, 10, 1, 23, 59)],
        [datetime(2026, 9, 30, 23, 59), datetime(2026, 10, 2)],
    ),
    "an hour": (
        spans("hour", "timestamp"), "2026-10-01-13:00",
        [datetime(2026, 10, 1, 13, tzinfo=UTC), datetime(2026, 10, 1, 13, 59, 59, tzinfo=UTC)],
        [datetime(2026, 10, 1, 12, 59, 59, tzinfo=UTC), datetime(2026, 10, 1, 14, tzinfo=UTC)],
    ),
    "a week of dates": (
        spans("week", "date"), "2026-09-27", [date(2026, 9, 27), date(2026, 10, 3)], [date(2026, 9, 26), date(2026, 10, 4)],
    ),
    "a month of dates": (
        spans("month", "date"), "2026-12-01", [date(2026, 12, 1), date(2026, 12, 31)], [date(2026, 11, 30), date(2027, 1, 1)],
    ),
    "a month of moments": (
        spans("month", "timestamp"), "2026-12-01", [datetime(2026, 12, 31, 23, tzinfo=UTC)], [datetime(2027, 1, 1, tzinfo=UTC)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("text, key, inside, outside", SPANS.values(), ids=SPANS)
def test_a_span_of_time_replaces_just_itself(site, text, key, inside, outside):
    contract = contract_of(text)
    site.accept(contract, at(*inside), key)
    write_deltalake(site.table(), at(*outside, n=9), mode="append")
    site.accept(contract, at(inside[0], n=2), key)
    assert sorted(row[1] for row in site.shown()) == [2] + [9] * len(outside)
    with unchanged(site.table()), pytest.raises(PublicationError, match="1 rows lie outside"):
        site.accept(contract, at(*inside, outside[0]), key)


def test_a_contract_without_partitions_replaces_the_whole_table(site):
    contract = contract_of(WHOLE)
    site.accept(contract, rows("a", "b"), None)
    site.accept(contract, rows("c"), None)
    assert [row[0] for row in site.shown()] == ["c"]


@pytest.mark.parametrize("text, partition", [(WHOLE, DAY), (CASES, None)], ids=["one too many", "none"])
def test_a_partition_is_named_exactly_where_there_are_some(site, text, partition):
    with pytest.raises(PublicationError, match="exactly where"):
        site.accept(contract_of(text), rows("a"), partition)


@pytest.mark.parametrize("column", ["region", "day"])
def test_a_table_of_nothing_but_the_partition_column_has_no_folders(site, column):
    keys = {"region": ("a", "b"), "day": (DAY, "2026-10-02")}[column]
    text = BY_REGION if column == "region" else CASES
    kept = [line for line in text.splitlines() if "name:" not in line or f"name: {column}" in line]
    contract = contract_of("\n".join(kept))
    for key in keys:
        frame = rows("a", day=key) if column == "day" else rows(key)
        site.accept(contract, frame.select(column), key)
    site.accept(contract, frame.select(column).vstack(frame.select(column)), keys[1])
    assert [str(row[0]) for row in site.shown()] == [keys[0], keys[1], keys[1]]
    wider = contract_of("\n".join(kept).replace("delivery:", "  - {name: x, type: string, nullable: true}\ndelivery:"))
    site.accept(wider, frame.select(column, x=pl.lit("new")), keys[1])
    assert [row[1] for row in site.shown()] == [None, "new"]


@pytest.mark.parametrize(
    "key, said",
    [("__HIVE_DEFAULT_PARTITION__", "no value"), ("é" * 42, "bytes"), ("a" * 249, "256 bytes"), ("日" * 30, "bytes")],
    ids=["the name of null", "long when encoded", "one byte too long", "three bytes a character"],
)
def test_a_key_that_can_be_no_folder_is_refused(site, key, said):
    contract = contract_of(BY_REGION)
    with unchanged(site.root / "published"), pytest.raises(PublicationError, match=said) as refused:
        site.accept(contract, rows(key), key)
    assert key not in str(refused.value)


@pytest.mark.parametrize(
    "key", ["a" * 248, "é" * 41, "日" * 27, "__HIVE_DEFAULT_PARTITION_", "%" * 80], ids=lambda key: key[0]
)
def test_the_longest_keys_are_folders(site, key):
    contract = contract_of(BY_REGION)
    for number in (1, 2):
        site.accept(contract, rows(key, n=number), key)
    assert [(row[0], row[2]) for row in site.shown()] == [(key, 2)]
