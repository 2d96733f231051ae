"""The command `release`: a version enters the registry through the gate, once and for good; and what follows from it."""

import json
from pathlib import Path
from typing import Any

import pytest

from contract_core.releases.registry import open_registry, verify
from contract_core.releases.release import Release
from tests.commands import Run, runner
from tests.producer import NOTE_REMOVED, ORDERS, RECORD, REWORDED, alone, edited, to
from tests.publication.processes import at_once

KINDS = ["registry", "delta:registry"]
FILE = "contracts/orders.yaml"
RELAXED = ("min: 0", "min: -5")
SECOND = edited(NOTE_REMOVED, to("2.0.0"))
RACE = """
from contract_core.cli import main
ready()
main(["release", FOLDER + "/contracts/orders.yaml", "--registry", KIND + FOLDER + "/registry", "--by", f"job {NUMBER}"])
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The command line in a folder with one contract and nothing released."""
    alone(monkeypatch, tmp_path)
    (tmp_path / "contracts/changes/orders").mkdir(parents=True)
    (tmp_path / FILE).write_text(ORDERS)
    (tmp_path / "registry").mkdir()
    monkeypatch.chdir(tmp_path)
    return runner(capfd)


def released(run: Run, kind: str, text: str | None = None, *, code: int = 0, options: tuple[str, ...] = ()) -> Any:
    """The document of a release of this text."""
    if text is not None:
        Path(FILE).write_text(text)
    found, out, err = run("release", FILE, "--registry", kind, "--by", "anna", "--json", *options)
    assert (found, err) == (code, "")
    return json.loads(out)


def kept(kind: str) -> dict[str, Release]:
    return {release.version: release for release in open_registry(kind).releases("orders")}


def agreed(run: Run, kind: str, until: str = "2026-11-01") -> None:
    """The record of 2.0.0, with the approval of just the changes that stand in the file."""
    digest = released(run, kind, SECOND, code=1)["changes_digest"]
    Path("contracts/changes/orders/2.0.0.yaml").write_text(RECORD.format(digest=digest, until=until))


def files(folder: str = ".") -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_version_is_released_as_it_stands(run: Run, kind: str) -> None:
    """[S4-017]."""
    document = released(run, kind)
    assert (document["released"], document["already_released"], document["from"]) == (True, False, None)
    (release,) = kept(kind).values()
    assert (release.text, release.released_by, release.replaces, release.changes) == (ORDERS, "anna", None, ())
    assert release.released_at.isoformat() == "2026-10-02T09:00:00+00:00"


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_version_again_changes_nothing(run: Run, kind: str) -> None:
    """[S4-018]."""
    released(run, kind)
    before = files("registry") if kind == "registry" else len(kept(kind))
    document = released(run, kind)
    assert (document["released"], document["already_released"]) == (True, True)
    assert before == (files("registry") if kind == "registry" else len(kept(kind)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_compatible_version_follows_with_its_changes(run: Run, kind: str) -> None:
    """[S4-020]."""
    released(run, kind)
    document = released(run, kind, edited(RELAXED, to("1.1.0")))
    assert (document["from"], document["verdict"]) == ("1.0.0", "pass")
    release = kept(kind)["1.1.0"]
    assert (release.replaces, release.required_version) == ("1.0.0", "1.1.0")
    assert [(change["kind"], change["path"]) for change in release.changes] == [("bound_relaxed", "fields.amount.min")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(edited(NOTE_REMOVED, to("1.1.0")), id="version too low"),
        pytest.param(SECOND, id="no approval"),
        pytest.param(edited(REWORDED, to("0.9.0")), id="version below"),
    ],
)
def test_a_version_that_may_not_follow_is_not_released(run: Run, kind: str, text: str) -> None:
    """[S4-013] [S4-014]."""
    released(run, kind)
    assert released(run, kind, text, code=1)["released"] is False
    assert list(kept(kind)) == ["1.0.0"]


@pytest.mark.parametrize("kind", KINDS)
def test_another_text_under_a_released_version_is_refused(run: Run, kind: str) -> None:
    """[S4-018]."""
    released(run, kind)
    Path(FILE).write_text(edited(RELAXED))
    code, out, err = run("release", FILE, "--registry", kind, "--by", "anna")
    assert (code, out) == (2, "")
    assert err.startswith("contract 'orders' 1.0.0 was released with digest ")
    assert "released versions never change" in err
    assert kept(kind)["1.0.0"].text == ORDERS


def test_a_rehearsal_refuses_another_text_too(run: Run) -> None:
    released(run, "registry")
    Path(FILE).write_text(edited(RELAXED))
    before = files()
    code, _, err = run("release", FILE, "--registry", "registry", "--by", "anna", "--dry-run")
    assert (code, files()) == (2, before)
    assert "released versions never change" in err


def test_a_rehearsal_of_what_is_released_mends_nothing(run: Run) -> None:
    released(run, "registry")
    Path("registry/orders/CHANGELOG.md").unlink()
    before = files()
    assert released(run, "registry", options=("--dry-run",))["already_released"] is True
    assert files() == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_rehearsal_writes_nothing(run: Run, kind: str) -> None:
    before = files()
    document = released(run, kind, options=("--dry-run",))
    assert (document["released"], document["verdict"]) == (False, "pass")
    assert files() == before
    assert list(Path("registry").iterdir()) == []
    code, out, _ = run("release", FILE, "--registry", kind, "--by", "anna", "--dry-run")
    assert (code, out.splitlines()[-1]) == (0, "orders 1.0.0 would be released")


@pytest.mark.parametrize("kind", KINDS)
def test_a_breaking_version_keeps_who_agreed_and_how_long_the_older_one_stays(run: Run, kind: str) -> None:
    """[S4-014] [S4-015] [S4-020]."""
    released(run, kind)
    agreed(run, kind)
    document = released(run, kind)
    digest = document["changes_digest"]
    assert document["approvals"] == {"archive": True}
    release = kept(kind)["2.0.0"]
    assert [(item["by"], item["changes"]) for item in release.approvals] == [("archive", digest)]
    assert {major: str(day) for major, day in release.supported_until.items()} == {"1": "2026-11-01"}
    assert [change["kind"] for change in release.changes] == ["field_removed"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_old_major_is_mended_beside_a_new_one(run: Run, kind: str) -> None:
    released(run, kind)
    agreed(run, kind)
    released(run, kind)
    document = released(run, kind, edited(RELAXED, to("1.1.0")))
    assert (document["from"], document["released"]) == ("1.0.0", True)
    assert list(kept(kind)) == ["1.0.0", "1.1.0", "2.0.0"]
    assert verify(open_registry(kind)) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_released_is_what_check_takes(run: Run, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[S4-018]."""
    released(run, kind)
    agreed(run, kind, until="2099-01-01")  # `check` asks the real clock
    released(run, kind)
    monkeypatch.setenv("CONTRACT_GATE_REGISTRY", kind)
    Path("orders.csv").write_text("order_id,amount,status,note\na,1,open,\n")
    code, out, _ = run("check", "orders@^1", "orders.csv", "--json")
    assert (code, json.loads(out)["version"]) == (0, "1.0.0")
    code, out, _ = run("check", "orders@^2", "orders.csv", "--json")
    assert (code, json.loads(out)["version"]) == (1, "2.0.0")


@pytest.mark.parametrize("kind", KINDS)
def test_the_gate_is_held_against_what_was_released(run: Run, kind: str) -> None:
    """[S4-003]."""
    released(run, kind)
    Path(FILE).write_text(edited(RELAXED))
    code, out, err = run("gate", "--registry", kind, "--root", ".", "--json")
    (orders,) = json.loads(out)["contracts"]
    assert (code, err, orders["from"], orders["required_version"]) == (1, "", "1.0.0", "1.1.0")
    Path(FILE).write_text(edited(RELAXED, to("1.1.0")))
    assert run("gate", FILE, "--registry", kind)[0] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_beside_the_registry_counts_for_both_kinds(run: Run, kind: str) -> None:
    """[S4-007]."""
    released(run, kind)
    Path("registry/policy.yaml").write_text("overrides: [{kind: bound_relaxed, class: breaking}]\n")
    Path(FILE).write_text(edited(RELAXED, to("1.1.0")))
    assert run("gate", "--registry", kind, "--root", ".")[0] == 1
    assert released(run, kind, code=1)["required_version"] == "2.0.0"


@pytest.mark.parametrize("kind", ["nowhere", "delta:nowhere"])
def test_a_registry_that_is_not_there_is_an_error_and_no_first_version(run: Run, kind: str) -> None:
    """[S4-016]."""
    code, out, err = run("gate", "--registry", kind, "--root", ".")
    assert (code, out) == (2, "")
    assert err.startswith(f"registry {kind}: is not there\n")


def test_an_empty_registry_takes_every_first_version(run: Run) -> None:
    assert run("gate", "--registry", "registry", "--root", ".")[0] == 0


def test_an_empty_folder_of_contracts_is_an_error_for_a_registry_too(run: Run) -> None:
    """[S4-016]."""
    released(run, "registry")
    Path("empty/contracts").mkdir(parents=True)
    code, out, err = run("gate", "--registry", "registry", "--root", "empty")
    assert (code, out) == (2, "")
    assert "empty/contracts: holds no contract" in err


def test_an_altered_release_closes_the_gate(run: Run) -> None:
    """[S4-018]."""
    released(run, "registry")
    path = Path("registry/orders/1.0.0.yaml")
    path.chmod(0o644)
    path.write_text(edited(RELAXED))
    code, out, err = run("gate", "--registry", "registry", "--root", ".")
    assert (code, out) == (2, "")
    assert "contract 'orders' 1.0.0 was released with digest" in err


@pytest.mark.parametrize("by", ["", " ", "two\nlines", "x" * 201])
def test_who_releases_has_a_name(run: Run, by: str) -> None:
    code, out, err = run("release", FILE, "--registry", "registry", f"--by={by}")
    assert (code, out) == (2, "")
    assert err.startswith("--by: is no name")
    assert list(Path("registry").iterdir()) == []


def test_a_contract_that_cannot_be_read_is_not_released(run: Run) -> None:
    Path(FILE).write_text(ORDERS.replace("integer", "wholes"))
    assert run("release", FILE, "--registry", "registry", "--by", "anna")[0] == 2
    assert list(Path("registry").iterdir()) == []


def test_without_a_registry_named_it_is_the_one_of_the_environment(run: Run) -> None:
    assert run("release", FILE, "--root", ".", "--by", "anna")[0] == 0
    assert list(kept("registry")) == ["1.0.0"]
    code, out, _ = run("releases", "orders", "--root", ".")
    assert code == 0
    assert "1.0.0" in out


def test_the_text_is_kept_to_the_letter(run: Run) -> None:
    """[S4-018]."""
    text = "\ufeff# Bestellungen — 契約\r\n" + ORDERS.replace("\n", "\r\n")
    Path(FILE).write_bytes(text.encode())
    assert run("release", FILE, "--registry", "registry", "--by", "anna")[0] == 0
    assert Path("registry/orders/1.0.0.yaml").read_bytes() == text.encode()


@pytest.mark.parametrize("kind", ["", "delta:"], ids=KINDS)
def test_two_that_release_at_once_make_one_release(run: Run, kind: str, tmp_path: Path) -> None:
    """[S4-018]."""
    code = f"KIND = {kind!r}\n{RACE}"
    assert at_once(2, code, tmp_path) == [0, 0]
    registry = open_registry(f"{kind}{tmp_path}/registry")
    assert [release.version for release in registry.releases()] == ["1.0.0"]
    assert registry.problems() == ()


def test_a_release_is_told_where_the_contract_says(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[S4-019] Once, and never again for a version that is kept already; the release stands if nobody could be told."""
    told: list[tuple[str, str, str]] = []

    def announce(title: str, text: str, channel: str, *_: object) -> str | None:
        told.append((title, text.splitlines()[0], channel))
        return None if len(told) == 1 else "the channel did not take it"

    monkeypatch.setattr("contract_core.operations.announcing.announce", announce)
    contract = 'contract: told\nversion: "1.0.0"\nfields: [{name: a, type: string}]\nchanges: {announce: data-team}\n'
    (tmp_path / "told.yaml").write_text(contract)
    (tmp_path / "kept").mkdir()
    released = ("release", "told.yaml", "--by", "ci", "--registry", "kept")
    assert run(*released)[2] == "note: told on channel 'data-team'\n"
    assert run(*released)[2] == ""
    (tmp_path / "told.yaml").write_text(contract.replace("1.0.0", "1.0.1"))
    code, out, err = run(*released)
    assert (code, out.splitlines()[-1], err) == (
        0,
        "told 1.0.1 is released",
        "note: nobody was told: the channel did not take it\n",
    )
    assert [(title, channel) for title, _, channel in told] == [
        ("told 1.0.0", "data-team"),
        ("told 1.0.1", "data-team"),
    ]


def test_a_misspelled_registry_is_no_new_one(run: Run, tmp_path: Path) -> None:
    """[S4-014] Else a typing error would release anything as a first version."""
    code, out, err = run("release", FILE, "--registry", "regsitry", "--by", "anna")
    assert (code, out, err.splitlines()[0]) == (2, "", "registry regsitry: is not there")
    assert not (tmp_path / "regsitry").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_holds_the_parts_that_a_list_beside_it_named(run: Run, kind: str) -> None:
    """A released version needs no file that may change."""
    Path("contracts/shops.csv").write_text("name\nnorth\nsouth\n")
    released(run, kind, ORDERS + "delivery: {parts: {from: file, required_file: shops.csv}}\n")
    Path("contracts/shops.csv").unlink()
    assert verify(open_registry(kind)) == ()
    assert "required: [north, south]" in kept(kind)["1.0.0"].text


def test_releases_are_listed_of_any_registry(run: Run) -> None:
    """[S4-020]"""
    released(run, "registry")
    code, out, _ = run("releases", "--registry", "registry", "--json")
    assert (code, [item["version"] for item in json.loads(out)]) == (0, ["1.0.0"])


def test_diff_takes_what_was_released(run: Run) -> None:
    """[S4-018] A consumer sees what a pinned version differs by, without the producer's repository."""
    released(run, "registry")
    Path(FILE).write_text(edited(RELAXED, to("1.1.0")))
    code, out, err = run("diff", "orders@1.0.0", FILE, "--root", ".")
    assert (code, err, out.splitlines()[0]) == (
        0,
        "",
        "pass: orders 1.0.0 → 1.1.0: 1 compatible (profile default); needs 1.1.0 or more",
    )
    assert run("diff", FILE, "orders@^1", "--root", ".")[0] == 1
    assert run("diff", "orders@^7", FILE, "--root", ".")[0] == 2
