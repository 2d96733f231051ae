"""The benchmark's batches as deliveries: the rows of one batch, and a manifest that says what its log says of each worker.

A worker is complete when every script that it started has finished with code 0; one without any log entry is not declared.
"""

import csv
import json
from pathlib import Path

from contract_core.contract.model import Contract
from tests.examples.offering import ROOT, SHARED, contract_of

FOLDER = SHARED / "run_durations_2023"
TEXT = (ROOT / "tests/real_data/contracts/run_durations@1.0.1.yaml").read_text("utf-8")


def expected_batches():
    """What was computed independently for each batch; nothing where the data are not there."""
    file = FOLDER / "expected_batches.json"
    return json.loads(file.read_text("utf-8"))["batches"] if file.is_file() else []


def batch_contract(required: list[str]) -> Contract:
    """The benchmark's contract for batches, of which these workers must be there; a batch without rows is judged by its parts."""
    text = TEXT.replace("rows: {min: 1}", "rows: {min: 0}")
    parts = f"  parts: {{from: column, column: solution, required: {json.dumps(required)}}}\n"
    return contract_of(f"{text}  partition: {{column: batch}}\n{parts}  manifest: required\n")


def declared_parts(batch: str) -> dict[str, dict[str, bool]]:
    """Each worker of a batch that the log knows, and whether it is complete."""
    codes: dict[tuple[str, str, str], str] = {}
    with (FOLDER / "deliveries" / "logs-2023-11-03.csv").open(encoding="utf-8", newline="") as log:
        for entry in csv.DictReader(log):
            if entry["batch"] == batch:
                codes[entry["solution"], entry["task"], entry["data"]] = entry["ret"]
    workers = sorted({solution for solution, _, _ in codes})
    return {
        worker: {"complete": all(code == "0" for key, code in codes.items() if key[0] == worker)} for worker in workers
    }


def write_batch(batch: str, folder: Path) -> Path:
    """The batch's rows and manifest as a delivery of their own."""
    folder.mkdir()
    header, *lines = (FOLDER / "deliveries" / "time-2023-11-03.csv").read_text("utf-8").splitlines(keepends=True)
    rows = [line for line in lines if line.split(",")[1] == batch]
    (folder / "time.csv").write_text("".join([header, *rows]), encoding="utf-8")
    manifest = {"contract": "run_durations", "version": "1.0.1", "partition": batch, "parts": declared_parts(batch)}
    (folder / "_manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder
