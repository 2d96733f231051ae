"""Lines as a log may show them, whatever stands in the names of files, fields and rules."""

import re

from contract_core.errors import on_one_line


def log_line(text: str) -> str:
    """A line of a report as a log may show it: it stays one line, and no part of it is a command to whoever reads the log."""
    shown = on_one_line(text).replace("##[", "## [")
    return re.sub(r"^(\s*):(?=:)", r"\1: ", shown)
