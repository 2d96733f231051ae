"""The JSON Schema of the language: shipped as generated, accepts every shipped contract, and points at typos."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from contract_core.contract.model import Contract
from contract_core.exports.language_schema import language_schema

ROOT = Path(__file__).parents[1]
SHIPPED = sorted(
    [
        *(ROOT / "data" / "contracts").glob("*.yaml"),
        *(ROOT / "tests" / "real_data" / "contracts").glob("*.yaml"),
        ROOT / "tests" / "cases" / "design_example.yaml",
    ]
)
MINIMAL: dict[str, Any] = {"contract": "cases", "version": "1.0.0", "fields": [{"name": "a", "type": "string"}]}


class _AsAnEditorReads(yaml.SafeLoader):
    """YAML with dates as text, since JSON has none."""


_AsAnEditorReads.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}  # fmt: skip


def complaints(document: Any) -> list[str]:
    return [error.json_path for error in jsonschema.Draft202012Validator(language_schema()).iter_errors(document)]


def test_the_schema_is_one() -> None:
    """S3-028."""
    jsonschema.Draft202012Validator.check_schema(language_schema())


def test_the_shipped_schema_is_the_generated_one() -> None:
    """S3-028."""
    shipped = json.loads((ROOT / "data" / "schema" / "contract.schema.json").read_text("utf-8"))
    assert shipped == language_schema(), "run make schema"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_it_accepts_every_shipped_contract(path: Path) -> None:
    assert complaints(yaml.load(path.read_text("utf-8"), Loader=_AsAnEditorReads)) == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_contract_points_at_it_or_is_a_test_s_own(path: Path) -> None:
    assert (
        path.parent.name != "contracts"
        or path.parents[1].name == "real_data"
        or path.read_text("utf-8").startswith("# yaml-language-server: $schema=../schema/contract.schema.json\n")
    )


@pytest.mark.parametrize(
    ("change", "path"),
    [
        pytest.param({"extra_field": "keep"}, "$", id="attribute of the contract"),
        pytest.param({"fields": [{"name": "a", "type": "string", "requird": True}]}, "$.fields[0]", id="attribute of a field"),
        pytest.param({"fields": [{"name": "a", "type": "strin"}]}, "$.fields[0].type", id="type"),
        pytest.param({"fields": [{"name": "a", "type": "decimal(x,2)"}]}, "$.fields[0].type", id="decimal"),
        pytest.param({"fields": [{"type": "string"}]}, "$.fields[0]", id="S3-022 no name"),
        pytest.param({"fields": []}, "$.fields", id="P05 no fields"),
        pytest.param({"fields": [{"name": "a", "type": "string", "nullable": "yes"}]}, "$.fields[0].nullable", id="text for true"),
        pytest.param({"fields": [{"name": "a", "type": "string", "min_length": -1}]}, "$.fields[0].min_length", id="negative length"),
        pytest.param({"fields": [{"name": "a", "type": "string", "severity": {"null": "quiet"}}]}, "$.fields[0].severity", id="severity"),
        pytest.param({"version": 1.1}, "$.version", id="P15 number as version"),
        pytest.param({"version": "1.0"}, "$.version", id="two numbers as version"),
        pytest.param({"contract": "Cases"}, "$.contract", id="capital letter"),
        pytest.param({"extra_fields": "drop"}, "$.extra_fields", id="word"),
        pytest.param({"delivery": {"format": {"type": "xlsx"}}}, "$.delivery.format.type", id="format"),
        pytest.param({"delivery": {"due": {"by": "9 o'clock"}}}, "$.delivery.due", id="clock"),
        pytest.param({"freshness": {"column": "a", "max_age": "2 days"}}, "$.freshness", id="duration"),
    ],
)  # fmt: skip
def test_it_points_at_a_typo(change: dict[str, Any], path: str) -> None:
    assert any(found.startswith(path) for found in complaints(MINIMAL | change))


def test_it_knows_every_attribute() -> None:
    assert set(language_schema()["properties"]) == {info.alias or name for name, info in Contract.model_fields.items()}
