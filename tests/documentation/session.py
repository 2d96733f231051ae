"""A reader who follows a page from top to bottom in an empty folder: writes its files, runs its commands, compares what they print."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from inspect import signature
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
import yaml

from contract_core.contract.parsing import parse_contract
from contract_core.contract.registry import read_contract
from contract_core.environment_file import read_environments
from contract_core.exports.language_schema import language_schema
from contract_core.pytest_plugin import ContractGate
from tests.commands import Run
from tests.documentation.blocks import ROOT, Block, agrees, commands_of

SHELL = ("|", ">", "&&", "*", ";")
"""What only a shell understands: such a line is run by one, with `contract-gate` on its path."""
FAILED = 2
LAUNCHER = '#!/bin/sh\nexec "{python}" -m contract_core.cli "$@"\n'
FOR_ANOTHER_PLACE = (
    "git clone ",
    "cd contract-gate",
    "cd ..",
    "source .venv/bin/activate",
    "make demo",
    "make -C contract-gate dev",
)
"""What a reader does in the clone, to install and to look on: not run here. `tests/assets/test_demo.py` runs the demo."""


class Written(yaml.SafeLoader):
    """YAML whose days are texts, as JSON Schema has them."""


Written.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@cache
def attributes_of_the_language() -> jsonschema.Draft202012Validator:
    """What each attribute may be, whichever of them are there."""
    schema = language_schema()
    return jsonschema.Draft202012Validator({name: stated for name, stated in schema.items() if name != "required"})


class Session:
    """One page in one folder; every command sees the files and the environment that those before it have left."""

    def __init__(self, folder: Path, run: Run, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.run = run
        self.patch = patch
        self.code = 0
        self.names: dict[str, object] = {}
        self.told: list[tuple[Block, str, str]] = []

    def follow(self, block: Block) -> None:
        """Do what the block says; an AssertionError where something else happens than it shows."""
        if block.file:
            self._write(block)
        else:
            BY_KIND[block.kind](self, block)

    def _write(self, block: Block) -> None:
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        if block.is_part:
            stated = yaml.safe_load(path.read_text("utf-8")) | yaml.safe_load(block.text)
            path.write_text(yaml.safe_dump(stated, sort_keys=False), "utf-8")
        else:
            path.write_text(block.text, "utf-8")
        if path.name == "environments.yaml":
            read_environments(path)
        elif block.kind == "yaml" and "\nfields:" in path.read_text("utf-8"):
            read_contract(path)

    def commands(self, block: Block) -> None:
        for command, shown in commands_of(block):
            found = self.command(command, block)
            self.told.append((block, command, found))
            assert not shown or agrees(shown, found), f"line {block.line}: $ {command}\n{found}"
            assert shown or self.code < FAILED, f"line {block.line}: $ {command}\n{found}"

    def script(self, block: Block) -> None:
        for command in filter(None, block.text.splitlines()):
            found = self.command(command, block)
            assert self.code == 0, f"line {block.line}: $ {command}\n{found}"

    def command(self, command: str, block: Block) -> str:
        """What a command prints; its exit code stays for `echo $?`."""
        words = shlex.split(command, comments=True)
        if words == ["echo", "$?"]:
            return f"{self.code}\n"
        settings = list(takewhile(re.compile(r"[A-Z_]+=").match, words))
        if " ".join(words[len(settings) :]).startswith(FOR_ANOTHER_PLACE):
            return ""
        if words[len(settings) :][:1] == ["contract-gate"] and not set(SHELL) & set(words):
            return self._ours(settings, words[len(settings) + 1 :])
        return self._by_shell(command)

    def _ours(self, settings: list[str], arguments: list[str]) -> str:
        with self.patch.context() as patch:
            for setting in settings:
                patch.setenv(*setting.split("=", 1))
            self.code, out, err = self.run(*arguments)
        return out + err

    def _by_shell(self, command: str) -> str:
        tools = self.folder.parent / f"{self.folder.name}.tools"
        tools.mkdir(exist_ok=True)
        (tools / "contract-gate").write_text(LAUNCHER.format(python=sys.executable))
        (tools / "contract-gate").chmod(0o755)
        surroundings = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        surroundings |= {"REPOSITORY": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        ended = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=surroundings, capture_output=True, text=True, check=False
        )
        self.code = ended.returncode
        return ended.stdout + ended.stderr

    def python(self, block: Block) -> None:
        """Run it, and then the tests that it defines, with the fixtures that pytest would give them."""
        names = {**self.names}
        exec(compile(block.text, f"line {block.line}", "exec"), names)
        self.names = names
        for test in [value for name, value in names.items() if name.startswith("test_") and callable(value)]:
            test(**{name: self._fixture(name) for name in signature(test).parameters})

    def _fixture(self, name: str) -> object:
        if name == "tmp_path":
            return Path(tempfile.mkdtemp(dir=self.folder))
        node = SimpleNamespace(add_report_section=lambda *_: None)
        config = SimpleNamespace(getini=lambda _: "", rootpath=self.folder)
        folders = SimpleNamespace(mktemp=lambda name: Path(tempfile.mkdtemp(prefix=name, dir=self.folder)))
        return {"contract_gate": ContractGate(SimpleNamespace(node=node, config=config), folders)}[name]

    def today(self, block: Block) -> None:
        """The day on which the page is read, for every command that asks the clock."""
        moment = datetime.fromisoformat(block.text).replace(tzinfo=UTC)
        for name, module in list(sys.modules.items()):
            if name.startswith("contract_core.commands.") and hasattr(module, "now"):
                self.patch.setattr(module, "now", lambda: moment)

    def part_of_a_contract(self, block: Block) -> None:
        """Attributes of the language, each in the form that the language gives it; with `contract`, the whole of one."""
        stated = yaml.load(block.text, Written)
        if {"contract", "fields"} <= stated.keys():
            parse_contract(block.text, f"line {block.line}")
            return
        problems = [error.message for error in attributes_of_the_language().iter_errors(stated)]
        assert problems == [], f"line {block.line}: {problems}"

    def json(self, block: Block) -> None:
        json.loads(block.text)

    def csv(self, block: Block) -> None:
        assert len({len(row) for row in csv.reader(io.StringIO(block.text))}) == 1, f"line {block.line}: a ragged row"

    def nothing(self, block: Block) -> None:
        """Text is read and not run."""


BY_KIND: dict[str, Callable[[Session, Block], None]] = {
    "console": Session.commands,
    "sh": Session.script,
    "run": Session.script,
    "today": Session.today,
    "python": Session.python,
    "yaml": Session.part_of_a_contract,
    "json": Session.json,
    "csv": Session.csv,
    "text": Session.nothing,
}
