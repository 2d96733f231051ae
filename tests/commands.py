"""Running the command line in this process: exit code, standard output, standard error."""

from collections.abc import Callable
from pathlib import Path

import pytest

from contract_core.cli import main

Run = Callable[..., tuple[int, str, str]]

CASES = """\
contract: cases
version: "1.0.0"
key: [region, day]
fields:
  - {name: region, type: string, pattern: "[A-Z]{2}"}
  - {name: day, type: date}
  - {name: count, type: integer, min: 0}
delivery:
  path: "cases/{partition}/*.csv"
  partition: {every: day, column: day, start: 2026-10-01}
"""
GOOD = "region,day,count\nNL,2026-10-01,12\nBE,2026-10-01,7\n"
BAD = "region,day,count\nNL,2026-10-01,12\nBE,2026-10-01,seven\nBE,2026-10-01,-3\n"


def written(folder: Path, **files: str | bytes) -> None:
    """Files in a folder, `a_csv` under the name `a.csv`."""
    for name, content in files.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_bytes(content.encode() if isinstance(content, str) else content)


def runner(capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return int(leaving.value.code or 0), out, err

    return run
