"""The commands `gate` and `diff`: their forms, their exit codes, and that nothing turns a failing gate green."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer

from contract_core.cli import app
from contract_core.environment import FOLDERS, VARIABLES
from tests.commands import Run
from tests.producer import NOTE_REMOVED, ORDERS, REWORDED, Repository, alone, edited, founded, to

FILE = "contracts/orders.yaml"
FORMS = [(), ("--json",), *(("--format", form) for form in ("text", "github", "markdown", "sarif"))]
LEVELS = {"none", "note", "warning", "error"}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    """The shop's repository on a branch that takes a field away without saying so."""
    alone(monkeypatch, tmp_path)
    found = founded(tmp_path / "shop", capfd, (FILE, ORDERS))
    monkeypatch.chdir(found.root)
    found.branch((FILE, edited(NOTE_REMOVED)))
    return found


@pytest.fixture
def run(repository: Repository) -> Run:
    return repository.run


def options_of(command: str) -> dict[str, set[str]]:
    """Every parameter of a command with the names of its options; those of an argument are none."""
    group: Any = typer.main.get_command(app)
    return {item.name: {name for name in item.opts if name.startswith("-")} for item in group.commands[command].params}


def test_the_gate_has_no_option_that_could_weaken_it() -> None:
    """[S4-016] A new option has to be named here, and to be tried below."""
    assert options_of("gate") == {
        "references": set(),
        "base": {"--base"},
        "registry": {"--registry"},
        "root": {"--root"},
        "output": {"--format"},
        "as_json": {"--json"},
    }
    assert options_of("release") == {
        "reference": set(),
        "by": {"--by"},
        "registry": {"--registry"},
        "root": {"--root"},
        "dry_run": {"--dry-run"},
        "as_json": {"--json"},
    }


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_no_form_of_the_answer_turns_the_gate_green(repository: Repository, form: tuple[str, ...]) -> None:
    """[S4-016]."""
    code, out, err = repository.gate(*form)
    assert (code, err) == (1, "")
    assert out


@pytest.mark.parametrize(
    "option", ["--skip", "--force", "--no-verify", "--allow-breaking", "--as-of=2099-01-01", "--warn-only"]
)
def test_an_option_that_would_skip_does_not_exist(repository: Repository, option: str) -> None:
    """[S4-016]."""
    assert repository.gate(option)[0] == 2


@pytest.mark.parametrize("name", ["SKIP", "FORCE", "ALLOW_BREAKING", "POLICY", "AS_OF", "LEVEL", "PROFILE"])
def test_a_variable_that_would_skip_is_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """[S4-016]."""
    monkeypatch.setenv(f"CONTRACT_GATE_{name}", "1")
    code, out, err = repository.gate()
    assert (code, out) == (2, "")
    assert f"CONTRACT_GATE_{name}: is no variable of contract-gate" in err


@pytest.mark.parametrize(
    "name", ["CI", "SKIP", "FORCE", "GITHUB_EVENT_NAME", "GITHUB_HEAD_REF", "CI_MERGE_REQUEST_LABELS", "PR_LABELS"]
)
def test_no_label_and_no_variable_of_a_build_server_is_heard(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """[S4-016]."""
    monkeypatch.setenv(name, "skip-contract-gate")
    assert repository.gate()[0] == 1


def test_every_variable_of_ours_names_a_place_and_no_empty_place_passes(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """[S4-016]."""
    places = {f"CONTRACT_GATE_{name.upper()}" for name in FOLDERS} | {"CONTRACT_GATE_ROOT"}
    assert set(VARIABLES) == places | {"CONTRACT_GATE_ENV", "CONTRACT_GATE_CONFIG"}
    (repository.root / "empty").mkdir()
    monkeypatch.setenv("CONTRACT_GATE_CONTRACTS", str(repository.root / "empty"))
    assert repository.gate()[:2] == (2, "")


def test_an_edited_words_only_message_of_a_commit_is_not_heard(repository: Repository) -> None:
    """[S4-016]."""
    repository.git("commit", "--quiet", "--allow-empty", "--message", "[skip ci] [contract-gate skip] BREAKING CHANGE")
    assert repository.gate()[0] == 1


@pytest.mark.parametrize("given", [(), ("--base", "main", "--registry", "registry")], ids=["neither", "both"])
def test_the_gate_needs_to_know_what_is_published(run: Run, given: tuple[str, ...]) -> None:
    """[S4-003]."""
    code, out, err = run("gate", "--root", ".", *given)
    assert (code, out) == (2, "")
    assert err == "gate: needs to know what is published\n    name --base REF, or --registry DIR; not both\n"


def test_a_contract_that_is_not_there_is_an_error(repository: Repository) -> None:
    code, out, err = repository.gate("contracts/nowhere.yaml")
    assert (code, out) == (2, "")
    assert "contracts/nowhere.yaml: the contract file cannot be read" in err


def test_the_gate_gives_one_document(repository: Repository) -> None:
    """[S4-020] [S4-021]."""
    code, out, err = repository.gate("--json")
    document = json.loads(out)
    assert (code, err, set(document)) == (1, "", {"contracts", "not_seen", "verdict"})
    assert document["verdict"] == "fail"
    assert "that the data mean what they meant before is not seen here" in document["not_seen"]
    (orders,) = document["contracts"]
    assert (orders["contract"], orders["from"], orders["to"], orders["required_version"]) == ("orders", "1.0.0", "1.0.0", "2.0.0")  # fmt: skip
    assert [(change["kind"], change["path"], change["class"]) for change in orders["changes"]] == [
        ("field_removed", "fields.note", "breaking")
    ]


@pytest.mark.parametrize("form", [form for form in FORMS if form != ("--json",)], ids=" ".join)
def test_every_form_says_what_the_gate_cannot_see(repository: Repository, form: tuple[str, ...]) -> None:
    """[S4-021]."""
    assert "that the data mean what they meant before is not seen here" in repository.gate(*form)[1]


def test_an_edit_of_words_is_shown(repository: Repository) -> None:
    """[S4-023]."""
    repository.commit((FILE, edited(REWORDED, to("1.0.1"))))
    code, out, _ = repository.gate()
    assert code == 0
    assert "  patch       description is worded differently (words_edited): words only" in out


def test_a_change_of_meaning_asks_its_author(repository: Repository) -> None:
    """[S4-023]."""
    repository.commit((FILE, edited(("tax included", "tax excluded"), to("1.0.1"))))
    code, out, _ = repository.gate()
    assert code == 1
    assert "'What the customer pays, tax included.' to 'What the customer pays, tax excluded.'" in out
    assert "say in the change record: meaning: {fields.amount.semantics: same}, or changed" in out


def test_an_annotation_stands_at_the_line(repository: Repository) -> None:
    """[S4-002]."""
    repository.commit((FILE, edited(("[open, shipped]", "[open]"))))
    lines = [line for line in repository.gate("--format", "github")[1].splitlines() if line.startswith("::")]
    assert lines[0].startswith(f"::error file={FILE},line=15,col=40,title=enum_value_removed::fields.status.enum ")
    assert {line.partition("::")[2].partition("::")[0] for line in lines[1:]} == {
        f"error file={FILE},line=2,col=10,title=release_incomplete"
    }


def test_a_breaking_change_that_was_agreed_on_only_warns(repository: Repository) -> None:
    repository.commit((FILE, edited(NOTE_REMOVED, to("2.0.0"))))
    digest = json.loads(repository.gate("--json")[1])["contracts"][0]["changes_digest"]
    record = f'contract: orders\nversion: "2.0.0"\napprovals: [{{by: archive, changes: "{digest}"}}]\nsupported_until: 2026-12-01\n'
    repository.commit(("contracts/changes/orders/2.0.0.yaml", record))
    code, out, _ = repository.gate("--format", "github")
    assert (code, [line.partition(" ")[0] for line in out.splitlines() if line.startswith("::")]) == (0, ["::warning"])


EVIL = edited(
    ("Orders of the shop.", '"x\\n::error::description ##[stop-commands]t"'),
    ("[open, shipped]", '[open, "s\\n::set-output name=a::b", "%0A::error::c", "<img src=x onerror=y>", "@team [l](javascript:x)", "| a |"]'),
    ("{name: note, type: string", '{name: "no:te, 100%", type: string, pattern: "[a\\n]+::warning::|##[error]"'),
    ("What the customer pays, tax included.", "a\\n::error::b ##[group]"),
)  # fmt: skip


@pytest.mark.parametrize("form", ["text", "github"])
def test_no_text_of_a_contract_becomes_a_command_of_the_log(repository: Repository, form: str) -> None:
    repository.commit((FILE, EVIL))
    code, out, _ = repository.gate("--format", form)
    assert code == 1
    commands = [line for line in out.splitlines() if line.lstrip().startswith("::")]
    assert [
        line
        for line in commands
        if not re.match(rf"::(error|notice) file={FILE},line=\d+,col=\d+,title=[a-z_]+::", line)
    ] == []
    assert [line for line in out.splitlines() if "##[" in line and line not in commands] == []
    assert (form == "github") == bool(commands)


def test_a_file_name_does_not_leave_its_annotation(repository: Repository) -> None:
    name = "contracts/a%,b:c::error::\nd.yaml"
    repository.git("mv", FILE, name)
    repository.commit((name, edited(REWORDED)))
    out = repository.gate("--format", "github")[1]
    assert "::notice file=contracts/a%25%2Cb%3Ac%3A%3Aerror%3A%3A%0Ad.yaml,line=4,col=14,title=words_edited::" in out


def test_no_text_of_a_contract_becomes_markup_of_the_summary(repository: Repository) -> None:
    repository.commit((FILE, EVIL))
    out = repository.gate("--format", "markdown")[1]
    assert "<img" not in out
    assert re.search(r"(?<!\\)\[", out.replace("- [ ]", "")) is None
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


def sarif(repository: Repository, code: int) -> Any:
    found, out, err = repository.gate("--format", "sarif")
    assert (found, err) == (code, "")
    return json.loads(out)


def test_sarif_has_the_shape_of_2_1_0(repository: Repository) -> None:
    """What the standard requires of the properties that are written here (its sections 3.13 to 3.30)."""
    document = sarif(repository, 1)
    assert (document["version"], set(document)) == ("2.1.0", {"$schema", "version", "runs"})
    (found,) = document["runs"]
    driver = found["tool"]["driver"]
    assert (set(found), set(driver)) == ({"tool", "results"}, {"name", "fullDescription", "rules"})
    identifiers = [rule["id"] for rule in driver["rules"]]
    assert len(identifiers) == len(set(identifiers)) > 0
    assert all(set(rule) == {"id", "shortDescription"} and rule["shortDescription"]["text"] for rule in driver["rules"])
    assert found["results"]
    for entry in found["results"]:
        assert set(entry) == {"ruleId", "level", "message", "locations"}
        assert entry["ruleId"] in identifiers
        assert entry["level"] in LEVELS
        assert entry["message"]["text"]
        (location,) = entry["locations"]
        region = location["physicalLocation"]["region"]
        assert min(region["startLine"], region["startColumn"]) >= 1


def test_sarif_of_a_passing_gate_has_no_error(repository: Repository) -> None:
    repository.commit((FILE, edited(REWORDED, to("1.0.1"))))
    assert [entry["level"] for entry in sarif(repository, 0)["runs"][0]["results"]] == ["note"]


def test_sarif_names_a_file_by_a_reference_that_holds_every_letter(repository: Repository) -> None:
    name = "contracts/Verträge 100% a:b.yaml"
    repository.git("mv", FILE, name)
    repository.commit()
    places = {entry["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for entry in sarif(repository, 1)["runs"][0]["results"]}  # fmt: skip
    assert places == {"contracts/Vertr%C3%A4ge%20100%25%20a%3Ab.yaml"}
    assert unquote(*places) == name


def test_sarif_reads_no_link_out_of_a_contract(repository: Repository) -> None:
    repository.commit((FILE, EVIL))
    texts = [entry["message"]["text"] for entry in sarif(repository, 1)["runs"][0]["results"]]
    assert any("[l] (javascript:x)" in text for text in texts)
    assert [text for text in texts if "](" in text] == []


def test_diff_compares_two_files_and_asks_nobody(run: Run, repository: Repository) -> None:
    repository.write("old.yaml", ORDERS)
    code, out, err = run("diff", "old.yaml", FILE)
    assert (code, err) == (1, "")
    assert out.splitlines()[0].startswith("fail: orders 1.0.0: 1 breaking")
    assert "approved" not in out
    repository.write("new.yaml", edited(NOTE_REMOVED, to("2.0.0")))
    assert run("diff", "old.yaml", "new.yaml")[0] == 0


def test_diff_of_the_same_contract_in_another_spelling_is_empty(run: Run, repository: Repository) -> None:
    repository.write("old.yaml", ORDERS)
    repository.write("new.yaml", ORDERS.replace("[open, shipped]", "\n    - open\n    - shipped").replace("\n    -", "\n      -").replace("{name: status, type: string, enum: ", "name: status\n    type: string\n    enum: ").replace("shipped}", "shipped"))  # fmt: skip
    code, out, _ = run("diff", "old.yaml", "new.yaml")
    assert (code, out.splitlines()[0].partition(" (")[0]) == (0, "pass: orders 1.0.0: no change")


def test_diff_gives_one_document(run: Run, repository: Repository) -> None:
    """[S4-020]."""
    repository.write("old.yaml", ORDERS)
    code, out, err = run("diff", "old.yaml", FILE, "--json")
    document = json.loads(out)
    assert (code, err, document["verdict"], document["required_version"]) == (1, "", "fail", "2.0.0")
    assert [change["kind"] for change in document["changes"]] == ["field_removed"]


def test_diff_takes_the_policy_beside_the_older_file(run: Run, repository: Repository) -> None:
    """[S4-007]."""
    repository.write("published/orders.yaml", ORDERS)
    repository.write("published/changes/policy.yaml", "overrides: [{kind: words_edited, class: breaking}]\n")
    repository.write(FILE, edited(REWORDED, to("1.0.1")))
    assert run("diff", "published/orders.yaml", FILE)[0] == 1


@pytest.mark.parametrize("day", ["2026-13-01", "tomorrow", ""])
def test_diff_wants_a_day(run: Run, repository: Repository, day: str) -> None:
    code, out, err = run("diff", FILE, FILE, "--as-of", day)
    assert (code, out) == (2, "")
    assert "--as-of: is no calendar day" in err


def test_diff_judges_a_sunset_as_on_a_day(run: Run, repository: Repository) -> None:
    """[S4-015]."""
    repository.write("old.yaml", edited(("nullable: true", "nullable: true, sunset: 2026-12-31")))
    repository.write("new.yaml", edited(NOTE_REMOVED, to("2.0.0")))
    assert run("diff", "old.yaml", "new.yaml", "--as-of", "2026-12-31")[0] == 1
    assert run("diff", "old.yaml", "new.yaml", "--as-of", "2027-01-01")[0] == 0
