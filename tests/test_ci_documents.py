"""What docs/ci.md and the files beside it show is what happens: every command runs, in a repository like the one they are for."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.producer import Repository, alone, founded
from tests.test_readme import agrees

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/ci.md").read_text("utf-8")
FILES = (
    "docs/ci/github-workflow.yml",
    "docs/ci/gitlab-ci.yml",
    "docs/ci/pre-commit-config.yaml",
    ".pre-commit-hooks.yaml",
)
EDIT = ("cancelled]", "cancelled, returned]")
CONTRACT, RECORD = re.findall(r"```yaml[^\n]*\n(.*?)```", PAGE, re.DOTALL)
LIKE_CI = {"GITHUB_BASE_REF": "main", "GITHUB_ACTOR": "anna", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
COMMAND = '#!/bin/sh\nexec "{python}" -m contract_core.cli "$@"\n'


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def steps(job: str) -> list[str]:
    """The scripts of a job of the workflow, in order."""
    return [step["run"] for step in loaded("docs/ci/github-workflow.yml")["jobs"][job]["steps"] if "run" in step]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repository:
    """A clone of the shop's repository as a build server has it, and a registry in a repository of its own."""
    alone(monkeypatch, tmp_path)
    shop = founded(tmp_path / "shop", capfd, ("contracts/orders.yaml", CONTRACT), (".gitignore", "registry/\n"))
    founded(tmp_path / "kept", capfd, (".gitignore", ".lock\n")).git("config", "receive.denyCurrentBranch", "ignore")
    shop.git("clone", "--quiet", str(shop.root), str(tmp_path / "ci"))
    shop.git("clone", "--quiet", str(tmp_path / "kept"), str(tmp_path / "ci/registry"))
    found = Repository(tmp_path / "ci", shop.run)
    found.git("switch", "--quiet", "--create", "edit")
    monkeypatch.chdir(found.root)
    (found.root / "generated").mkdir()
    schema = ("--format", "json-schema", "--out", "generated/orders.schema.json")
    assert found.run("export", "contracts/orders.yaml", *schema)[0] == 0
    return found


def by_shell(repository: Repository, script: str) -> subprocess.CompletedProcess[str]:
    """The script as a build server runs it, where installing does nothing and the command is this working copy's."""
    tools = repository.root.parent / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in (("contract-gate", COMMAND.format(python=sys.executable)), ("pip", "#!/bin/sh\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    surroundings = {**os.environ, **LIKE_CI, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    surroundings["GITHUB_STEP_SUMMARY"] = str(repository.root.parent / "summary.md")
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=repository.root,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )


def codes(repository: Repository, scripts: list[str]) -> list[int]:
    return [by_shell(repository, script).returncode for script in scripts]


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_yaml(name: str) -> None:
    assert loaded(name)


def test_the_page_names_every_file_that_lies_beside_it() -> None:
    assert set(re.findall(r"\]\((ci/[^)]+)\)", PAGE)) == {f"ci/{path.name}" for path in (ROOT / "docs/ci").iterdir()}


def test_every_page_that_is_linked_is_there() -> None:
    assert [name for name in re.findall(r"\]\(([^)#]+)\)", PAGE) if not (ROOT / "docs" / name).exists()] == []


def test_the_job_of_a_branch_passes_where_nothing_changed(repository: Repository) -> None:
    """[S4-001]."""
    scripts = steps("gate")
    assert codes(repository, scripts) == [0] * len(scripts)
    assert "pass: orders 1.0.0: no change" in (repository.root.parent / "summary.md").read_text()


def test_the_job_of_a_branch_fails_at_the_gate_and_at_what_is_generated(repository: Repository) -> None:
    """[S4-001] [S4-009] [S4-010]."""
    repository.write("contracts/orders.yaml", CONTRACT.replace(*EDIT))
    scripts = steps("gate")
    found = dict(zip(scripts, codes(repository, scripts), strict=True))
    assert [script.split()[1] for script, code in found.items() if code] == ["gate", "export"]
    assert "fail: orders" in (repository.root.parent / "summary.md").read_text()


def test_the_job_after_the_merge_releases_once(repository: Repository) -> None:
    """[S4-017]."""
    scripts = steps("release")
    assert codes(repository, scripts) == [0] * len(scripts)
    assert codes(repository, scripts) == [0] * len(scripts)
    kept = Repository(repository.root.parent / "kept", repository.run)
    assert kept.git("log", "--format=%s") == "Release contracts\nedit"
    assert kept.git("show", "HEAD:orders/1.0.0.yaml") == CONTRACT.strip()
    assert kept.git("ls-tree", "-r", "--name-only", "HEAD").split() == [
        ".gitignore",
        "orders/1.0.0.json",
        "orders/1.0.0.yaml",
        "orders/CHANGELOG.md",
    ]


def test_the_released_version_holds_the_next_branch(repository: Repository) -> None:
    """[S4-003]."""
    codes(repository, steps("release"))
    repository.write("contracts/orders.yaml", CONTRACT.replace(*EDIT))
    (script,) = (script for script in steps("gate") if "--registry" in script)
    ended = by_shell(repository, script)
    assert ended.returncode == 1
    assert "::error file=contracts/orders.yaml,line=13," in ended.stdout


def test_the_job_of_another_build_server_runs(repository: Repository) -> None:
    scripts = loaded("docs/ci/gitlab-ci.yml")["contracts"]["script"]
    assert codes(repository, scripts) == [0] * len(scripts)


def test_the_hooks_run_as_they_are_configured(repository: Repository) -> None:
    hooks = {hook["id"]: hook for hook in loaded(".pre-commit-hooks.yaml")}
    (place,) = loaded("docs/ci/pre-commit-config.yaml")["repos"]
    assert [hook["id"] for hook in place["hooks"]] == list(hooks)
    lint, gate = (" ".join([hooks[hook["id"]]["entry"], *hook.get("args", [])]) for hook in place["hooks"])
    assert codes(repository, [f"{lint} contracts/orders.yaml", gate]) == [0, 0]
    assert gate == " ".join([hooks["contract-gate"]["entry"], *hooks["contract-gate"]["args"]])
    repository.write("contracts/orders.yaml", CONTRACT.replace(*EDIT))
    assert codes(repository, [gate]) == [1]


def test_a_failure_looks_as_it_is_shown(repository: Repository) -> None:
    """[S4-002] [S4-013] [S4-021]."""
    repository.write("contracts/orders.yaml", CONTRACT.replace(*EDIT).replace("1.0.0", "1.1.0"))
    (shown,) = blocks("console")
    command, _, expected = shown.partition("\n")
    code, out, err = repository.run(*command.removeprefix("$ contract-gate ").split())
    assert (code, err) == (1, "")
    assert agrees(expected, out), out


def test_the_record_that_is_shown_opens_the_gate(repository: Repository) -> None:
    """[S4-014] [S4-015]."""
    repository.write("contracts/orders.yaml", CONTRACT.replace(*EDIT).replace("1.0.0", "2.0.0"))
    repository.write("contracts/changes/orders/2.0.0.yaml", RECORD)
    code, out, _ = repository.gate()
    assert code == 0
    assert "  approved    by revenue_report" in out


def test_the_tests_that_are_shown_pass(repository: Repository) -> None:
    """[S4-011] [S2-033]."""
    (text,) = blocks("python")
    repository.write("test_orders.py", text)
    ended = by_shell(repository, f'"{sys.executable}" -m pytest -q -p contract_core.pytest_plugin test_orders.py')
    assert (ended.returncode, "3 passed" in ended.stdout) == (0, True)


def test_the_page_says_when_not_to_use_it() -> None:
    """[S1-106]."""
    never = PAGE.split("## When not to use it")[1]
    assert all(words in never for words in ("Nobody depends on the table", "Low-latency streams"))


def test_the_page_says_what_is_not_seen() -> None:
    """[S4-021] [S4-023] [S4-027]."""
    assert all(
        words in PAGE
        for words in (
            "Business rules that drift",
            "A new `description` is shown",
            "the failed gates of your CI are the measure",
        )
    )
