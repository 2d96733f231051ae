"""Which files a delivery consists of, and the id that it has on every machine."""

import os
from pathlib import Path

import pytest

from contract_core.candidate.delivery import collect_delivery, part_name, submission_id
from contract_core.candidate.landing import landed_paths
from contract_core.candidate.snapshot import take_candidate
from contract_core.errors import CandidateUnreadableError
from tests.candidate.offers import RECEIVED, contract_of, reason, rows, written

CSV = contract_of({"a": "string"})


def names(contract, *paths) -> list[str]:
    return [file.name for file in collect_delivery(contract, list(paths), None).files]


def test_a_folder_gives_the_files_that_the_format_could_be(tmp_path):
    files = [
        "b.csv",
        "a.CSV",
        "c.txt",
        "d.json",
        ".e.csv",
        "_f.csv",
        "sub/g.csv",
        "_tmp/h.csv",
        ".x/i.csv",
        "_manifest.json",
        "csv",
    ]
    assert names(CSV, written(tmp_path / "in", dict.fromkeys(files, "a\n"))) == ["a.CSV", "b.csv", "c.txt", "sub/g.csv"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("csv", ["1.csv"]),
        ("jsonl", ["2.jsonl", "3.ndjson", "4.json"]),
        ("parquet", ["5.parquet"]),
        ("ipc", ["6.arrow", "7.feather"]),
        ("envelope", ["4.json"]),
    ],
)
def test_each_format_knows_its_own_files(tmp_path, form, expected):
    files = ["1.csv", "2.jsonl", "3.ndjson", "4.json", "5.parquet", "6.arrow", "7.feather", "8.xlsx"]
    landing = written(tmp_path / "in", dict.fromkeys(files, ""))
    assert names(contract_of({"a": "string"}, form={"type": form}), landing) == expected


def test_the_suffix_of_the_contracts_own_path_counts_too(tmp_path):
    contract = contract_of({"a": "string"}, delivery={"path": "cases/*.dat"})
    assert names(contract, written(tmp_path / "in", {"a.dat": "a\n", "b.other": "a\n"})) == ["a.dat"]


def test_a_file_that_is_named_is_taken_whatever_its_suffix(tmp_path):
    written(tmp_path / "in", {"a.odd": "a\n", "_b": "a\n"})
    assert names(CSV, tmp_path / "in" / "a.odd", tmp_path / "in" / "_b") == ["_b", "a.odd"]


def test_files_have_size_and_digest(tmp_path):
    (file,) = collect_delivery(CSV, [written(tmp_path / "in", {"a.csv": "abc"})], None).files
    assert file.size == 3
    assert file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("missing", ["nowhere", "empty", "none"])
def test_without_any_file_there_is_nothing_to_take(tmp_path, missing):
    written(tmp_path / "empty", {"x.json": "{}"})
    paths = [] if missing == "none" else [tmp_path / missing]
    with pytest.raises(CandidateUnreadableError):
        collect_delivery(CSV, paths, None)


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(CandidateUnreadableError, match="is no file"):
        collect_delivery(CSV, [tmp_path / "pipe.csv"], None)


def test_two_files_of_one_name_cannot_be_told_apart(tmp_path):
    paths = [written(tmp_path / folder, {"a.csv": "a\n"}) for folder in ("one", "two")]
    with pytest.raises(CandidateUnreadableError):
        collect_delivery(CSV, paths, None)


@pytest.mark.parametrize(("manifest", "is_taken"), [("none", False), ("optional", True), ("required", True)])
def test_the_manifest_is_taken_where_the_contract_knows_manifests(tmp_path, manifest, is_taken):
    contract = contract_of({"a": "string"}, delivery={"manifest": manifest})
    landing = written(tmp_path / "in", {"a.csv": "a\n", "_manifest.json": "{}"})
    for paths in ([landing], [landing / "a.csv"], [landing / "a.csv", landing / "_manifest.json"]):
        delivery = collect_delivery(contract, paths, None)
        assert (delivery.manifest is not None) is is_taken
        assert [file.name for file in delivery.files] == ["a.csv"]


def test_a_manifest_alone_is_a_delivery(tmp_path):
    contract = contract_of({"a": "string"}, delivery={"manifest": "required"})
    assert collect_delivery(contract, [written(tmp_path / "in", {"_manifest.json": "{}"})], None).files == ()


def test_two_manifests_are_two_deliveries(tmp_path):
    contract = contract_of({"a": "string"}, delivery={"manifest": "optional"})
    folders = [written(tmp_path / name, {f"{name}.csv": "a\n", "_manifest.json": "{}"}) for name in ("one", "two")]
    with pytest.raises(CandidateUnreadableError):
        collect_delivery(contract, folders, None)


def submitted(tmp_path, contract=CSV, partition=None, name="a.csv", content="a\n1\n", manifest=None) -> str:
    files = {name: content} | ({"_manifest.json": manifest} if manifest else {})
    return submission_id(contract, collect_delivery(contract, [written(tmp_path, files)], partition))


def test_the_submission_id_is_the_same_wherever_the_files_lie(tmp_path):
    assert submitted(tmp_path / "one") == submitted(tmp_path / "two" / "three")


def test_the_submission_id_changes_with_everything_that_was_delivered_or_promised(tmp_path):
    known = contract_of({"a": "string"}, delivery={"manifest": "optional"})
    ids = [
        submitted(tmp_path / "0"),
        submitted(tmp_path / "1", content="a\n2\n"),
        submitted(tmp_path / "2", name="b.csv"),
        submitted(tmp_path / "3", partition="2026-10-01"),
        submitted(tmp_path / "4", contract=CSV.model_copy(update={"version": "1.0.1"})),
        submitted(tmp_path / "5", contract=contract_of({"a": "string"}, rows={"min": 2})),
        submitted(tmp_path / "6", contract=known),
        submitted(tmp_path / "7", contract=known, manifest="{}"),
        submitted(tmp_path / "8", contract=known, manifest="{} "),
    ]
    assert len(set(ids)) == len(ids)
    assert all(len(identity) == 64 for identity in ids)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("NL11.csv", "NL11"),
        ("sub/NL11.CSV", "NL11"),
        ("0.94-to-0.95.csv", "0.94-to-0.95"),
        ("NL11", "NL11"),
        (".csv", ".csv"),
    ],
)
def test_a_part_is_the_file_name_without_the_formats_suffix(name, part):
    assert part_name(CSV, name) == part


OPTIONAL = contract_of({"a": "string"}, delivery={"manifest": "optional"})


@pytest.mark.parametrize("others", [{}, {"_manifest.json": "{}"}])
def test_a_manifest_inside_the_delivery_is_refused_and_never_passed_over(tmp_path, others):
    landing = written(tmp_path / "in", {"sub/a.csv": "a\n", "sub/_manifest.json": "{}"} | others)
    with pytest.raises(CandidateUnreadableError, match=r"sub/_manifest\.json: is a manifest inside the delivery"):
        collect_delivery(OPTIONAL, [landing], None)
    assert names(CSV, landing) == ["sub/a.csv"]


def test_a_manifest_beside_a_landed_folder_is_taken_with_it(tmp_path):
    written(tmp_path / "cases", {"sub/a.csv": "a\n", "_manifest.json": "{}"})
    paths = landed_paths(OPTIONAL, tmp_path, None)
    assert collect_delivery(OPTIONAL, paths, None).manifest is not None
    assert [path.name for path in landed_paths(CSV, tmp_path, None)] == ["sub"]


def test_a_manifest_that_landed_alone_is_not_there_yet(tmp_path):
    written(tmp_path / "cases", {"_manifest.json": "{}"})
    with pytest.raises(CandidateUnreadableError, match="nothing has landed"):
        landed_paths(OPTIONAL, tmp_path, None)


@pytest.mark.parametrize("name", ["b.csv", "sub", "_manifest.json"])
def test_a_link_that_leads_out_of_a_delivered_folder_is_refused(tmp_path, name):
    landing = written(tmp_path / "in", {"a.csv": "a\n"})
    elsewhere = written(tmp_path / "elsewhere", {"b.csv": "a\n"})
    (landing / name).symlink_to(elsewhere if name == "sub" else elsewhere / "b.csv")
    with pytest.raises(CandidateUnreadableError, match="is a link"):
        collect_delivery(OPTIONAL, [landing], None)


def test_a_link_within_a_delivered_folder_is_the_file_that_it_leads_to(tmp_path):
    landing = written(tmp_path / "in", {".data/a.csv": "a\n"})
    (landing / "b.csv").symlink_to(landing / ".data" / "a.csv")
    assert names(CSV, landing) == ["b.csv"]


def test_a_path_that_is_given_may_be_a_link_itself(tmp_path):
    landing = written(tmp_path / "in", {"a.csv": "a\n"})
    for name, target in (("folder", landing), ("file.csv", landing / "a.csv")):
        (tmp_path / name).symlink_to(target)
        assert len(names(CSV, tmp_path / name)) == 1


def test_a_link_that_landed_and_leads_out_of_its_folder_is_refused(tmp_path):
    landing = written(tmp_path / "landing", {"cases/a.csv": "a\n"})
    (landing / "cases" / "b.csv").symlink_to(written(tmp_path / "elsewhere", {"b.csv": "a\n"}) / "b.csv")
    with pytest.raises(CandidateUnreadableError, match="leads out of its folder"):
        landed_paths(CSV, landing, None)


@pytest.mark.parametrize("kind", ["pipe", "dangling link"])
def test_what_stands_in_a_folder_under_the_name_of_a_file_must_be_one(tmp_path, kind):
    landing = written(tmp_path / "in", {"a.csv": "a\n"})
    os.mkfifo(landing / "b.csv") if kind == "pipe" else (landing / "b.csv").symlink_to(landing / "gone.csv")
    with pytest.raises(CandidateUnreadableError, match=r"b\.csv: is no file"):
        collect_delivery(CSV, [landing], None)


@pytest.mark.parametrize("name", [b"b\xff.csv", b"\xff/b.csv"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "ipc", "envelope"])
def test_a_file_under_a_path_that_is_no_utf_8_is_unreadable(tmp_path, name, form):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    path.parent.mkdir(exist_ok=True)
    path.write_text("a\n1\n")
    contract = contract_of(
        {"a": "string"}, form={"type": form}, delivery={"parts": {"from": "file", "required": ["b"]}}
    )
    candidate = take_candidate(contract, collect_delivery(contract, [path], None), tmp_path / "candidates", RECEIVED)
    assert reason(candidate) == "stands under a path that is not UTF-8"
    assert candidate.facts.files[0].name == ("b.csv" if name.endswith(b"/b.csv") else r"b\xff.csv")


def test_a_path_that_is_not_there_is_shown_in_escapes(tmp_path):
    with pytest.raises(CandidateUnreadableError, match=r"b\\xff\.csv: is not there"):
        collect_delivery(CSV, [Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.csv"))], None)


@pytest.mark.parametrize(
    "name", ["~/x.csv", "~root/x.csv", "s3:/x.csv", "file:/x.csv", "http:/x.csv", "*.csv", "a%20b.csv"]
)
def test_the_file_that_was_digested_is_the_one_that_is_read(tmp_path, monkeypatch, name):
    monkeypatch.setenv("HOME", str(written(tmp_path / "home", {"x.csv": "a\nother\n"})))
    monkeypatch.chdir(written(tmp_path / "here", {name: "a\nright\n"}))
    for root in ("candidates", f"{name}-root"):
        candidate = take_candidate(CSV, collect_delivery(CSV, [Path(name)], None), Path(root), RECEIVED)
        assert rows(candidate)["a"].to_list() == ["right"]
        assert candidate.path.is_relative_to(tmp_path / "here" / root)
