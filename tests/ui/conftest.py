"""A real `dagster dev`, and a real browser that looks at it. Skipped only where there is no Chromium.

Screenshots are kept below the folder that SCREENSHOTS_OF_TESTS names, or else beside pytest's temporary folders.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.assets.bench import CASES

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LOCATION = "contract_assets.definitions"
_PATIENCE, _LOOKING = 180.0, 60_000.0
HOSTILE = (
    "<img src=x onerror=alert(1)>[click](javascript:alert(2)) **bold** | table | \u202eoverturned " + "very_long_" * 40
)
CONTRACTS = {
    "cases": f"{CASES}freshness: {{column: day, max_age: 3d, severity: warn}}\n",
    "hostile": f"""\
contract: hostile
version: "1.0.0"
description: {json.dumps(HOSTILE)}
grain: {json.dumps(HOSTILE)}
fields:
  - {{name: {json.dumps("<script>alert(3)</script>")}, type: string, description: {json.dumps(HOSTILE)}}}
  - {{name: {json.dumps("a|b*c_d`e`")}, type: integer, min: 0}}
rules:
  - {{name: always, sql: "1 = 1", description: {json.dumps(HOSTILE)}}}
duplicate_rows: warn
delivery: {{format: {{type: csv}}}}
""",
}
Found = TypeVar("Found")
_RUNS = """query($limit: Int) { runsOrError(limit: $limit) { ... on Runs { results { runId status tags { key value } } } } }"""
_LOADED = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }"


@dataclass
class Server:
    """Webserver and daemon on a root of their own; `url` is where a browser finds them."""

    root: Path
    home: Path
    port: int
    process: subprocess.Popen[bytes] = field(repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def asked(self, query: str, **variables: object) -> dict[str, Any]:
        """The answer to a question that the UI could ask too."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.load(answer)["data"])

    def runs(self) -> list[dict[str, Any]]:
        """All runs, the newest first."""
        return list(self.asked(_RUNS, limit=100)["runsOrError"]["results"])

    def ended(self, known: set[str]) -> tuple[str, str]:
        """The id and the state of the one run that was not known, once it has ended."""

        def found() -> tuple[str, str] | None:
            new = [run for run in self.runs() if run["runId"] not in known]
            assert len(new) < 2, "one click starts one run"
            is_over = bool(new) and new[0]["status"] in {"SUCCESS", "FAILURE", "CANCELED"}
            return (new[0]["runId"], new[0]["status"]) if is_over else None

        return until(found, "the run has not ended")

    def land(self, contract: str, day: str | None, text: str) -> None:
        """A delivery as its producer would leave it; `day` is its partition."""
        folder = self.root / "landing" / contract / (day or "")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "delivery.csv").write_text(text)


def until(found: Callable[[], Found | None], otherwise: str) -> Found:
    """What is found in the end."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if (it := found()) is not None:
            return it
        time.sleep(0.2)
    raise TimeoutError(otherwise)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests of a file, which one worker runs in their order."""
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")
    (root / "contracts").mkdir()
    for name, text in CONTRACTS.items():
        (root / "contracts" / f"{name}.yaml").write_text(text)
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\nnux: {enabled: false}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dagster", "dev", "--host", "127.0.0.1", "--port", str(port), "-m", LOCATION]
    known = {name: value for name, value in os.environ.items() if not name.startswith(("CONTRACT_GATE_", "DAGSTER_"))}
    environment = known | {
        "CONTRACT_GATE_ROOT": str(root),
        "DAGSTER_HOME": str(home),
        "DAGSTER_DISABLE_TELEMETRY": "yes",
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
    }
    log = home / "log.txt"
    with log.open("wb") as said:
        process = subprocess.Popen(
            command,
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    started = Server(root, home, port, process)
    try:
        until(lambda: _is_loaded(started, log), "dagster dev has not loaded its definitions")
        yield started
    finally:
        _stop(process)


def _is_loaded(server: Server, log: Path) -> bool | None:
    assert server.process.poll() is None, log.read_text(errors="replace")[-2000:]
    try:
        return bool(server.asked(_LOADED)["repositoriesOrError"]["nodes"]) or None
    except OSError:
        return None


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Webserver, daemon and code server are one group, and none of them outlives the tests."""
    with suppress(ProcessLookupError, subprocess.TimeoutExpired):
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait(timeout=20)


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures of what was seen are kept."""
    chosen = os.environ.get("SCREENSHOTS_OF_TESTS")
    folder = Path(chosen) if chosen else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window. Playwright holds the thread's event loop, so that it ends with the tests that need it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@dataclass
class Viewer:
    """One page of the browser, and what went wrong on it."""

    page: Any
    server: Server
    screenshots: Path
    alarms: list[str]

    def opens(self, path: str) -> Any:
        """Goes to a page of the UI."""
        self.page.goto(f"{self.server.url}{path}")
        return self.page

    def sees(self, *texts: str) -> None:
        """Waits until each text can be seen."""
        from playwright.sync_api import expect

        try:
            for text in texts:
                expect(self.page.get_by_text(text).filter(visible=True).first).to_be_visible(timeout=_LOOKING)
        except AssertionError:
            self.keeps("not-seen")
            raise

    def counts(self, text: str, expected: int) -> None:
        """Waits until the text stands so often on the page, by itself."""
        from playwright.sync_api import expect

        expect(self.page.get_by_text(text, exact=True)).to_have_count(expected, timeout=_LOOKING)

    def keeps(self, name: str) -> None:
        """A picture of what is seen now."""
        self.page.screenshot(path=self.screenshots / f"{name}.png", full_page=True)


@pytest.fixture
def viewer(browser: Any, server: Server, screenshots: Path) -> Iterator[Viewer]:
    """Somebody who looks at the UI; whatever raises an alarm there, a dialog or an error of a script, fails the test."""
    page = browser.new_page(viewport={"width": 1500, "height": 1100})
    page.set_default_timeout(_LOOKING)
    seen = Viewer(page, server, screenshots, [])
    page.on("dialog", lambda dialog: (seen.alarms.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: seen.alarms.append(f"error: {error}"))
    yield seen
    page.close()
    assert seen.alarms == []
