"""Logs as others left them: commits that were written by hand, cut short, or by an older version of the product."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deltalake import DeltaTable

SINCE_0_1 = ("mode", "quarantined", "as_of", "received_at", "found")
"""What the commits of 0.1.0 did not say."""


def commit_file(table: Path, version: int) -> Path:
    return table / "_delta_log" / f"{version:020d}.json"


def rewrite(table: Path, version: int, change: Callable[[dict[str, Any]], Any]) -> None:
    """Changes what a commit says about itself, in place."""
    file = commit_file(table, version)
    actions = [json.loads(line) for line in file.read_text().splitlines()]
    for action in actions:
        if "commitInfo" in action:
            change(action["commitInfo"])
    file.write_text("\n".join(json.dumps(action) for action in actions))


def as_0_1(table: Path) -> None:
    """Takes from each publication what 0.1.0 did not write."""
    for commit in DeltaTable(table).history():
        if "submission" in commit:
            rewrite(table, commit["version"], lambda about: [about.pop(name) for name in SINCE_0_1])


def cut(table: Path) -> int:
    """The oldest version that is left after the log was cleaned up to a checkpoint of the newest one."""
    opened = DeltaTable(table)
    opened.create_checkpoint()
    for version in range(opened.version()):
        commit_file(table, version).unlink()
    return opened.version()
