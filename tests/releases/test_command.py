"""The command `releases`, and pins in the other commands."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import Run
from tests.releases.samples import BREAKING, WORDS, day, registry_of, release

ROOT = Path(__file__).parents[2]
RELEASES = (
    release("1.0.0", "2026-01-01"),
    release("1.1.0", "2026-02-01", replaces="1.0.0", changes=(WORDS, WORDS)),
    release(
        "2.0.0", "2026-04-01", released_by="bert", replaces="1.1.0", changes=(WORDS, BREAKING), supported_until={"1": day("2999-12-31")}
    ),
    release("1.0.0", "2026-01-01", name="bills", more="sunset: 2026-02-28\n"),
)  # fmt: skip


@pytest.fixture
def released(run: Run, tmp_path: Path) -> Run:
    """The command line beside a registry of four versions."""
    registry_of("folder", tmp_path / "data" / "registry", *RELEASES)
    return run


def test_releases_are_listed_with_their_state_dates_digest_and_changes(released: Run) -> None:
    """[S4-018, S4-020]"""
    digests = {each.version: each.digest[:12] for each in RELEASES}
    assert released("releases", "orders") == (
        0,
        (
            "orders: 3 versions\n"
            "    2.0.0  active since 2026-04-01  released 2026-04-01 00:00:00Z by bert  digest "
            f"{RELEASES[2].digest[:12]}  1 breaking, 1 patch\n"
            "    1.1.0  deprecated since 2026-04-01, supported until 2999-12-31  released 2026-02-01 00:00:00Z by anna  digest "
            f"{digests['1.1.0']}  2 patch\n"
            "    1.0.0  replaced by 1.1.0 since 2026-02-01, supported until 2999-12-31  released 2026-01-01 00:00:00Z by anna  "
            f"digest {RELEASES[0].digest[:12]}  the first release\n"
        ),
        "",
    )


def test_without_a_name_every_contract_is_listed(released: Run) -> None:
    code, out, _ = released("releases")
    assert (code, [line for line in out.splitlines() if not line.startswith(" ")]) == (
        0,
        ["bills: 1 version", "orders: 3 versions"],
    )
    assert "retired since 2026-03-01" in out


def test_a_range_lists_the_versions_that_it_means(released: Run) -> None:
    code, out, _ = released("releases", "orders@^1", "--json")
    assert (code, [each["version"] for each in json.loads(out)]) == (0, ["1.0.0", "1.1.0"])


def test_a_release_is_a_document(released: Run) -> None:
    """[S4-020]"""
    code, out, err = released("releases", "orders@1.1.0", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == [
        {
            "contract": "orders",
            "version": "1.1.0",
            "state": "deprecated",
            "since": "2026-04-01",
            "until": "2999-12-31",
            "replaced_by": None,
            "digest": RELEASES[1].digest,
            "released_at": "2026-02-01T00:00:00+00:00",
            "released_by": "anna",
            "changes": [WORDS, WORDS],
            "required_version": None,
            "replaces": "1.0.0",
            "supported_until": {},
            "approvals": [],
            "announcement": None,
            "note": None,
            "changes_by_class": {"patch": 2},
        }
    ]


def test_nothing_released_yet(run: Run) -> None:
    assert run("releases") == (0, "nothing was released yet\n", "")
    assert run("releases", "cases.yaml") == (0, "nothing was released yet\n", "")
    assert run("releases", "--check") == (0, "0 versions are as released\n", "")
    assert run("releases", "--json") == (0, "[]\n", "")


def test_an_unknown_contract_is_told_with_what_there_is(released: Run) -> None:
    code, out, err = released("releases", "order")
    assert (code, out, err) == (
        2,
        "",
        (
            "no contract 'order'; data/contracts has no contract; the registry has 'bills' (1.0.0) and 'orders' (1.0.0, 1.1.0, 2.0.0)\n"
            "    did you mean 'orders'?\n"
        ),
    )


def test_a_check_verifies_every_release(released: Run) -> None:
    """[S4-018]"""
    assert released("releases", "--check") == (0, "4 versions are as released\n", "")
    assert released("releases", "bills", "--check") == (0, "1 version is as released\n", "")
    code, out, _ = released("releases", "--check", "--json")
    assert (code, json.loads(out)) == (0, {"versions": 4, "verdict": "pass", "problems": []})


def test_a_check_names_what_was_altered_and_leaves_with_1(released: Run, tmp_path: Path) -> None:
    """[S4-018]"""
    folder = tmp_path / "data" / "registry" / "orders"
    (folder / "1.0.0.json").unlink()
    (folder / "1.1.0.yaml").chmod(0o644)
    (folder / "1.1.0.yaml").write_text(RELEASES[0].text)
    code, out, err = released("releases", "--check")
    assert (code, out, err) == (
        1,
        (
            "the record of contract 'orders' 1.0.0 is missing, and its text is there\n"
            "    released versions never change and never go: restore data/registry/orders/1.0.0.json\n"
            f"contract 'orders' 1.1.0 was released with digest {RELEASES[1].digest[:12]}…, the file now has {RELEASES[0].digest[:12]}…\n"
            "    released versions never change: restore data/registry/orders/1.1.0.yaml and release your edit under a new version\n"
        ),
        "",
    )
    code, out, _ = released("releases", "--check", "--json")
    assert (code, json.loads(out)["verdict"], len(json.loads(out)["problems"])) == (1, "fail", 2)


def test_a_list_of_altered_releases_is_no_answer(released: Run, tmp_path: Path) -> None:
    (tmp_path / "data" / "registry" / "orders" / "1.0.0.json").unlink()
    code, out, err = released("releases", "orders")
    assert (code, out, err.splitlines()[0]) == (
        2,
        "",
        "the record of contract 'orders' 1.0.0 is missing, and its text is there",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "{pin}"],
        ["show", "{pin}", "--enforcement"],
        ["lint", "{pin}"],
        ["check", "{pin}", "amounts.csv"],
        ["publish", "{pin}", "amounts.csv"],
        ["status", "{pin}"],
        ["decisions", "{pin}"],
        ["constrain", "{pin}", "--apply"],
        ["reconcile", "{pin}"],
        ["clean", "{pin}"],
    ],
    ids=" ".join,
)
def test_every_command_takes_a_pin_and_says_where_support_ends(
    released: Run, tmp_path: Path, arguments: list[str]
) -> None:
    """[S4-018]"""
    (tmp_path / "amounts.csv").write_text("amount\n1\n")
    code, _, err = released(*(argument.format(pin="orders@^1") for argument in arguments))
    assert (code, err.splitlines()[0]) == (0, "note: contract 'orders' 1.1.0 is supported until 2999-12-31")
    code, _, err = released(*(argument.format(pin="orders@latest") for argument in arguments))
    assert (code, "note: contract" in err) == (0, False)


def test_a_registry_in_a_table_is_listed_too(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry_of("table", tmp_path / "kept", *RELEASES)
    monkeypatch.setenv("CONTRACT_GATE_REGISTRY", "delta:kept")
    assert run("releases", "--check") == (0, "4 versions are as released\n", "")
    assert run("show", "orders@~1.0")[1].splitlines()[0] == "orders 1.0.0 (active)"


@pytest.mark.parametrize("arguments", [["releases", "--help"], ["releases"], ["lint", "orders@1.0.0"]], ids=" ".join)
def test_a_registry_of_files_loads_no_dataframe(tmp_path: Path, arguments: list[str]) -> None:
    registry_of("folder", tmp_path / "registry", *RELEASES)
    program = (
        f"import sys; from contract_core.cli import main\ntry: main({[*arguments, '--root', str(tmp_path)]!r})\n"
        "except SystemExit as leaving: code = leaving.code\n"
        "print(code, [name for name in ('dagster', 'polars', 'deltalake', 'pandera') if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stderr.strip().splitlines()[-1] == "0 []"
