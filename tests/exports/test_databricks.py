"""What is deployed to Databricks, as far as it can be seen without one: SQL by its grammar, the bundle by its schema, the job's file at work."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlglot
import yaml
from jsonschema import Draft202012Validator
from sqlglot import exp

from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contract
from contract_core.errors import WrongUsageError
from contract_core.exports.databricks import databricks_bundle
from contract_core.exports.exported import Exported
from contract_core.exports.sql_ddl import sql_ddl
from tests.commands import BAD, CASES, GOOD, Run
from tests.exports.bundle_schema import BUNDLE, RESOURCES, record
from tests.exports.judging import HOSTILE as HOSTILE_CONTRACT

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "data/contracts").glob("*.yaml"))
HEAD = 'contract: cases\nversion: "1.0.0"\n'
DUE = "delivery: {partition: {column: a, every: day, start: 2026-10-01}, due: {by: '09:30', timezone: Europe/Rome, calendar: weekdays}}\n"
HOSTILE = [
    "a; DROP TABLE x; --",
    'q"q',
    "b`b",
    "it's",
    "/* c */",
    "x\\",
    "select",
    "a__SQLGLOT__LB__",
    "a:b",
    ":catalog",
]
STATEMENTS = {exp.Use, exp.Create, exp.Alter}


def exported(text: str) -> Exported:
    return databricks_bundle(parse_contract(text, "c.yaml"))


def one_field(attributes: str, more: str = "") -> str:
    return f"{HEAD}fields:\n  - {{name: a, {attributes}}}\n{more}"


def statements_of(files: Mapping[str, str]) -> list[exp.Expr]:
    return [
        statement for statement in sqlglot.parse(files["sql/table.sql"], read="databricks") if statement is not None
    ]


def documents(files: Mapping[str, str]) -> dict[str, Any]:
    return {name: yaml.safe_load(text) for name, text in files.items() if name.endswith(".yml")}


def constraints(sql: str, dialect: str) -> dict[str, exp.Expr]:
    found = [
        c for s in sqlglot.parse(sql, read=dialect) if isinstance(s, exp.Alter) for c in s.find_all(exp.Constraint)
    ]
    return {constraint.name: constraint.expressions[0] for constraint in found}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_table_of_a_shipped_contract_is_sql_of_databricks(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A statement that sqlglot does not know would be a `Command`, and told in its log."""
    with caplog.at_level(logging.WARNING, "sqlglot"):
        found = statements_of(databricks_bundle(read_contract(path)).files)
    assert {type(statement) for statement in found} <= STATEMENTS
    assert caplog.records == []
    again = [sqlglot.parse_one(statement.sql("databricks"), read="databricks") for statement in found]
    assert again == found


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_conditions_are_those_of_delta(path: Path) -> None:
    """sqlglot reads a CAST of Spark as one that may fail."""
    contract = read_contract(path)
    ours = constraints(databricks_bundle(contract).files["sql/table.sql"], "databricks")
    delta = constraints(sql_ddl(contract, "delta").text, "spark")
    assert {name: item.sql("databricks") for name, item in ours.items()} == {
        name: item.sql("databricks").replace("TRY_CAST(", "CAST(") for name, item in delta.items()
    }
    assert ours


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_bundle_keeps_its_schema_and_names_no_workspace(path: Path) -> None:
    files = databricks_bundle(read_contract(path)).files
    found = documents(files)
    checked = {"databricks.yml": BUNDLE, "resources/job.yml": record({"resources": RESOURCES})}
    checked["resources/places.yml"] = checked["resources/job.yml"]
    assert found.keys() == checked.keys()
    for name, document in found.items():
        assert [error.message for error in Draft202012Validator(checked[name]).iter_errors(document)] == []
    assert found["databricks.yml"]["include"] == ["resources/places.yml", "resources/job.yml"]
    assert [name for name, text in files.items() if not name.startswith("contract/") and "://" in text] == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_variable_of_the_bundle_is_declared_and_used(path: Path) -> None:
    files = databricks_bundle(read_contract(path)).files
    declared = set(yaml.safe_load(files["databricks.yml"])["variables"])
    assert {name for text in files.values() for name in re.findall(r"\$\{var\.(\w+)\}", text)} == declared
    markers = set(re.findall(r"IDENTIFIER\(:(\w+)\)", files["sql/table.sql"]))
    assert markers == {"catalog", "reporting_schema"}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_contract_itself_is_in_the_bundle(path: Path) -> None:
    contract = read_contract(path)
    text = databricks_bundle(contract).files[f"contract/{contract.name}.yaml"]
    assert parse_contract(text, "c.yaml").digest == contract.digest


def test_producers_the_gate_and_readers_are_kept_apart() -> None:
    """Nobody but the gate sees a candidate; the producer writes landing alone, and readers see what is published alone."""
    resources = documents(exported(CASES).files)["resources/places.yml"]["resources"]
    held = {
        (kind, place, grant["principal"].removeprefix("${var.").rstrip("}")): grant["privileges"]
        for kind, places in resources.items()
        for place, item in places.items()
        for grant in item["grants"]
    }
    assert held == {
        ("schemas", "landing", "producers"): ["USE_SCHEMA"],
        ("schemas", "landing", "gate"): ["USE_SCHEMA"],
        ("schemas", "candidates", "gate"): ["USE_SCHEMA"],
        ("schemas", "reporting", "gate"): ["USE_SCHEMA"],
        ("schemas", "reporting", "readers"): ["USE_SCHEMA", "SELECT"],
        ("volumes", "landing", "producers"): ["READ_VOLUME", "WRITE_VOLUME"],
        ("volumes", "landing", "gate"): ["READ_VOLUME"],
        ("volumes", "candidates", "gate"): ["READ_VOLUME", "WRITE_VOLUME"],
        ("volumes", "reporting", "gate"): ["READ_VOLUME", "WRITE_VOLUME"],
        ("volumes", "reporting", "readers"): ["READ_VOLUME"],
    }


def job_of(text: str) -> dict[str, Any]:
    job: dict[str, Any] = documents(exported(text).files)["resources/job.yml"]["resources"]["jobs"]["gate"]
    return job


def test_the_job_starts_at_the_deadline() -> None:
    schedule = job_of(one_field("type: date", DUE))["schedule"]
    assert schedule == {
        "quartz_cron_expression": "0 30 9 ? * MON-FRI",
        "timezone_id": "Europe/Rome",
        "pause_status": "UNPAUSED",
    }
    daily = job_of(one_field("type: date", DUE.replace(", calendar: weekdays", "")))["schedule"]
    assert daily["quartz_cron_expression"] == "0 30 9 ? * *"


def test_without_a_deadline_the_job_starts_when_something_lands() -> None:
    job = job_of(CASES)
    assert "schedule" not in job
    assert job["trigger"]["file_arrival"]["url"].startswith("/Volumes/${var.catalog}/")


@pytest.mark.parametrize(
    ("more", "is_there"),
    [
        pytest.param("key: [a]\n", True, id="one delivery is the table"),
        pytest.param("key: [a]\nenforcement: {on_breach: warn}\n", False, id="rows that break it are published"),
    ],
)
def test_a_key_is_told_for_information_and_never_relied_upon(more: str, is_there: bool) -> None:
    files = exported(one_field("type: string", more)).files
    assert ("PRIMARY KEY (`a`) NOT ENFORCED" in files["sql/table.sql"]) is is_there
    assert "RELY" not in files["sql/table.sql"]
    assert "Key, not enforced here: a" in files["sql/table.sql"]


def test_terms_are_tags_and_a_classification_is_told_of_its_column() -> None:
    sql = exported(one_field("type: string, classification: restricted", "domain: care\n")).files["sql/table.sql"]
    assert "'contract_gate_version' = '1.0.0'" in sql
    assert "'contract_gate_domain' = 'care'" in sql
    assert "COMMENT 'Classification: restricted'" in sql


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_name(name: str) -> None:
    quoted = json.dumps(name)
    other = f"{{name: b, type: string, enum: [{quoted}]}}"
    text = f"{HEAD}key: [{quoted}]\ndescription: {quoted}\nfields: [{{name: {quoted}, type: string, description: {quoted}}}, {other}]\n"
    found = statements_of(exported(text).files)
    assert {type(statement) for statement in found} == STATEMENTS
    assert {column.name for statement in found for column in statement.find_all(exp.ColumnDef)} == {name, "b"}
    create = next(statement for statement in found if isinstance(statement, exp.Create))
    assert create.find(exp.PrimaryKey).expressions[0].name == name
    texts = {literal.this for literal in create.find_all(exp.Literal)}
    assert texts <= {name, f"{name}\nKey, not enforced here: {name}", "delta.columnMapping.mode", "name"}
    mapped = any(sign in name for sign in " ,;{}()\n\t=")
    assert ("delta.columnMapping.mode" in texts) is mapped


def test_a_hostile_contract_is_one_bundle() -> None:
    files = exported(HOSTILE_CONTRACT.replace("{{ x }}", "{ x }")).files
    assert {type(statement) for statement in statements_of(files)} == STATEMENTS
    assert set(documents(files)["databricks.yml"]["variables"]) == set(
        documents(exported(CASES).files)["databricks.yml"]["variables"]
    )
    compile(files["src/run_gate.py"], "run_gate.py", "exec")


def test_what_databricks_would_read_as_a_variable_is_left_out_and_named() -> None:
    text = one_field(
        'type: string, description: "${secret}", unit: "{{x}}", enum: ["${a}", b]',
        'description: "a ${b}"\ngrain: fine\n',
    )
    made = exported(text)
    assert re.findall(r"\$\{|\{\{", made.files["sql/table.sql"]) == []
    told = next(sentence for sentence in made.not_carried if "as a variable" in sentence)
    assert told == "`a.enum`, `description`, `a.description`, `a.unit`: Databricks reads a part of it as a variable"
    assert "fine" in made.files["sql/table.sql"]


def test_a_name_that_would_be_read_as_a_variable_is_refused() -> None:
    with pytest.raises(WrongUsageError, match="reads a part of a name as a variable: 'a\\$\\{b\\}'"):
        exported(f'{HEAD}fields: [{{name: "a${{b}}", type: string}}]\n')


def test_what_the_table_does_not_keep_is_named() -> None:
    told = exported(CASES.replace("min: 0", "min: 0, severity: {range: warn}")).not_carried
    assert any(sentence.startswith("`count.range`") and "only warns" in sentence for sentence in told)
    assert "`key`: the engine enforces no uniqueness; the comment of the table names the key" in told


# the command


def test_the_folder_is_written_found_equal_and_stale_after_an_edit(run: Run, tmp_path: Path) -> None:
    command = ("export", "cases.yaml", "--format", "databricks", "--out", "made")
    code, out, notes = run(*command)
    assert (code, out) == (0, "")
    assert run(*command) == (0, "", notes)
    assert run(*command, "--check") == (0, "", notes)
    job, table = tmp_path / "made/resources/job.yml", tmp_path / "made/sql/table.sql"
    job.write_text(job.read_text().replace("max_retries: 0", "max_retries: 5"))
    table.unlink()
    code, told, _ = run(*command, "--check")
    lines = told.splitlines()
    assert code == 1
    assert [line.partition(";")[0] for line in lines if not line.startswith(" ")] == [
        "made/resources/job.yml: differs",
        "made/sql/table.sql: is not there",
    ]
    assert "    -        max_retries: 5" in [line[:5] + line[5:] for line in lines] or any(
        "max_retries: 5" in line for line in lines
    )
    assert lines[-1] == "    mend it: contract-gate export cases.yaml --format databricks --out made"
    assert not table.exists()
    assert run(*command) == (0, "", notes)
    assert run(*command, "--check") == (0, "", notes)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--check",), "--check: has no folder to look at\n    name it: --out DIR\n"),
        ((), "--format: 'databricks' is a folder of files\n    name it: --out DIR\n"),
        (("--out", "cases.yaml"), "cases.yaml: is no folder\n    name the folder to write\n"),
        (("--out", "no/made"), "no: is no folder that is there\n    make it first\n"),
    ],
)
def test_a_wrong_place_is_refused(run: Run, arguments: tuple[str, ...], told: str) -> None:
    code, out, err = run("export", "cases.yaml", "--format", "databricks", *arguments)
    assert (code, out, err[-len(told) :]) == (2, "", told)


def test_nothing_is_written_where_one_file_is_somebody_elses(run: Run, tmp_path: Path) -> None:
    (tmp_path / "made/sql").mkdir(parents=True)
    (tmp_path / "made/sql/table.sql").write_text("SELECT 1")
    code, _, err = run("export", "cases.yaml", "--format", "databricks", "--out", "made")
    assert (code, "does not say that contract-gate wrote it" in err) == (2, True)
    assert [path.name for path in (tmp_path / "made").rglob("*") if path.is_file()] == ["table.sql"]


# the file that the job runs


def ran(folder: Path, *more: str, moment: str = "2026-10-03T08:00:00+00:00") -> subprocess.CompletedProcess[str]:
    places = {"contract": "bundle/contract/cases.yaml", "landing": "landing", "root": "gate", "published": "published"}
    given = [f"--{name}={folder / place}" for name, place in places.items()]
    command = [
        sys.executable,
        str(folder / "bundle/src/run_gate.py"),
        *given,
        f"--moment={moment}",
        "--look-back=7",
        *more,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def delivered(folder: Path, partition: str, text: str) -> None:
    (folder / "landing/cases" / partition).mkdir(parents=True)
    (folder / "landing/cases" / partition / "all.csv").write_text(text.replace("2026-10-01", partition))


@pytest.fixture
def deployed(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "cases.yaml").write_text(CASES + "  due: {by: '09:00', days_after: 1}\n")
    assert run("export", "cases.yaml", "--format", "databricks", "--out", "bundle")[0] == 0
    return tmp_path


def test_the_job_publishes_what_is_due_and_there_and_once(deployed: Path) -> None:
    """At 8 on the third day the first partition is due, and the second is not."""
    delivered(deployed, "2026-10-01", GOOD)
    delivered(deployed, "2026-10-02", GOOD)
    first, second = ran(deployed), ran(deployed)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    published = pl.read_delta(str(deployed / "published/cases"))
    assert (published.height, published["day"].n_unique()) == (2, 1)
    assert ran(deployed, moment="2026-10-03T09:00:00Z").returncode == 0
    assert pl.read_delta(str(deployed / "published/cases")).height == 4


def test_the_job_fails_for_a_refusal_and_for_what_is_not_there(deployed: Path) -> None:
    missing = ran(deployed)
    assert (missing.returncode, "nothing has landed" in missing.stderr) == (2, True)
    delivered(deployed, "2026-10-01", BAD)
    refused = ran(deployed)
    assert (refused.returncode, "refuse: cases 1.0.0" in refused.stdout) == (1, True)
    assert not (deployed / "published/cases").exists()


def test_a_partition_that_is_named_is_the_one(deployed: Path) -> None:
    delivered(deployed, "2026-10-02", GOOD)
    assert ran(deployed, "--partition=2026-10-02").returncode == 0
    assert pl.read_delta(str(deployed / "published/cases"))["day"].n_unique() == 1
