"""Parts as declared and as found: from files, from a column, from the manifest; and the manifest itself."""

import hashlib
import json

import pytest

from contract_core.candidate.facts import PartFacts
from tests.candidate.offers import contract_of, rows, taken

TWO = {"A.csv": "a,p\n1,A\n2,A\n", "B.csv": "a,p\n3,B\n"}
WHOLE = {
    "contract": "cases",
    "version": "1.0.0",
    "partition": "2026-10-01",
    "unit": "cases",
    "parts": {
        "A": {
            "complete": True,
            "rows": 2,
            "file": "A.csv",
            "sha256": hashlib.sha256(TWO["A.csv"].encode()).hexdigest(),
        },
        "B": {"complete": False, "rows": 1, "file": "B.csv"},
    },
}


def offered(tmp_path, manifest=None, source="manifest", files=TWO, **terms):
    parts = {"from": source, "required": ["A", "B"]} | ({"column": "p"} if source == "column" else {})
    contract = contract_of({"a": "integer", "p": "string"}, delivery={"parts": parts, "manifest": "optional", **terms})
    text = manifest if isinstance(manifest, str) else json.dumps(manifest)
    return taken(contract, tmp_path, files | ({} if manifest is None else {"_manifest.json": text}))


def part(manifest=WHOLE, **changes):
    """The whole manifest with another declaration of part A."""
    declared = {**manifest["parts"]["A"], **changes}
    return {
        **manifest,
        "parts": {**manifest["parts"], "A": {key: value for key, value in declared.items() if value != "-"}},
    }


def test_files_are_parts_by_their_names(tmp_path):
    candidate = offered(tmp_path, source="file")
    assert candidate.facts.parts == (PartFacts("A", None, 2, None, "A.csv"), PartFacts("B", None, 1, None, "B.csv"))
    assert rows(candidate).select("a", "__part").rows() == [(1, "A"), (2, "A"), (3, "B")]
    assert candidate.facts.manifest == "none"


@pytest.mark.parametrize("source", ["manifest", "file", "column"])
def test_a_manifest_that_is_right_is_kept_as_it_stands(tmp_path, source):
    facts = offered(tmp_path, WHOLE, source).facts
    assert (facts.declared_contract, facts.declared_version) == ("cases", "1.0.0")
    assert (facts.declared_partition, facts.declared_unit) == ("2026-10-01", "cases")
    assert (facts.manifest, facts.problems) == ("present", ())
    assert facts.parts == (PartFacts("A", True, 2, 2, "A.csv"), PartFacts("B", False, 1, 1, "B.csv"))


def test_rows_carry_the_part_that_the_manifest_gives_their_file(tmp_path):
    assert rows(offered(tmp_path, WHOLE))["__part"].to_list() == ["A", "A", "B"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"rows": 3}, "declares 3 rows, 2 were found"),
        ({"rows": 1}, "declares 1 row, 2 were found"),
        ({"rows": "2"}, "'rows' is no count"),
        ({"rows": 2.0}, "'rows' is no count"),
        ({"rows": True}, "'rows' is no count"),
        ({"rows": -2}, "'rows' is no count"),
        ({"rows": None}, "'rows' is no count"),
        ({"sha256": "0" * 64}, "names a file whose SHA-256 is another"),
        ({"sha256": 1}, "'sha256' is no text"),
        ({"file": "C.csv", "rows": 0}, "names a file that is not there"),
        ({"file": 1, "rows": 0}, "'file' is no text"),
        ({"complete": 1}, "'complete' is neither true nor false"),
        ({"complete": "true"}, "'complete' is neither true nor false"),
        ({"complete": "-"}, "does not say whether it is complete"),
        ({"secret": 1}, "has an unknown key at place 5"),
    ],
)
def test_what_a_part_declares_wrongly_is_told(tmp_path, changes, problem):
    found = offered(tmp_path, part(**changes)).facts.parts[0]
    assert problem in found.problems
    assert "secret" not in "".join(found.problems)


@pytest.mark.parametrize("source", ["file", "column"])
def test_declared_rows_are_held_against_those_found(tmp_path, source):
    found = offered(tmp_path, part(rows=5, file="-", sha256="-"), source).facts.parts[0]
    assert (found.rows, found.problems) == (2, ("declares 5 rows, 2 were found",))


@pytest.mark.parametrize(
    ("declared", "problems"),
    [
        ({"complete": True, "rows": 0}, ()),
        ({"complete": True, "rows": 7}, ("names no file, so its rows cannot be counted",)),
        ({"complete": True}, ("names no file, so its rows cannot be counted",)),
    ],
)
def test_a_part_without_a_file_is_complete_only_when_it_is_declared_empty(tmp_path, declared, problems):
    facts = offered(tmp_path, {**WHOLE, "parts": {**WHOLE["parts"], "C": declared}}).facts
    assert (facts.parts[2].rows, facts.parts[2].problems) == (0, problems)


def test_a_part_without_a_file_stands_for_the_file_of_its_name(tmp_path):
    facts = offered(tmp_path, part(file="-", sha256="-")).facts
    assert (facts.parts[0].source_file, facts.parts[0].rows, facts.parts[0].problems) == ("A.csv", 2, ())


def test_two_parts_cannot_share_a_file(tmp_path):
    facts = offered(tmp_path, part(file="B.csv", sha256="-", rows=1)).facts
    assert all(
        "shares its file with another part, so its rows cannot be told apart" in found.problems for found in facts.parts
    )


def test_a_part_in_an_unreadable_file_is_not_an_empty_part(tmp_path):
    facts = offered(tmp_path, source="file", files={**TWO, "B.csv": "a,p\n1\n"}).facts
    assert facts.parts[1].problems == ("is in a file that is unreadable",)


@pytest.mark.parametrize(
    ("manifest", "presence", "rules"),
    [
        ("", "unreadable", ["unreadable"]),
        ("[1]", "unreadable", ["unreadable"]),
        ("{", "unreadable", ["unreadable"]),
        ('{"parts": {"A": {}, "A": {}}}', "unreadable", ["unreadable"]),
        ("{}", "present", []),
        ({"contract": 1}, "present", ["contract"]),
        ({"version": 1.0}, "present", ["contract"]),
        ({"partition": 20261001}, "present", ["partition"]),
        ({"unit": 1}, "present", ["unit"]),
        ({"units": ["x"]}, "present", ["unit"]),
        ({"parts": []}, "present", ["completeness"]),
        ({"secret": 1, "other": 2}, "present", ["contract", "contract"]),
    ],
)
def test_a_manifest_is_read_strictly(tmp_path, manifest, presence, rules):
    facts = offered(tmp_path, manifest).facts
    assert facts.manifest == presence
    assert [problem.rule for problem in facts.problems] == rules
    assert not any("secret" in problem.text for problem in facts.problems)


@pytest.mark.parametrize(
    ("units", "problems"),
    [
        ({"n": "cases"}, []),
        ({"n": "thousand"}, ["manifest: the unit of 'n' is not the promised one, 'cases'"]),
        ({"m": "cases"}, ["manifest: the unit of 'm' is not the promised one, none"]),
        ({"secret": "cases"}, ["manifest: unit 1 is of no field of the contract"]),
    ],
)
def test_units_by_field_are_held_against_the_contract(tmp_path, units, problems):
    contract = contract_of({"n": "integer", "m": "integer"}, delivery={"manifest": "optional"})
    fields = (contract.fields[0].model_copy(update={"unit": "cases"}), contract.fields[1])
    files = {"1.csv": "n,m\n1,2\n", "_manifest.json": json.dumps({"units": units})}
    facts = taken(contract.model_copy(update={"fields": fields}), tmp_path, files).facts
    assert [problem.text for problem in facts.problems] == problems


def test_a_manifest_and_an_envelope_must_agree(tmp_path):
    terms = {"parts": {"from": "envelope", "required": ["A"]}, "manifest": "optional"}
    contract = contract_of({"a": "integer"}, form={"type": "envelope"}, delivery=terms)
    envelope = {"contract": "cases", "unit": "s", "partitions": {"A": {"complete": True, "rows": [{"a": 1}]}}}
    manifest = {"unit": "ms", "parts": {"A": {"complete": False, "rows": 2}}}
    files = {"1.json": json.dumps(envelope), "_manifest.json": json.dumps(manifest)}
    facts = taken(contract, tmp_path, files).facts
    assert [problem.text for problem in facts.problems] == ["'unit' is declared twice, and differently"]
    problems = ("is declared complete and not complete", "declares 2 rows, 1 were found")
    assert facts.parts == (PartFacts("A", None, 1, 2, "1.json", problems),)


@pytest.mark.parametrize(
    ("parts", "undeclared"),
    [
        ({}, ("A.csv", "B.csv")),
        ({"A": {"complete": True, "file": "A.csv"}}, ("B.csv",)),
        ({"A": {"complete": True}, "B": {"complete": False}}, ()),
        ({"A": {"complete": True}, "C": {"complete": True, "rows": 0}}, ("B.csv",)),
    ],
)
@pytest.mark.parametrize("source", ["manifest", None])
def test_a_file_that_the_manifest_does_not_speak_of_is_told(tmp_path, parts, undeclared, source):
    terms = {"manifest": "required"} | ({"parts": {"from": source, "required": ["A", "B"]}} if source else {})
    contract = contract_of({"a": "integer", "p": "string"}, delivery=terms)
    facts = taken(contract, tmp_path, TWO | {"_manifest.json": json.dumps({"parts": parts})}).facts
    assert facts.undeclared_files == undeclared


@pytest.mark.parametrize("source", ["file", "column"])
def test_parts_that_files_or_a_column_name_are_declared_by_name(tmp_path, source):
    assert offered(tmp_path, {}, source).facts.undeclared_files == ()


@pytest.mark.parametrize("manifest", [None, "{"])
def test_without_a_manifest_that_can_be_read_no_file_is_told_apart(tmp_path, manifest):
    assert offered(tmp_path, manifest).facts.undeclared_files == ()


def test_an_envelope_that_declares_no_part_is_told(tmp_path):
    contract = contract_of({"a": "integer"}, form={"type": "envelope"})
    whole = {"partitions": {"A": {"complete": True, "rows": [{"a": 1}]}}}
    facts = taken(contract, tmp_path, {"1.json": json.dumps(whole), "2.json": '{"partitions": {}}'}).facts
    assert facts.undeclared_files == ("2.json",)


def test_a_part_delivered_twice_is_counted(tmp_path):
    facts = offered(tmp_path, source="file", files={"x/A.csv": "a,p\n1,A\n", "y/A.csv": "a,p\n2,A\n"}).facts
    (part_twice,) = facts.parts
    assert (part_twice.rows, part_twice.deliveries, part_twice.problems) == (2, 2, ("was delivered more than once",))
