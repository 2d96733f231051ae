"""A release is told on the channel that the contract names; an address is a secret and stands in no answer."""

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from contract_core.environment import Environment
from contract_core.operations import announcing
from contract_core.operations.announcing import announce

SECRET = "s3cr3t-token"


@pytest.fixture
def listener():
    """A web hook that remembers what it was sent; `status` is what it answers."""
    received: list[dict] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(server.status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    server.received, server.status = received, 200
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def environment_with(address: str) -> Environment:
    return Environment(*[Path("data")] * 7, channels=(("data-team", address),))


def address_of(listener) -> str:
    return f"json://127.0.0.1:{listener.server_port}/{SECRET}"


def test_a_release_is_told_on_the_channel_of_its_contract(listener) -> None:
    """[S4-019]"""
    told = announce("orders 1.2.0", "- a new field", "data-team", environment_with(address_of(listener)), {})
    assert told is None
    assert [(item["title"], item["message"]) for item in listener.received] == [("orders 1.2.0", "- a new field")]


def test_the_address_may_stand_in_a_variable(listener) -> None:
    variables = {"TEAM_HOOK": address_of(listener)}
    assert announce("orders 1.2.0", "text", "data-team", environment_with("env:TEAM_HOOK"), variables) is None
    assert len(listener.received) == 1


@pytest.mark.parametrize(
    ("channel", "address", "why"),
    [
        ("others", "json://127.0.0.1:1/x", "the environment names no channel 'others'"),
        ("data-team", "env:TEAM_HOOK", "in TEAM_HOOK, which is not set"),
        ("data-team", f"nonsense://{SECRET}", "is none that apprise knows"),
        ("data-team", f"json://127.0.0.1:1/{SECRET}", "did not take it"),
    ],
)
def test_what_went_wrong_is_told_without_the_address(channel, address, why, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    told = announce("orders 1.2.0", "text", channel, environment_with(address), {})
    assert why in told
    assert SECRET not in told + caplog.text


def test_a_channel_that_refuses_is_told(listener) -> None:
    listener.status = 500
    told = announce("t", "x", "data-team", environment_with(address_of(listener)), {})
    assert told == "channel 'data-team' did not take it"


def test_without_the_library_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr(announcing, "find_spec", lambda _: None)
    told = announce("t", "x", "data-team", environment_with("json://127.0.0.1:1"), {})
    assert told == "telling it needs apprise: install contract-gate[notify]"
