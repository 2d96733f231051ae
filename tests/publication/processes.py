"""Several processes that start their work at the same moment, for tests of races."""

import subprocess
import sys
from pathlib import Path

_PRELUDE = """
import sys, time
from pathlib import Path
NUMBER, FOLDER, COUNT = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
def ready():
    "Waits until every process is at this line."
    (Path(FOLDER) / f"ready-{NUMBER}").touch()
    while len(list(Path(FOLDER).glob("ready-*"))) < COUNT:
        time.sleep(0.001)
"""
_ROOT = Path(__file__).parents[2]


def at_once(count: int, code: str, folder: Path) -> list[int]:
    """The exit codes of `count` processes that run `code`, which knows NUMBER, FOLDER and `ready()`."""
    command = [sys.executable, "-c", _PRELUDE + code]
    started = [
        subprocess.Popen([*command, str(number), str(folder), str(count)], cwd=_ROOT, env=_environment())
        for number in range(count)
    ]
    try:
        return [process.wait(timeout=60) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()


def run_until_killed(code: str, folder: Path) -> int:
    """The exit code of one process; -9 where the code killed itself."""
    command = [sys.executable, "-c", _PRELUDE + code, "0", str(folder), "1"]
    return subprocess.run(command, cwd=_ROOT, env=_environment(), check=False, timeout=120).returncode


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": str(_ROOT), "PATH": "/usr/bin:/bin", "POLARS_MAX_THREADS": "1"}
