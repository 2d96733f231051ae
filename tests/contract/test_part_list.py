"""The list of required parts beside a contract: its names and days become the contract's own, or every problem of it is told."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_core.contract.manifest_schema import required_by_schema
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contract, read_contracts
from contract_core.contract.unsupported import unsupported
from contract_core.contract.writing import contract_text
from contract_core.errors import InvalidContractError

HEAD = """\
contract: cases
version: "1.0.0"
fields: [{name: region, type: string}, {name: day, type: date}]
delivery:
  partition: {column: day, every: day, start: 2026-10-01}
"""
WHOLE = HEAD.replace("  partition: {column: day, every: day, start: 2026-10-01}\n", "")
NL, BE = ("NL", None, None), ("BE", None, None)


def read(folder: Path, name: str, content: str | bytes, head: str = HEAD) -> Contract:
    """The contract of a file beside a list."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "cases.yaml").write_text(f"{head}  parts: {{from: column, column: region, required_file: {name}}}\n")
    return read_contract(folder / "cases.yaml")


def listed(contract: Contract) -> list[tuple[str, str | None, str | None]]:
    """Each required part with the days between which it is."""
    parts = contract.delivery.parts
    assert parts is not None
    assert parts.required_file is None
    days = {name: (str(item.valid_from), str(item.valid_until)) for name, item in parts.periods.items()}
    shown = {name: tuple(None if day == "None" else day for day in pair) for name, pair in days.items()}
    return [(name, *shown.get(name, (None, None))) for name in parts.required]


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        pytest.param("regions.csv", "region\nNL\nBE\n", [NL, BE], id="one column"),
        pytest.param("regions.csv", "\ufeffregion\r\nNL\r\nBE", [NL, BE], id="as Excel writes it"),
        pytest.param("regions.csv", 'name\n"Valle d\'Aosta, N"\nNO\n', [("Valle d'Aosta, N", None, None), ("NO", None, None)], id="P14 quotes and NO"),
        pytest.param("regions.csv", "valid_until,name\n,NL\n2026-12-31,BE\n", [NL, ("BE", None, "2026-12-31")], id="until a day"),
        pytest.param("regions.csv", "name,valid_from,valid_until\nNL,2026-10-02,2026-12-31\nBE,2027-01-01,\n", [("NL", "2026-10-02", "2026-12-31"), ("BE", "2027-01-01", None)], id="from a day"),
        pytest.param("regions.json", '["NL", {"name": "BE", "valid_until": "2026-12-31"}]', [NL, ("BE", None, "2026-12-31")], id="JSON"),
        pytest.param("lists/regions.yaml", "- NL\n- {name: BE, valid_until: 2026-12-31}\n", [NL, ("BE", None, "2026-12-31")], id="YAML in a folder of its own"),
    ],
)  # fmt: skip
def test_a_list_is_read_with_its_contract(tmp_path: Path, name: str, content: str, parts: list[object]) -> None:
    """[S2-012]"""
    assert listed(read(tmp_path, name, content)) == parts


OBJECT = '{"properties": {"parts": {"type": "object", "required": ["NL", "BE"], "properties": {"NL": {}}}}}'
CONTAINS = '{"properties": {"parts": {"type": "array", "allOf": [{"contains": {"const": "NL"}}, {"contains": %s}]}}}'
ITEMS = '{"properties": {"parts": {"type": "array", "items": {"enum": ["NL", "BE"]}%s}}}'


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(OBJECT, id="an object that requires keys"),
        pytest.param(OBJECT.replace("parts", "partitions").replace('"type": "object", ', ""), id="partitions, without a type"),
        pytest.param(CONTAINS % '{"const": "BE"}', id="a list that contains names"),
        pytest.param(CONTAINS % '{"required": ["name"], "properties": {"name": {"enum": ["BE"]}}}', id="a list that contains objects with names"),
        pytest.param(ITEMS % ', "uniqueItems": true, "minItems": 2', id="a list of all names of an enum"),
    ],
)  # fmt: skip
def test_a_schema_of_the_manifest_says_which_parts_are_required(tmp_path: Path, content: str) -> None:
    assert listed(read(tmp_path, "manifest.schema.json", content)) == [NL, BE]


def test_a_contract_with_a_schema_is_the_contract_that_names_the_parts_itself(tmp_path: Path) -> None:
    stated = parse_contract(f"{HEAD}  parts: {{from: column, column: region, required: [NL, BE]}}\n", "cases.yaml")
    assert read(tmp_path, "manifest.schema.json", OBJECT).digest == stated.digest


SCHEMA = '{\n"properties": {\n"parts": %s}}'


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        pytest.param("[]", ":1", "describes neither properties.parts nor properties.partitions", id="no schema"),
        pytest.param('{"properties": {"parts": {}, "partitions": {}}}', ":1", "describes both parts and partitions", id="both"),
        pytest.param(SCHEMA % "true", ":3", "'parts' is no schema of an object or a list", id="anything goes"),
        pytest.param(SCHEMA % '{"type": "object", "properties": {"NL": {}}}', ":3", "'parts' requires no key", id="keys that may be left out"),
        pytest.param(SCHEMA % '{"$ref": "#/$defs/parts"}', ":3", "'parts' refers elsewhere, and references are not followed", id="reference"),
        pytest.param(SCHEMA % '{"type": ["array", "null"]}', ":3", "'parts' is of no single type, object or array", id="two types"),
        pytest.param(SCHEMA % '{"type": "array", "items": {"enum": ["NL"]}}', ":3", "'parts' says which names may be listed, and not that all must: uniqueItems: true and minItems of their number would", id="an enum that only allows"),
        pytest.param(SCHEMA % '{"type": "array", "contains": {"enum": ["NL", "BE"]}}', ":3", "'parts' does not say by which names it must hold an item", id="one of two"),
        pytest.param(SCHEMA % '{"type": "array", "contains": {"properties": {"name": {"const": "NL"}}}}', ":3", "'parts' does not say by which names it must hold an item", id="a name that may be left out"),
        pytest.param(SCHEMA % '{"type": "array", "contains": {"const": "NL"}, "minContains": 0}', ":3", "'parts' does not say by which names it must hold an item", id="a name that need not be there"),
        pytest.param(SCHEMA % '{"required": []}', "", "lists no part", id="nothing required"),
        pytest.param(SCHEMA % '{"required": ["NL",\n "NL"]}', ":3", "lists a part again", id="twice"),
        pytest.param(SCHEMA % '{"required": [7]}', ":3", "name: is read by YAML as a whole number, text is needed", id="a number"),
    ],
)  # fmt: skip
def test_a_schema_that_requires_no_names_is_told_and_not_guessed_at(
    tmp_path: Path, content: str, line: str, what: str
) -> None:
    with pytest.raises(InvalidContractError) as caught:
        read(tmp_path, "manifest.schema.json", content)
    told = [(problem.where.removeprefix(f"{tmp_path}/"), problem.what) for problem in caught.value.problems]
    assert told == [(f"manifest.schema.json{line}", what)]
    assert all(problem.hint for problem in caught.value.problems)


def test_each_of_very_many_names_has_the_line_on_which_it_stands() -> None:
    """Each name is not looked for from the beginning again: 20,000 would take a minute."""
    lines = ",\n".join(f'"p{number}"' for number in range(20_000))
    names, _ = required_by_schema((SCHEMA % f'{{"required": [\n{lines}]}}').encode(), "m.schema.json")
    assert [names[place] for place in (0, 1, -1)] == [
        (4, {"name": "p0"}),
        (5, {"name": "p1"}),
        (20_003, {"name": "p19999"}),
    ]


WORDS = st.sampled_from(
    ["type", "required", "properties", "items", "enum", "contains", "const", "allOf", "name", "array", "object"]
)
JSON = st.recursive(
    st.booleans() | st.integers(0, 3) | WORDS | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(WORDS, JSON, max_size=5))
def test_any_schema_gives_names_or_says_why_not(schema: dict[str, object]) -> None:
    content = json.dumps({"properties": {"parts": schema}}).encode()
    names, problems = required_by_schema(content, "m.schema.json")
    assert not (names and problems)
    assert all(problem.hint for problem in problems)


def test_a_contract_with_a_list_is_the_contract_that_names_the_parts_itself(tmp_path: Path) -> None:
    """So the digest covers what the list holds."""
    stated = "  parts: {from: column, column: region, required: [NL, BE], periods: {BE: {valid_until: 2026-12-31}}}\n"
    found = read(tmp_path, "regions.csv", "name,valid_until\nNL,\nBE,2026-12-31\n")
    assert found == parse_contract(HEAD + stated, "cases.yaml")
    assert found.digest == parse_contract(HEAD + stated, "cases.yaml").digest
    assert parse_contract(contract_text(found), "written.yaml").digest == found.digest
    assert list(unsupported(found)) == []


def test_another_list_is_another_contract(tmp_path: Path) -> None:
    digests = {
        read(tmp_path, "regions.csv", content).digest
        for content in ("name\nNL\n", "name\nNL\nBE\n", "name,valid_from\nNL,2026-10-02\n")
    }
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("name", "content", "problems"),
    [
        pytest.param("regions.csv", "", [("regions.csv:1", "does not have one column of names, and beside it valid_from and valid_until alone")], id="empty"),
        pytest.param("regions.csv", "name\n", [("regions.csv", "lists no part")], id="header alone"),
        pytest.param("regions.csv", "name,country\nNL,x\n", [("regions.csv:1", "does not have one column of names, and beside it valid_from and valid_until alone")], id="two columns of names"),
        pytest.param("regions.csv", "name\nNL\n\nBE\n", [("regions.csv:3", "has another number of values than the header has columns")], id="blank line"),
        pytest.param("regions.csv", "name,valid_until\nNL\nBE,soon\n,\n", [("regions.csv:2", "has another number of values than the header has columns"), ("regions.csv:3", "valid_until: is no calendar day"), ("regions.csv:4", "name: is empty")], id="all problems at once"),
        pytest.param("regions.csv", "name,valid_from,valid_until\nNL,2026-12-31,2026-10-01\n", [("regions.csv:2", "ends before it begins")], id="backwards"),
        pytest.param("regions.csv", "name\nNL\nBE\nNL\n", [("regions.csv:4", "lists a part again")], id="twice"),
        pytest.param("regions.csv", b"name\n\xff\n", [("regions.csv", "is no text in UTF-8")], id="P02 encoding"),
        pytest.param("regions.csv", 'name\n"NL\n', [("regions.csv", "is no CSV")], id="open quote"),
        pytest.param("regions.csv", "name\n" + "x" * (1 << 20), [("regions.csv", "is larger than 1 MiB")], id="large"),
        pytest.param("regions.json", '{"NL": 1}', [("regions.json:1", "is no list")], id="JSON that is no list"),
        pytest.param("regions.json", '["NL", 7, {"valid_until": "2026-10-01"}]', [("regions.json:1", "name: is read by YAML as a whole number, text is needed"), ("regions.json:1", "a part has no name")], id="JSON numbers"),
        pytest.param("l/regions.yaml", "- NL\n- NO\n- {name: BE, until: 2026-10-01}\n", [("l/regions.yaml:2", "name: is read by YAML as true/false, text is needed"), ("l/regions.yaml:3", "until: is unknown")], id="P14 YAML NO"),
        pytest.param("l/regions.yaml", "- [NL\n", [("l/regions.yaml:2:1", "not YAML")], id="YAML that is none"),
    ],
)  # fmt: skip
def test_every_problem_of_a_list_is_told(
    tmp_path: Path, name: str, content: str | bytes, problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidContractError) as caught:
        read(tmp_path, name, content)
    told = [(problem.where.removeprefix(f"{tmp_path}/"), problem.what) for problem in caught.value.problems]
    assert [(where, what[: len(known)]) for (where, what), (_, known) in zip(told, problems, strict=True)] == problems
    assert all(problem.hint for problem in caught.value.problems)


def test_days_need_partitions_that_have_days(tmp_path: Path) -> None:
    with pytest.raises(InvalidContractError, match="no partitions that are spans of time"):
        read(tmp_path, "regions.csv", "name,valid_until\nNL,2026-12-31\n", WHOLE)


def test_names_alone_need_no_partitions(tmp_path: Path) -> None:
    assert listed(read(tmp_path, "regions.csv", "name,valid_until\nNL,\n", WHOLE)) == [NL]


def test_a_list_that_is_gone_is_told_with_the_problems_of_the_folder(tmp_path: Path) -> None:
    read(tmp_path, "regions.csv", "name\nNL\n")
    (tmp_path / "regions.csv").unlink()
    (tmp_path / "broken.yaml").write_text("[")
    with pytest.raises(InvalidContractError) as caught:
        read_contracts(tmp_path)
    assert str(caught.value.problems[-1]).splitlines() == [
        f"{tmp_path}/regions.csv: the list of required parts cannot be read: No such file or directory",
        "    put it below the folder of the contract, or write required: [...]",
    ]
