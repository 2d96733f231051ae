"""How the command line starts: its version, its list of commands, and what each of them loads."""

import importlib.metadata
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tests.commands import Run, written


def test_the_version_is_that_of_the_installed_distribution(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", {"contract-gate": "1.2.3"}.__getitem__)
    assert run("--version") == (0, "contract-gate 1.2.3\n", "")


def test_a_source_that_is_not_installed_has_no_version(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    code, out, err = run("--version")
    assert (code, err) == (0, "")
    assert out == "contract-gate runs from its source: it is not installed, and so it has no version\n"


def test_the_version_is_told_whatever_stands_behind_it(run: Run) -> None:
    assert run("--version", "lint", "nowhere.yaml")[0] == 0


def test_the_list_of_commands_tells_whole_sentences(run: Run) -> None:
    listed = " ".join(run("--help")[1].split())
    assert (
        "Check contract files: every problem of every file as file:line:column and what to write instead. show"
        in listed
    )
    assert "..." not in listed.split("Commands:")[1]


DATA = {"arro3", "deltalake", "opentelemetry", "polars"}
"""What only commands load that look at deliveries, at published tables or at the ledger."""
CONTRACT = {"pydantic", "yaml"}
EVERYTHING = {
    *DATA, *CONTRACT, "apprise", "dagster", "duckdb", "jinja2", "jsonschema", "numpy", "pandas", "pandera", "pyarrow", "rich",
    "sqlglot",
}  # fmt: skip
LOADED = [  # what these commands may load of everything, one after the other in one process
    (set(), ["--help", "--version"]),
    ({"pydantic"}, ["check --help", "gate --help"]),
    (
        CONTRACT,
        [
            "schema", "lint plain.yaml", "show plain.yaml", "diff plain.yaml plain.yaml", "gate plain.yaml --registry registry",
            "release plain.yaml --by me --registry registry", "releases --registry registry --check",
            "export plain.yaml --format canonical", "export plain.yaml --format json-schema",
            "export plain.yaml --format openlineage", "export plain.yaml --format avro",
            "export plain.yaml --format pydantic", "access",
        ],
    ),
    ({*CONTRACT, "jinja2"}, ["catalog --registry registry --out site"]),
    ({*CONTRACT, "sqlglot"}, ["lint .", "diff ruled.yaml plain.yaml --json", "export ruled.yaml --format odcs"]),
    (
        {*CONTRACT, *DATA},
        [
            "decisions", "status plain.yaml", "metrics plain.yaml", "notify plain.yaml --dry-run", "compare plain.yaml",
            "check plain.yaml plain.csv", "clean plain.yaml", "reconcile plain.yaml --dry-run",
            "infer plain.csv --name found",
        ],
    ),
    (
        {*CONTRACT, *DATA, "sqlglot"},
        [
            "publish plain.yaml plain.csv", "constrain plain.yaml --apply", "export plain.yaml --format sql-duckdb",
            "check ruled.yaml plain.csv",
        ],
    ),
]  # fmt: skip
TELLING = """\
import sys
from contract_core.cli import main
for command in sys.argv[2:]:
    try:
        main(command.split())
    except SystemExit:
        loaded = [name for name in sys.argv[1].split() if name in sys.modules]
        print("then", command.split()[0], *sorted(loaded), file=sys.stderr)
"""
PLAIN = (
    'contract: plain\nversion: "1.0.0"\nfields:\n  - {name: a, type: string, not_blank: true, pattern: "[A-Z]+\\\\w"}\n'
)
RULED = PLAIN.replace("plain", "ruled") + "rules:\n  - {name: named, sql: \"a <> 'x'\"}\n"


@pytest.mark.parametrize("allowed, commands", LOADED, ids=[commands[0] for _, commands in LOADED])
def test_a_command_loads_only_what_it_needs(allowed: set[str], commands: list[str], tmp_path: Path) -> None:
    written(tmp_path, plain_yaml=PLAIN, ruled_yaml=RULED, plain_csv="a\nAB\n")
    (tmp_path / "registry").mkdir()
    arguments = [sys.executable, "-c", TELLING, " ".join(EVERYTHING), *commands]
    surroundings = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    ended = subprocess.run(arguments, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
    told = [line.split()[1:] for line in ended.stderr.splitlines() if line.startswith("then ")]
    assert [name for name, *_ in told] == [command.split()[0] for command in commands], ended.stderr
    assert [(name, *sorted({*loaded} - allowed)) for name, *loaded in told] == [(name,) for name, *_ in told]
