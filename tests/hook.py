"""A web hook on this machine that remembers what it was sent: the other end of a channel."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "s3cr3t-token"


@dataclass
class Hook:
    """What came, in order; `status` is what it answers, and `paths` where each message was sent to."""

    port: int = 0
    status: int = 200
    received: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"json://127.0.0.1:{self.port}/{SECRET}"

    @property
    def titles(self) -> list[str]:
        return [item["title"] for item in self.received]

    @property
    def texts(self) -> list[str]:
        return [item["message"] for item in self.received]


@contextmanager
def listening() -> Iterator[Hook]:
    hook = Hook()

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            hook.received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            hook.paths.append(self.path)
            self.send_response(hook.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    hook.port = server.server_port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield hook
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
