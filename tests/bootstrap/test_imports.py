"""Contracts from other languages: what is taken over means the same, and what is not is named."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

import polars as pl
import pytest
from arro3.core import ChunkedArray, DataType, Field, Schema, Table
from deltalake import write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from contract_core.bootstrap.imported import Imported
from contract_core.bootstrap.json_schema_source import read_json_schema
from contract_core.bootstrap.pandera_source import read_pandera
from contract_core.bootstrap.parquet_footer import NotUnderstood, required_columns
from contract_core.bootstrap.parquet_schema import read_parquet_schema
from contract_core.bootstrap.patterns import whole_pattern
from contract_core.contract.parsing import parse_contract
from contract_core.contract.writing import contract_text
from contract_core.errors import CandidateUnreadableError, WrongUsageError
from contract_core.exports.pandera_schema import pandera_schema
from tests.contract.texts import HEAD, contract_of


def fields(found: Imported) -> dict[str, dict[str, Any]]:
    """The attributes of each field that are not at their default, as they are read again from the written text."""
    contract = parse_contract(contract_text(found.contract, found.notes), "imported.yaml")
    assert contract == found.contract
    stated = [item.model_dump(mode="json", exclude_defaults=True) for item in contract.fields]
    return {item.pop("name"): item for item in stated}


def of_json_schema(folder: Path, schema: object) -> Imported:
    (folder / "s.json").write_text(json.dumps(schema))
    return read_json_schema(folder / "s.json", "cases")


def test_a_parquet_schema_gives_exact_types(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        schema={
            "i": pl.Int16, "f": pl.Float32, "m": pl.Decimal(12, 3), "t": pl.Datetime("ns"), "z": pl.Datetime("us", "Europe/Rome"), "s": pl.String,
            "b": pl.Boolean, "d": pl.Date, "c": pl.Time, "y": pl.Binary, "o": pl.Struct({"k": pl.Int64}), "l": pl.List(pl.Int64),
        }
    )  # fmt: skip
    frame.write_parquet(tmp_path / "x.parquet")
    found = read_parquet_schema(tmp_path / "x.parquet", "cases")
    assert [str(item.type) for item in found.contract.fields] == [
        "int16", "float32", "decimal(12,3)", "timestamp[ns]", "timestamp[us,Europe/Rome]", "string", "boolean", "date", "time", "binary", "object", "array",
    ]  # fmt: skip
    assert found.contract.delivery.format.type == "parquet"
    assert found.not_carried == (
        "`o`: what stands inside Struct(1 fields) is not promised",
        "`l`: what stands inside List(Int64) is not promised",
    )


def test_a_required_parquet_column_is_not_nullable(tmp_path: Path) -> None:
    types = {
        "a": DataType.int64(),
        "o": DataType.struct([Field("k", DataType.int64(), nullable=True)]),
        "b": DataType.string(),
        "c": DataType.string(),
    }
    schema = Schema([Field(name, kind, nullable=name in ("o", "b")) for name, kind in types.items()])
    frame = pl.DataFrame({"a": [1], "o": [{"k": 1}], "b": ["x"], "c": ["y"]})
    columns = {name: ChunkedArray(frame[name]).cast(kind) for name, kind in types.items()}
    write_deltalake(tmp_path / "t", Table.from_pydict(columns, schema=schema))
    (file,) = (tmp_path / "t").glob("*.parquet")
    found = read_parquet_schema(file, "cases")
    assert [item.nullable for item in found.contract.fields] == [False, True, True, False]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        pytest.param(b"", "not a Parquet file: 0 bytes", id="empty"),
        pytest.param(b"PAR1" + b"x" * 30 + b"PAR1", "the Parquet footer is damaged", id="damaged"),
        pytest.param(b"a,b\n1,2\n3,4\n", "not a Parquet file", id="no Parquet"),
    ],
)
def test_what_is_no_parquet_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(CandidateUnreadableError) as caught:
        read_parquet_schema(tmp_path / "x.parquet", "cases")
    assert caught.value.problems[0].what == what


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.binary(max_size=60))
def test_any_footer_is_read_or_not_understood(tmp_path_factory: pytest.TempPathFactory, footer: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "footer.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with suppress(NotUnderstood):
        assert isinstance(required_columns(path), frozenset)


@pytest.mark.parametrize(
    "footer",
    [b"\x29" + b"\x19" * 5000, b"\x2c" + b"\x1c" * 5000, b"\x29\xfc" + b"\xff" * 20],
    ids=["lists", "structures", "a long list"],
)
def test_a_footer_that_nests_without_end_is_not_understood(tmp_path: Path, footer: bytes) -> None:
    (tmp_path / "x").write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(NotUnderstood):
        required_columns(tmp_path / "x")


def test_a_json_schema_is_taken_over(tmp_path: Path) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "Cases by day.",
        "type": "object",
        "required": ["id", "day", "n", "code", "kind"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": "string", "minLength": 1, "maxLength": 9, "title": "Number"},
            "day": {"type": "string", "format": "date"},
            "at": {"type": ["string", "null"], "format": "date-time"},
            "n": {"type": "integer", "minimum": 0, "exclusiveMaximum": 100},
            "rate": {"anyOf": [{"$ref": "#/$defs/share"}, {"type": "null"}]},
            "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
            "kind": {"enum": ["a", "b", None]},
            "one": {"const": 5},
            "tags": {"type": "array"},
        },
        "$defs": {"share": {"type": "number", "minimum": 0.5, "exclusiveMaximum": 1.5}},
    }
    Draft202012Validator.check_schema(schema)
    found = of_json_schema(tmp_path, schema)
    assert fields(found) == {
        "id": {"type": "string", "min_length": 1, "max_length": 9, "description": "Number."},
        "day": {"type": "date"},
        "at": {"type": "timestamp[us,UTC]", "nullable": True, "required": False},
        "n": {"type": "integer", "min": 0, "max": 99},
        "rate": {"type": "number", "nullable": True, "required": False, "min": "0.5"},
        "code": {"type": "string", "pattern": "[A-Z]{2}"},
        "kind": {"type": "string", "nullable": True, "enum": ["a", "b"]},
        "one": {"type": "integer", "required": False, "enum": [5]},
        "tags": {"type": "array", "required": False},
    }
    assert [(rule.sql, rule.on_null) for rule in found.contract.rules] == [('"rate" < 1.5', "keep")]
    assert (found.contract.extra_fields, found.contract.description) == ("reject", "Cases by day.")
    assert found.not_carried == ()


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        pytest.param({"type": "number", "multipleOf": 5}, "`a.multipleOf`: a contract has no such rule", id="a rule of its own"),
        pytest.param({"type": "string", "format": "email"}, "`a.format`: it stays text; write a pattern if its form is to be promised", id="a format"),
        pytest.param({"type": "string", "default": "x"}, "`a.default`: a contract fills nothing in", id="a default"),
        pytest.param({"type": "object", "properties": {"k": {}}}, "`a.properties`: what stands inside an object or array is not described by a contract", id="the inside of an object"),
        pytest.param({"type": ["string", "integer"]}, "`a` is left out: it has no one type", id="two types"),
        pytest.param({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "`a` is left out: oneOf lets it be one of several things", id="a choice"),
        pytest.param({"$ref": "https://example.org/x.json"}, "`a` is left out: it has no type", id="a reference elsewhere"),
        pytest.param({"type": "string", "pattern": "("}, "`a.pattern` is left out: is no regular expression: unclosed group", id="no pattern"),
        pytest.param({"type": "string", "pattern": "(?=x)"}, "`a.pattern` is left out: is no regular expression: look-around, including look-ahead and look-behind, is not supported", id="a pattern that Rust lacks"),
        pytest.param({"type": "string", "pattern": "\\d"}, "`a.pattern`: \\d, \\w, \\s and \\b take the letters and digits of every script here, and of ASCII alone there", id="digits of every script"),
        pytest.param({"type": "string", "minLength": -1}, "`a.min_length` is left out: its value is none that the language has", id="a length that is none"),
        pytest.param({"type": "integer", "enum": [1, "x"]}, "`a.enum` is left out: YAML reads it as text, the field is of type integer", id="values of another type"),
    ],
)  # fmt: skip
def test_what_a_json_schema_says_beyond_a_contract_is_named(tmp_path: Path, schema: dict[str, Any], told: str) -> None:
    whole = {"type": "object", "properties": {"a": schema, "b": {"type": "string"}}, "additionalProperties": False}
    assert of_json_schema(tmp_path, whole).not_carried == (told,)


def test_rules_for_the_whole_record_are_named(tmp_path: Path) -> None:
    whole = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": False,
        "minProperties": 1,
        "if": {},
    }
    assert of_json_schema(tmp_path, whole).not_carried == (
        "`minProperties`: rules for the record as a whole are not taken over",
        "`if`: rules for the record as a whole are not taken over",
    )


@pytest.mark.parametrize(
    ("content", "what"),
    [
        pytest.param("{", "is no JSON", id="no JSON"),
        pytest.param("[]", "is JSON, but no object", id="no object"),
        pytest.param('{"type": "string"}', "describes no record: its type is not object", id="no record"),
        pytest.param('{"type": "object"}', "describes no record: it has no properties", id="no properties"),
        pytest.param("[" * 100_000, "is no JSON", id="very deep"),
        pytest.param(
            '{"properties": {"a": {"type": "string", "description": "\\ud800"}}}',
            "is no JSON",
            id="text that is no Unicode",
        ),
        pytest.param(
            '{"properties": {"a": {"type": ["string", "integer"]}}}',
            "has no property that a contract could declare",
            id="nothing left",
        ),
    ],
)
def test_what_is_no_schema_of_a_record_is_refused(tmp_path: Path, content: str, what: str) -> None:
    (tmp_path / "s.json").write_text(content)
    with pytest.raises(WrongUsageError) as caught:
        read_json_schema(tmp_path / "s.json", "cases")
    assert caught.value.problems[0].what == what


@pytest.mark.parametrize(
    ("pattern", "kept", "broken"),
    [
        pytest.param("^a+$", "aa", "ba", id="anchored"),
        pytest.param("a", "bab", "bb", id="anywhere"),
        pytest.param("^a", "ab\nc", "ba", id="at the start"),
        pytest.param("a$", "ba", "ab", id="at the end"),
        pytest.param("^a|b$", "xb", "xa", id="a choice"),
        pytest.param(r"a\$", "xa$x", "xa", id="a sign that is no anchor"),
    ],
)
def test_a_pattern_that_is_searched_for_becomes_one_for_the_whole_value(pattern: str, kept: str, broken: str) -> None:
    contract = contract_of(HEAD + f"fields:\n  - {{name: a, type: string, pattern: '{whole_pattern(pattern)}'}}\n")
    judge = pandera_schema(contract)
    assert judge.validate(pl.DataFrame({"a": [kept]})).height == 1
    with pytest.raises(Exception, match="pattern"):
        judge.validate(pl.DataFrame({"a": [broken]}))


SCHEMAS = dedent(
    '''
    import pandera.polars as pa
    import polars as pl


    class Orders(pa.DataFrameModel):
        """Orders of a shop."""

        order_id: str = pa.Field(unique=True, str_length={"min_value": 1, "max_value": 20})
        amount: float = pa.Field(ge=0, lt=1000.5, nullable=True, description="What was paid.")
        count: int = pa.Field(gt=0, le=9)
        status: str = pa.Field(isin=["open", "shipped"], raise_warning=True)
        code: str = pa.Field(str_matches="[A-Z]{2}")
        place: str = pa.Field(str_startswith="a.b")
        other: str = pa.Field(ne="it's")
        at: pl.Datetime("us", "UTC")
        note: str | None

        @pa.check("note")
        def is_polite(cls, data):
            return data.lazyframe.select(pl.lit(True))

        @pa.dataframe_check
        def adds_up(cls, data):
            return data.lazyframe.select(pl.lit(True))

        class Config:
            strict = True
            coerce = True
            unique = ["order_id", "at"]


    plain = pa.DataFrameSchema({"a": pa.Column(pl.Int64), "^b.*$": pa.Column(pl.String, regex=True), "n": pa.Column()})
    nothing = 5


    def raising():
        raise ValueError("secret")
    '''
)


@pytest.fixture
def schemas(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    name = f"schemas_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(SCHEMAS)
    return name


def test_a_pandera_model_is_taken_over(tmp_path: Path, schemas: str) -> None:
    found = read_pandera(f"{schemas}:Orders", "orders", tmp_path)
    assert fields(found) == {
        "order_id": {"type": "string", "min_length": 1, "max_length": 20},
        "amount": {"type": "float64", "nullable": True, "min": 0, "description": "What was paid."},
        "count": {"type": "int64", "min": 1, "max": 9},
        "status": {"type": "string", "enum": ["open", "shipped"], "severity": {"enum": "warn"}},
        "code": {"type": "string", "pattern": "(?:[A-Z]{2})(?s:.*)"},
        "place": {"type": "string", "pattern": r"a\.b(?s:.*)"},
        "other": {"type": "string"},
        "at": {"type": "timestamp[us,UTC]"},
        "note": {"type": "string", "required": False},
    }
    assert [rule.sql for rule in found.contract.rules] == ['"amount" < 1000.5', "\"other\" NOT IN ('it''s')"]
    assert (found.contract.key, [rule.fields for rule in found.contract.unique]) == (
        ("order_id", "at"),
        [("order_id",)],
    )
    assert (found.contract.extra_fields, found.contract.description) == ("reject", "Orders of a shop.")
    assert [sentence for sentence in found.not_carried if "coerce" not in sentence] == [
        "check `adds_up` of the frame: what it does cannot be read",
        "`note`: check `is_polite` is not taken over: what it does cannot be read",
    ]
    assert "`coerce`: a contract converts nothing; a column has its type or breaks it" in found.not_carried


def test_columns_without_a_name_or_a_type_of_their_own_are_named(tmp_path: Path, schemas: str) -> None:
    found = read_pandera(f"{schemas}:plain", "cases", tmp_path)
    assert found.contract.field_names == ("a",)
    assert found.contract.extra_fields == "ignore"
    assert found.not_carried == (
        "columns that a pattern of names stands for are left out: a contract names each of its fields",
        "`n`: is left out: it has no type",
    )


@pytest.mark.parametrize(
    ("path", "what"),
    [
        pytest.param(":Missing", "has no 'Missing'", id="not in the module"),
        pytest.param(":nothing", "is no schema with columns", id="no schema"),
        pytest.param(":", "names no schema", id="no name"),
    ],
)
def test_what_is_no_pandera_schema_is_refused(tmp_path: Path, schemas: str, path: str, what: str) -> None:
    with pytest.raises(WrongUsageError) as caught:
        read_pandera(f"{schemas}{path}", "cases", tmp_path)
    assert caught.value.problems[0].what.removeprefix(f"'{schemas}' ") == what


def test_the_text_of_a_failing_module_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "failing_schemas.py").write_text("raise ValueError('secret')\n")
    with pytest.raises(WrongUsageError) as caught:
        read_pandera("failing_schemas:x", "cases", tmp_path)
    assert "secret" not in str(caught.value)
    assert caught.value.problems[0].what == "cannot be imported: ValueError"


def test_our_own_pandera_schema_comes_back(tmp_path: Path) -> None:
    """What the schema that we make says in pandera's own words comes back; checks of ours are expressions and are named."""
    (tmp_path / "own_schemas.py").write_text(
        "from contract_core import pandera_schema, parse_contract\n"
        f"schema = pandera_schema(parse_contract({HEAD + 'key: [a]' + chr(10) + 'fields:' + chr(10) + '  - {name: a, type: int64}' + chr(10)!r}, 'x'))\n"
    )
    found = read_pandera("own_schemas:schema", "cases", tmp_path)
    assert (found.contract.key, found.contract.extra_fields) == (("a",), "reject")
    assert found.not_carried == ("`a`: check `a.null` is not taken over: what it does cannot be read",)


def test_a_pandera_schema_is_called_as_it_calls_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named_schemas.py").write_text(
        "import pandera.polars as pa\nschema = pa.DataFrameSchema({'a': pa.Column(int)}, name='orders')\n"
    )
    monkeypatch.delitem(sys.modules, "named_schemas", raising=False)
    assert read_pandera("named_schemas:schema", None, tmp_path, "schema").contract.name == "orders"
    assert read_pandera("named_schemas:schema", "mine", tmp_path, "schema").contract.name == "mine"
    with pytest.raises(WrongUsageError) as refused:
        read_pandera("named_schemas:nope", None, tmp_path, "nope")
    assert refused.value.problems[0].what == "'named_schemas' has no 'nope'"
