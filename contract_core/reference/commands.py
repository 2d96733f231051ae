"""Every command of the command line with its arguments and options, as `--help` tells them."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from contract_core.cli import app
from contract_core.reference.marks import AS_IT_IS, code, row

_INTRODUCTION = """\
Every command, as `contract-gate COMMAND --help` tells it. The exit code is 0 where all is fine, 1 where a promise is broken, and 2 where
the question could not be answered: [problems](../problems.md). What stands in brackets may be left out."""


def commands_page() -> str:
    """The whole page."""
    group: Any = get_command(app)
    lines = ["# Commands", "", AS_IT_IS, "", _INTRODUCTION, ""]
    for name, command in sorted(group.commands.items()):
        lines += _section(name, command)
    return "\n".join(lines)


def _section(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - a command of the library that typer brings along
    arguments = [item for item in command.params if not _is_option(item)]
    options = [item for item in command.params if _is_option(item) and not item.hidden]
    yield from (f"## {name}", "")
    yield from (code(" ".join(["contract-gate", name, *(item.metavar or item.name.upper() for item in arguments)])), "")
    yield from (" ".join(command.help.split()), "")
    yield from (row("argument or option", "meaning", "default"), row("---", "---", "---"))
    for item in [*arguments, *options]:
        yield row(_written(item), _one_line(item.help), _default(item))
    yield ""


def _is_option(item: Any) -> bool:  # noqa: ANN401
    return bool(item.opts[0].startswith("-"))


def _written(item: Any) -> str:  # noqa: ANN401
    if not _is_option(item):
        return code(item.metavar or item.name.upper())
    return ", ".join(code(f"{name}{'' if item.is_flag else f' {item.metavar or _VALUE}'}") for name in item.opts)


_VALUE = "…"


def _default(item: Any) -> str:  # noqa: ANN401
    if item.required:
        return "**needed**"
    return "none" if item.default in (None, False, (), []) else code(str(item.default))


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "&lt;")
