"""What the tests of this folder share: contracts that are hard to carry, the gate's verdict row by row, and generated code at work."""

import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from contract_core.candidate.delivery import collect_delivery
from contract_core.candidate.snapshot import Candidate, take_candidate
from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contract
from contract_core.validation.breaking_rows import broken_rows, sends_away
from contract_core.validation.obligations import obligations_of
from contract_core.validation.subject import open_subject
from tests.validation.judged import AS_OF

DATA = Path(__file__).parents[2] / "data"
EXAMPLES = ("ita_regions", "orders", "regional_daily_cases", "run_durations")
DELIVERED = tuple(
    (path.parent.name, path.name)
    for path in sorted((DATA / "landing").glob("*/*"))
    if path.is_dir() and path.parent.name in EXAMPLES
)
FIELD_RULES = frozenset({"null", "type", "not_finite", "enum", "pattern", "range", "length", "blank", "untrimmed"})
RUFF = Path(sys.executable).with_name("ruff")
HOSTILE = """\
contract: "true"
version: "1.0.0"
description: "\\"\\"\\" ' \\\\ \\n*/ --> import os; os.abort() \\n# {{ x }} \\u202e"
key: [id]
extra_fields: ignore
publication: {mode: upsert}
delivery: {format: {type: parquet}}
fields:
  - {name: id, type: int64}
  - {name: class, type: string, description: "x\\"\\"\\"\\nimport os\\nos.abort()"}
  - {name: date, type: date, min: 2026-01-01}
  - {name: datetime, type: "timestamp[us,UTC]", max: 2026-12-31}
  - {name: str, type: string, nullable: true, enum: [a, "it's", "\\"", "\\\\", "\\"\\"\\"); os.abort()", "a\\nb", "\\u202e", "{% x %}", ""]}
  - {name: 1st, type: string, pattern: "[a-z\\"']+\\\\\\\\?"}
  - {name: 'a"b', type: uint8, max: 300}
  - {name: "a'b", type: uint64, min: 5}
  - {name: "a\\\\b", type: number, enum: [1, 2.5]}
  - {name: "a b", type: "decimal(10,2)", min: 0.105, max: 20, enum: [1, 2.5, 2.505]}
  - {name: a_b, type: boolean, enum: [true]}
  - {name: model_config, type: string, trimmed: true}
  - {name: validate, type: string, not_blank: ascii}
  - {name: Config, type: string, not_blank: space}
  - {name: data, type: float32, min: 0.1, max: 1}
  - {name: cls, type: number, allow_nan: true, max: 5}
  - {name: "naïve", type: number, min: 0, severity: {not_finite: warn, range: warn}}
  - {name: "{{ x }}", type: string, required: false, severity: {"null": warn}}
  - {name: "x) -> None: pass #", type: time, nullable: true}
  - {name: "@y", type: duration, nullable: true}
  - {name: select, type: "timestamp[ms]", min: 2026-01-01T00:00:00, required: false}
  - {name: ns, type: "timestamp[ns]", max: 2026-01-01, required: false}
  - {name: check_id_null, type: int8, enum: [1, 5], required: false}
  - {name: 日本, type: string, min_length: 1, max_length: 2, required: false}
rules: [{name: "a\\nb\\"\\"\\"", sql: "id > 0"}]
unique: [{name: "u'", fields: [a b, "a'b"]}, {name: w, fields: [a b], where: "id > 5", severity: warn}]
duplicate_rows: warn
"""


def contract_of(text: str) -> Contract:
    head = "" if "contract: " in text else 'contract: cases\nversion: "1.0.0"\n'
    return parse_contract(head + text, "c.yaml")


def example(name: str) -> Contract:
    return read_contract(DATA / "contracts" / f"{name}.yaml")


def delivered(name: str, partition: str, folder: Path) -> Candidate:
    """The candidate of one delivery that stands in the repository."""
    contract = example(name)
    delivery = collect_delivery(contract, [DATA / "landing" / name / partition], partition)
    return take_candidate(contract, delivery, folder, AS_OF)


def taken(contract: Contract, files: Mapping[str, str | pl.DataFrame], folder: Path) -> Candidate:
    """The candidate of these files, text or rows."""
    landing = Path(tempfile.mkdtemp(dir=folder))
    for name, content in files.items():
        if isinstance(content, str):
            (landing / name).write_text(content, "utf-8", newline="")
        else:
            content.write_parquet(landing / name)
    return take_candidate(contract, collect_delivery(contract, [landing], None), landing / "candidates", AS_OF)


def kept_by_the_gate(contract: Contract, candidate: Candidate, rules: Collection[str]) -> list[bool]:
    """For each row whether it keeps every obligation of these rules that holds publication back."""
    rows, subject = open_subject(contract, candidate)
    asked = [item for item in obligations_of(contract) if item.rule in rules and sends_away(item, subject)]
    return (~broken_rows(rows, asked, subject, None).flags).to_list()


def loaded(source: str) -> dict[str, Any]:
    """The names that a generated module defines."""
    names: dict[str, Any] = {"__name__": "generated"}
    exec(compile(source, "<generated>", "exec"), names)
    return names


def model_of(source: str) -> Any:
    """The one class that a generated module is about."""
    (model,) = [item for name, item in loaded(source).items() if isinstance(item, type) and not name.startswith("_")]
    return model


def run_alone(source: str) -> tuple[int, str]:
    """Exit code and standard error of the source in a fresh interpreter where every warning is an error."""
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-I", "-"], input=source, text=True, capture_output=True, check=False
    )
    return ended.returncode, ended.stderr


def reformatted(source: str, width: int) -> str:
    """The source as ruff formats it."""
    command = [RUFF, "format", "--isolated", "--line-length", str(width), "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True, check=True).stdout
