"""The pytest plugin, in a producer's own test run: what passes, what fails with which words, and what it costs."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.producer import ORDERS, edited

ROOT = Path(__file__).parents[1]
PARTED = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}"}
  - {name: day, type: date}
  - {name: count, type: integer, min: 0, severity: {range: warn}}
rows: {min: 2}
delivery:
  path: "cases/{partition}/*.csv"
  partition: {every: day, column: day, start: 2026-10-01}
  parts: {from: column, column: region, required: [NL, BE]}
freshness: {column: day, max_age: 2d}
"""
BY_TABLE = PARTED.replace("required: [NL, BE]", "required_from: {contract: regions, field: code}")
BY_FILE = PARTED.replace("{from: column, column: region, required: [NL, BE]}", "{from: file, required: [NL, BE]}")
GOOD = "order_id,amount,status,note\nsecret-1,10,open,\nsecret-2,20,shipped,x\nsecret-3,30,open,x\n"
BAD = GOOD.replace("10,open", "-77,open")
TESTS = """
import datetime as dt
from decimal import Decimal
from pathlib import Path

import polars as pl

ORDERS = "contracts/orders.yaml"
CASES = pl.DataFrame({"region": ["NL", "BE"], "day": [dt.date(2026, 10, 1)] * 2, "count": [1, 2]})
FRAME = pl.DataFrame({"order_id": ["a", "b"], "amount": [1, 2], "status": ["open", "open"], "note": [None, "x"]})


def test_files(contract_gate):
    contract_gate.check(ORDERS, "good.csv")

def test_files_in_a_list(contract_gate):
    contract_gate.check(ORDERS, [Path("good.csv")])

def test_name(contract_gate):
    contract_gate.check("orders", "good.csv")

def test_released(contract_gate):
    contract_gate.check("orders@^1", "good.csv")

def test_broken_files(contract_gate):
    contract_gate.check(ORDERS, "bad.csv")

def test_frame(contract_gate):
    contract_gate.check(ORDERS, FRAME)

def test_lazy_frame(contract_gate):
    contract_gate.check(ORDERS, FRAME.lazy())

def test_frame_is_judged_in_its_own_types(contract_gate):
    contract_gate.check(ORDERS, FRAME.with_columns(pl.col("amount").cast(pl.String)))

def test_frame_lacks_a_field(contract_gate):
    contract_gate.check(ORDERS, FRAME.drop("status"))

def test_frame_has_another_field(contract_gate):
    contract_gate.sample(ORDERS, FRAME.with_columns(new=1))

def test_frame_has_a_null(contract_gate):
    contract_gate.sample(ORDERS, FRAME.with_columns(amount=pl.lit(None, pl.Int64)))

def test_partition(contract_gate):
    contract_gate.check("contracts/cases.yaml", CASES, partition="2026-10-01", as_of="2026-10-02")

def test_as_of_is_a_moment(contract_gate):
    contract_gate.check("contracts/cases.yaml", CASES, partition="2026-10-01", as_of=dt.datetime(2026, 10, 2, tzinfo=dt.UTC))

def test_too_old(contract_gate):
    contract_gate.check("contracts/cases.yaml", CASES, partition="2026-10-01", as_of="2026-10-09")

def test_part_is_missing(contract_gate):
    contract_gate.check("contracts/cases.yaml", CASES.head(1), partition="2026-10-01", as_of="2026-10-02")

def test_no_partition_named(contract_gate):
    contract_gate.check("contracts/cases.yaml", CASES)

def test_one_row_as_a_sample(contract_gate):
    contract_gate.sample("contracts/cases.yaml", CASES.head(1))

def test_broken_row_as_a_sample(contract_gate):
    contract_gate.sample("contracts/cases.yaml", CASES.head(1).with_columns(region=pl.lit("secret")))

def test_parts_in_a_table(contract_gate):
    contract_gate.check("contracts/by_table.yaml", CASES, partition="2026-10-01", as_of="2026-10-02")

def test_parts_of_files_and_a_frame(contract_gate):
    contract_gate.check("contracts/by_file.yaml", CASES, partition="2026-10-01", as_of="2026-10-02")

def test_warning(contract_gate):
    contract_gate.sample("contracts/cases.yaml", CASES.with_columns(count=pl.lit(-5)))

def test_no_row(contract_gate):
    contract_gate.sample(ORDERS, FRAME.head(0))

def test_object_frame(contract_gate):
    contract_gate.sample(ORDERS, FRAME.with_columns(pl.Series("note", [object(), object()], dtype=pl.Object)))

def test_unknown_contract(contract_gate):
    contract_gate.check("contracts/nowhere.yaml", "good.csv")

def test_invalid_contract(contract_gate):
    contract_gate.check("elsewhere/wrong.yaml", "good.csv")

def test_no_file(contract_gate):
    contract_gate.check(ORDERS, "nowhere.csv")

def test_known(contract_gate):
    contract_gate.known(ORDERS, "good.csv", {
        "rows": 3, "sum": {"amount": 60}, "min": {"amount": 10}, "max": {"amount": Decimal("30")},
        "nulls": {"note": 1}, "distinct": {"status": 2, "note": 1},
    })

def test_known_of_a_frame_of_fractions(contract_gate):
    contract_gate.known("contracts/weights.yaml", pl.DataFrame({"kilos": [0.1, 0.2]}), {"sum": {"kilos": 0.3}})

def test_known_in_another_unit(contract_gate):
    contract_gate.known(ORDERS, "good.csv", {"rows": 3, "sum": {"amount": 60000}, "nulls": {"note": 0}})

def test_known_of_nothing_to_expect(contract_gate):
    contract_gate.known(ORDERS, "good.csv", {"median": {"amount": 20}})

def test_known_of_no_field(contract_gate):
    contract_gate.known(ORDERS, "good.csv", {"sum": {"amout": 20}})

def test_known_of_a_sum_of_texts(contract_gate):
    contract_gate.known(ORDERS, "good.csv", {"sum": {"note": 20}})

def test_known_of_broken_rows(contract_gate):
    contract_gate.known(ORDERS, "bad.csv", {"rows": 3})

def test_known_of_a_list(contract_gate):
    contract_gate.known(ORDERS, "good.csv", ["rows"])

def test_sample_of_a_mapping(contract_gate):
    contract_gate.sample(ORDERS, {"order_id": ["a"]})

def test_categories_are_texts(contract_gate):
    contract_gate.sample(ORDERS, FRAME.with_columns(pl.col("status").cast(pl.Categorical), note=pl.lit(None)))

def test_gate(contract_gate):
    contract_gate.gate(base="passing")

def test_gate_refuses(contract_gate):
    contract_gate.gate(base="main")

def test_gate_of_the_registry(contract_gate):
    contract_gate.gate(registry="registry")

def test_gate_of_nothing(contract_gate):
    contract_gate.gate()
"""
WEIGHTS = 'contract: weights\nversion: "0.1.0"\nfields: [{name: kilos, type: float64}]\n'
SETTINGS = """\
[pytest]
contract_gate_root = .
addopts = -p contract_core.pytest_plugin -p no:cacheprovider
"""


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in the producer's folder, with this package on the path and nothing else of ours around it."""
    ours = ("GIT_", "CONTRACT_GATE_", "PYTEST_", "CI", "BUILD_NUMBER")  # in CI pytest tells each failure twice
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    surroundings = kept | {"PYTHONPATH": str(ROOT), "HOME": str(folder), "COLUMNS": "200"}
    return subprocess.run(arguments, cwd=folder, env=surroundings, check=False, capture_output=True, text=True)


def git(folder: Path, *arguments: str) -> None:
    named = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    assert ran(folder, "git", *named, *arguments).returncode == 0


def founded(folder: Path) -> None:
    """A producer's repository: `main` has the orders as they were, `passing` as they are, and that is released."""
    contracts = folder / "contracts"
    contracts.mkdir()
    (contracts / "orders.yaml").write_text(ORDERS)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "one")
    git(folder, "switch", "--quiet", "--create", "passing")
    (contracts / "orders.yaml").write_text(edited(("min: 0", "min: -5")))
    git(folder, "commit", "--quiet", "--all", "--message", "two")
    release = (
        sys.executable,
        "-m",
        "contract_core.cli",
        "release",
        "contracts/orders.yaml",
        "--root",
        ".",
        "--by",
        "ci",
    )
    (folder / "registry").mkdir()
    assert ran(folder, *release).returncode == 0
    (contracts / "cases.yaml").write_text(PARTED)
    (contracts / "by_file.yaml").write_text(BY_FILE.replace("contract: cases", "contract: by_file"))
    (contracts / "by_table.yaml").write_text(BY_TABLE.replace("contract: cases", "contract: by_table"))
    (contracts / "weights.yaml").write_text(WEIGHTS)
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere/wrong.yaml").write_text(ORDERS.replace("integer", "wholes"))
    (folder / "good.csv").write_text(GOOD)
    (folder / "bad.csv").write_text(BAD)
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "tests").mkdir()
    (folder / "tests/test_contracts.py").write_text(TESTS)


@pytest.fixture(scope="module")
def producer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The producer's folder after one run of all tests from the folder below it, as `report.xml` and `out.txt`."""
    folder = tmp_path_factory.mktemp("producer")
    founded(folder)
    ended = ran(folder / "tests", sys.executable, "-m", "pytest", "--junit-xml", str(folder / "report.xml"), "-c", "../pytest.ini", "--rootdir", "..")  # fmt: skip
    (folder / "out.txt").write_text(ended.stdout + ended.stderr)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return folder


def failure(producer: Path, test: str) -> str:
    """What the producer reads of a test that failed; nothing of one that passed."""
    cases = ET.parse(producer / "report.xml").iter("testcase")
    (case,) = [case for case in cases if case.get("name") == f"test_{test}"]
    assert case.find("error") is None
    found = case.find("failure")
    return "" if found is None else str(found.text)


PASSING = [
    "files",
    "files_in_a_list",
    "name",
    "released",
    "frame",
    "lazy_frame",
    "partition",
    "as_of_is_a_moment",
    "one_row_as_a_sample",
    "warning",
    "categories_are_texts",
    "known",
    "known_of_a_frame_of_fractions",
    "gate",
    "gate_of_the_registry",
]
FAILING = [
    ("broken_files", "error  amount.range: broken: 'amount' is at least -5; 1 of 3 rows breaks it"),
    ("frame_is_judged_in_its_own_types", "error  amount.type: broken: 'amount' is of type integer"),
    ("frame_lacks_a_field", "error  status.missing: broken: "),
    ("frame_has_another_field", "error  extra_field: broken: "),
    ("frame_has_a_null", "error  amount.null: broken: 'amount' is never null; 2 of 2 rows break it"),
    ("too_old", "error  freshness: broken: "),
    ("part_is_missing", "part  BE: missing"),
    ("no_partition_named", "the contract is partitioned, and no partition was named"),
    ("broken_row_as_a_sample", "error  region.pattern: broken: "),
    ("parts_in_a_table", "takes its required parts from the published table 'regions', which no test has"),
    ("parts_of_files_and_a_frame", "asks for parts or a manifest, which stand beside the rows, and a frame holds rows alone"),
    ("no_row", "error  row_count: broken: "),
    ("object_frame", "frame: has a column that no file can hold"),
    ("unknown_contract", "contracts/nowhere.yaml: the contract file cannot be read"),
    ("invalid_contract", "elsewhere/wrong.yaml:14:26: fields.amount.type: 'wholes' is no type"),
    ("no_file", "nowhere.csv: is not there"),
    ("known_in_another_unit", "    sum of 'amount': 60000 expected, and it is another value\n    nulls of 'note': 0 expected, 1 found"),
    ("known_of_nothing_to_expect", "expected: 'median' is nothing that can be expected"),
    ("known_of_no_field", "expected: sum: 'amout' is no field of 'orders'"),
    ("known_of_a_sum_of_texts", "expected: 'note' is string, which has no sum"),
    ("known_of_a_list", "expected: is no mapping"),
    ("sample_of_a_mapping", "sample: is neither files nor a frame of Polars"),
    ("known_of_broken_rows", "error  amount.range: broken: "),
    ("gate_refuses", 'write version: "1.1.0"'),
    ("gate_of_nothing", "gate: needs to know what is published"),
]  # fmt: skip


@pytest.mark.parametrize("test", PASSING)
def test_what_keeps_the_contract_passes(producer: Path, test: str) -> None:
    """[S4-011] [S4-025] [S2-033]."""
    assert failure(producer, test) == ""


@pytest.mark.parametrize(("test", "words"), FAILING, ids=[name for name, _ in FAILING])
def test_what_breaks_it_fails_with_the_words_of_the_gate(producer: Path, test: str, words: str) -> None:
    """[S4-011] [S2-033]."""
    assert words in failure(producer, test)


def test_every_test_of_the_producer_is_looked_at(producer: Path) -> None:
    names = {str(case.get("name")) for case in ET.parse(producer / "report.xml").iter("testcase")}
    assert names == {f"test_{name}" for name in [*PASSING, *(name for name, _ in FAILING)]}


def test_a_failure_is_told_once_and_without_a_stack(producer: Path) -> None:
    told = [failure(producer, name) for name, _ in FAILING]
    noise = ("Traceback", "pytest_plugin", "__tracebackhide__", "During handling")
    assert [text for text in told if any(words in text for words in noise)] == []
    assert (producer / "out.txt").read_text().count("'amount' is at least -5; 1 of 3 rows breaks it") == 2


def test_no_value_of_a_sample_is_told(producer: Path) -> None:
    out = (producer / "out.txt").read_text()
    told = "".join(failure(producer, name) for name, _ in FAILING)
    assert [value for value in ("-77", "secret-1") if value in told] == []
    assert "secret-1" not in out


def test_a_promise_that_only_warns_is_a_warning_of_the_run(producer: Path) -> None:
    out = (producer / "out.txt").read_text()
    assert "test_contracts.py:" in out.split("ContractGateWarning")[0].rsplit("\n", 1)[-1]
    assert "ContractGateWarning: count.range: broken: 'count' is at least 0; 2 of 2 rows break it" in out


def test_a_sample_says_what_it_cannot_show(producer: Path) -> None:
    """[S4-021]."""
    out = (producer / "out.txt").read_text()
    assert "a sample does not show: row_count, partition, coverage.missing, coverage.unexpected, freshness" in out
    assert "that the data mean what they meant before is not seen here" in out


def test_nothing_is_written_beside_the_contracts(producer: Path) -> None:
    known = {
        "contracts",
        "registry",
        "elsewhere",
        "tests",
        "good.csv",
        "bad.csv",
        "pytest.ini",
        "report.xml",
        "out.txt",
        ".git",
    }
    assert {path.name for path in producer.iterdir()} == known


LOADED = """
import sys
import pytest
before = set(sys.modules)
import contract_core.pytest_plugin
print(sorted(name for name in set(sys.modules) - before if "." not in name or name.startswith("contract_core")))
"""


def test_a_run_that_asks_for_nothing_loads_nothing_heavy(tmp_path: Path) -> None:
    ended = ran(tmp_path, sys.executable, "-W", "error", "-c", LOADED)
    assert (ended.stdout, ended.stderr) == ("['contract_core', 'contract_core.pytest_plugin']\n", "")


def test_a_run_that_asks_for_nothing_stays_quiet(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    ended = ran(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "contract_core.pytest_plugin", "-W", "error")
    assert ended.returncode == 0
    assert "contract" not in ended.stdout + ended.stderr


def test_it_may_be_named_beside_its_entry_point(tmp_path: Path) -> None:
    """An entry point of another name would make pytest refuse to load the same module twice."""
    about = tmp_path / "other-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pytest11]\ncontract_core.pytest_plugin = contract_core.pytest_plugin\n")
    (tmp_path / "test_plain.py").write_text("def test_plain(contract_gate): pass\n")
    assert ran(tmp_path, sys.executable, "-m", "pytest", "-q").returncode == 0
    assert ran(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "contract_core.pytest_plugin").returncode == 0
