"""Source of a Polars schema: the schema of what the gate itself decodes."""

import polars as pl
import pytest

from contract_core.exports.polars_source import polars_source
from tests.exports.judging import DELIVERED, contract_of, delivered, example, loaded

EVERY_TYPE = """\
fields:
  - {name: a, type: string}
  - {name: b, type: integer}
  - {name: c, type: uint8}
  - {name: d, type: float32}
  - {name: e, type: "decimal(10,2)"}
  - {name: f, type: boolean}
  - {name: g, type: date}
  - {name: h, type: timestamp}
  - {name: i, type: "timestamp[ms,Europe/Rome]"}
  - {name: j, type: time}
  - {name: k, type: duration}
  - {name: l, type: binary}
  - {name: m, type: object}
  - {name: n, type: array}
"""


def test_every_type_has_its_own():
    assert loaded(polars_source(contract_of(EVERY_TYPE)).text)["SCHEMA"] == pl.Schema(
        {
            "a": pl.String(), "b": pl.Int64(), "c": pl.UInt8(), "d": pl.Float32(), "e": pl.Decimal(10, 2), "f": pl.Boolean(),
            "g": pl.Date(), "h": pl.Datetime("us"), "i": pl.Datetime("ms", "Europe/Rome"), "j": pl.Time(),
            "k": pl.Duration("us"), "l": pl.Binary(), "m": pl.String(), "n": pl.String(),
        }
    )  # fmt: skip


@pytest.mark.parametrize(("name", "partition"), DELIVERED[::4], ids=str)
def test_it_is_the_schema_of_a_candidate(tmp_path, name, partition):
    schema = loaded(polars_source(example(name)).text)["SCHEMA"]
    found = pl.read_parquet_schema(delivered(name, partition, tmp_path).path)
    assert {column: dtype for column, dtype in schema.items() if column in found} == {
        column: dtype for column, dtype in found.items() if column in schema
    }


def test_what_has_no_type_of_its_own_is_left_out_and_named():
    exported = polars_source(contract_of(f"{EVERY_TYPE}delivery: {{format: {{type: parquet}}}}\n"))
    assert {"m", "n"}.isdisjoint(loaded(exported.text)["SCHEMA"])
    assert "`m.type`, `n.type`: its inner types are not known" in exported.not_carried


def test_a_family_is_named_where_a_delivery_may_bring_another_type_of_it():
    exported = polars_source(contract_of("fields: [{name: a, type: number}]\ndelivery: {format: {type: parquet}}\n"))
    assert "`a.type`: a family takes other types too, and here one stands for them" in exported.not_carried
