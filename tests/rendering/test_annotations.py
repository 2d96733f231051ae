"""Changes at their line of the contract file: annotations of GitHub Actions, and SARIF."""

import json
from datetime import date

import pytest

from contract_core.contract.parsing import parse_contract
from contract_core.contract.yaml_document import Mark
from contract_core.diff.change import Change
from contract_core.diff.changes import find_changes
from contract_core.diff.compatibility import COMPATIBILITY
from contract_core.diff.kinds import ChangeKind
from contract_core.diff.release import Successor, compare
from contract_core.rendering.annotations import Located, github_lines, located, sarif_document

OLD = """\
contract: orders
version: "1.0.0"
fields:
  - {name: id, type: string}
  - {name: a.b, type: integer, min: 0}
  - name: note
    type: string
    enum: ["x"]
rules:
  - {name: paid, sql: id <> 'z'}
"""


def found(*edits: tuple[str, str], version: str = "9.0.0") -> tuple[Located, ...]:
    text = OLD.replace("1.0.0", version)
    for old, new in edits:
        text = text.replace(old, new)
    return located(successor(OLD, text), "contracts/orders.yaml", text.encode())


def successor(before: str, after: str) -> Successor:
    return compare(parse_contract(before, "old.yaml"), parse_contract(after, "new.yaml"), date(2026, 10, 2))


def places(*edits: tuple[str, str]) -> list[tuple[str, int, int]]:
    return [(item.rule, item.mark.line, item.mark.column) for item in found(*edits)]


@pytest.mark.parametrize(
    "edit, place",
    [
        (("min: 0", "min: 1"), ("bound_tightened", 5, 37)),
        (('enum: ["x"]', 'enum: ["x", "y"]'), ("enum_value_added", 8, 11)),
        (("contract:", "description: Orders.\ncontract:"), ("words_edited", 1, 14)),
        (('\n    enum: ["x"]', ""), ("enum_dropped", 6, 5)),
        (("rules:\n  - {name: paid, sql: id <> 'z'}\n", ""), ("rule_removed", 1, 1)),
        (("name: note\n", "name: text\n    renamed_from: note\n"), ("field_renamed", 6, 5)),
    ],
    ids=["a value", "a list", "what is new", "what is gone", "a list that is gone", "under another name"],
)  # fmt: skip
def test_a_change_stands_where_it_is_written_or_would_be(edit: tuple[str, str], place: tuple[str, int, int]) -> None:
    """[S4-002]"""
    assert places(edit) == [place]


def test_what_is_missing_stands_at_the_version() -> None:
    """[S4-002] [S4-013]"""
    items = found(("min: 0", "min: 1"), version="1.0.1")
    assert [(item.level, item.rule, item.mark.line) for item in items] == [
        ("error", "bound_tightened", 5), ("error", "release_incomplete", 2)
    ]  # fmt: skip
    assert items[1].text == (
        'version 1.0.1 is not enough: 1 breaking change asks for 2.0.0\nwrite version: "2.0.0", or take the breaking changes back'
    )


@pytest.mark.parametrize(
    "edit, version, level",
    [
        (("min: 0", "min: 1"), "1.0.1", "error"),
        (("min: 0", "min: 1"), "2.0.0", "warning"),
        (("min: 0", "min: -1"), "1.1.0", "notice"),
        (("min: 0", "min: -1"), "1.0.0", "notice"),
        (("contract:", "description: Orders.\ncontract:"), "1.0.1", "notice"),
    ],
)
def test_a_breaking_change_only_warns_where_the_version_passes(edit: tuple[str, str], version: str, level: str) -> None:
    assert found(edit, version=version)[0].level == level


def test_an_annotation_of_github_names_file_line_column_and_kind() -> None:
    (line,) = github_lines(found(("min: 0", "min: -1")))
    assert line == (
        "::notice file=contracts/orders.yaml,line=5,col=37,title=bound_relaxed::"
        "fields.a.b.min from 0 to -1 (bound_relaxed): values can appear that were never there"
    )


def test_no_text_of_a_contract_breaks_out_of_an_annotation() -> None:
    harmful = Located("error", "kind:,::x", "50%\n::error::injected\r", "a,b:c%\n.yaml", Mark(1, 1))
    assert list(github_lines([harmful])) == [
        "::error file=a%2Cb%3Ac%25%0A.yaml,line=1,col=1,title=kind%3A%2C%3A%3Ax::50%25%0A::error::injected%0D"
    ]


def test_sarif_has_a_rule_for_each_kind_and_a_place_for_each_change() -> None:
    document = sarif_document(found(("min: 0", "min: 1"), version="1.0.1"))
    (run,) = document["runs"]
    assert (document["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "contract-gate")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["bound_tightened", "release_incomplete"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("bound_tightened", "error"), ("release_incomplete", "error")
    ]  # fmt: skip
    assert run["results"][0]["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "contracts/orders.yaml"},
                "region": {"startLine": 5, "startColumn": 37},
            }
        }
    ]
    assert json.loads(json.dumps(document)) == document


@pytest.mark.parametrize("kind", ChangeKind)
def test_sarif_knows_every_kind(kind: ChangeKind) -> None:
    document = sarif_document([Located("notice", kind.value, "text", "orders.yaml", Mark(1, 1))])
    assert document["runs"][0]["tool"]["driver"]["rules"] == [
        {"id": kind.value, "shortDescription": {"text": COMPATIBILITY[kind].reason}}
    ]


def test_nothing_found_is_a_document_without_results() -> None:
    assert sarif_document(())["runs"][0]["results"] == []


def test_a_name_that_begins_like_another_is_told_apart() -> None:
    text = OLD.replace("id", "a")
    after = text.replace("min: 0", "min: 1")
    assert find_changes(parse_contract(text, "a"), parse_contract(after, "b"))[0] == Change(
        ChangeKind.BOUND_TIGHTENED, "fields.a.b.min", "from 0 to 1", "a.b"
    )
    assert [item.mark.line for item in located(successor(text, after), "o.yaml", after.encode())] == [5, 2]
