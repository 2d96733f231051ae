"""A producer's repository: contracts under version control, a branch with an edit, and the gate that is asked about it."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Run, runner

TODAY = datetime(2026, 10, 2, 9, tzinfo=UTC)
ORDERS = """\
contract: orders
version: "1.0.0"
status: active
description: Orders of the shop.
grain: One row per order.
owners:
  producer: {name: web_shop, contact: "team:web-shop"}
  consumers:
    - {name: revenue_report, contact: "team:finance", relies_on: [order_id, amount, status]}
    - {name: archive, contact: "team:archive", tolerates: {new_fields: true, new_enum_values: true}}
key: [order_id]
fields:
  - {name: order_id, type: string}
  - {name: amount, type: integer, min: 0, semantics: "What the customer pays, tax included."}
  - {name: status, type: string, enum: [open, shipped]}
  - {name: note, type: string, nullable: true}
"""
TOLERANT = ORDERS.replace("relies_on: [order_id, amount, status]", "tolerates: {new_fields: true}")
RETURNS = """\
contract: returns
version: "0.1.0"
fields:
  - {name: order_id, type: string}
"""
RECORD = """\
contract: orders
version: "2.0.0"
approvals:
  - {{by: archive, changes: "{digest}"}}
supported_until: {until}
"""
PLACES = (
    "ROOT",
    "CONTRACTS",
    "LANDING",
    "CANDIDATES",
    "PUBLISHED",
    "LEDGER",
    "QUARANTINE",
    "REGISTRY",
    "ENV",
    "CONFIG",
)


def edited(*pairs: tuple[str, str], text: str = ORDERS) -> str:
    """The contract with each of the texts replaced; every one of them must be there."""
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def to(version: str) -> tuple[str, str]:
    """The edit that gives the contract another version."""
    return '"1.0.0"', f'"{version}"'


NOTE_REMOVED = ("  - {name: note, type: string, nullable: true}\n", "")
REWORDED = ("Orders of the shop.", "Orders of the web shop.")


class Repository:
    """A git repository in a folder of its own, with `main` and whatever a test adds."""

    def __init__(self, root: Path, run: Run) -> None:
        self.root = root
        self.run = run

    def git(self, *arguments: str, at: Path | None = None) -> str:
        told = subprocess.run(["git", *arguments], cwd=at or self.root, check=True, capture_output=True, text=True)
        return told.stdout.strip()

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def commit(self, *files: tuple[str, str | bytes]) -> str:
        """A commit of all that is there, with these files."""
        for name, content in files:
            self.write(name, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "edit")
        return self.git("rev-parse", "HEAD")

    def branch(self, *files: tuple[str, str | bytes]) -> None:
        """A branch with one commit."""
        self.git("switch", "--quiet", "--create", "edit")
        self.commit(*files)

    def gate(self, *arguments: str | Path, base: str = "main") -> tuple[int, str, str]:
        return self.run("gate", "--base", base, "--root", ".", *arguments)

    def judged(self, *arguments: str | Path, code: int, base: str = "main") -> Any:
        """The document on the contract `orders`, of a gate that leaves with this code."""
        found, out, err = self.gate("--json", *arguments, base=base)
        assert (found, err) == (code, "")
        return next(item for item in json.loads(out)["contracts"] if item["contract"] == "orders")


def lacking(document: Any) -> str:
    """All that is missing, as one text."""
    return "\n".join(item["what"] for item in document["missing"])


def alone(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Without the variables and the git configuration of whoever runs the tests, on one day."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name in PLACES:
        monkeypatch.delenv(f"CONTRACT_GATE_{name}", raising=False)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = test\n\temail = test@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setattr("contract_core.commands.changes.now", lambda: TODAY)


def founded(folder: Path, capfd: pytest.CaptureFixture[str], *files: tuple[str, str | bytes]) -> Repository:
    """A repository with one commit on `main`."""
    folder.mkdir(parents=True)
    repository = Repository(folder, runner(capfd))
    repository.git("init", "--quiet", "--initial-branch", "main")
    repository.commit(*files)
    return repository
