"""The benchmark's batches script by script: one file for each script that left rows, and a manifest of what the log says of each.

A script is one worker's run over one task and data set; it is complete when the log has it finished with code 0.
"""

import csv
import json
from collections.abc import Mapping
from pathlib import Path

from contract_core.contract.model import Contract
from tests.examples.offering import contract_of
from tests.real_data.benchmark_batches import FOLDER, TEXT

Script = tuple[str, str, str]


def logged_scripts(batch: str) -> dict[Script, bool]:
    """Each script that the log has started in a batch, and whether it finished with code 0."""
    codes: dict[Script, str] = {}
    with (FOLDER / "deliveries" / "logs-2023-11-03.csv").open(encoding="utf-8", newline="") as log:
        for entry in csv.DictReader(log):
            if entry["batch"] == batch:
                codes[entry["solution"], entry["task"], entry["data"]] = entry["ret"]
    return {script: code == "0" for script, code in codes.items()}


def rows_by_script(batch: str) -> tuple[str, dict[Script, list[str]]]:
    """The header, and the lines of each script."""
    header, *lines = (FOLDER / "deliveries" / "time-2023-11-03.csv").read_text("utf-8").splitlines(keepends=True)
    found: dict[Script, list[str]] = {}
    for line in lines:
        values = line.split(",")
        if values[1] == batch:
            found.setdefault((values[9], values[3], values[4]), []).append(line)
    return header, found


def name_of(script: Script) -> str:
    """The part that stands for a script."""
    return "~".join(script)


def worker_of(part: str) -> str:
    return part.partition("~")[0]


def script_contract(required: list[str], manifest: str = "required") -> Contract:
    """The benchmark's contract with these scripts as required parts, each in a file of its own."""
    text = TEXT.replace("rows: {min: 1}", "rows: {min: 0}")
    parts = f"  parts: {{from: file, required: {json.dumps(sorted(required))}}}\n"
    return contract_of(f"{text}  partition: {{column: batch}}\n{parts}  manifest: {manifest}\n")


def write_scripts(batch: str, scripts: Mapping[Script, bool], folder: Path) -> Path:
    """The rows of each script in a file, and the manifest."""
    folder.mkdir()
    header, rows = rows_by_script(batch)
    for script, lines in rows.items():
        (folder / f"{name_of(script)}.csv").write_text("".join([header, *lines]), encoding="utf-8")
    parts = {name_of(script): {"complete": is_complete} for script, is_complete in scripts.items()}
    manifest = {"contract": "run_durations", "version": "1.0.1", "partition": batch, "parts": parts}
    (folder / "_manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder
