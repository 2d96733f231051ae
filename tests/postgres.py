"""A PostgreSQL of Debian or another that stands on this machine, started for the tests, and gone with them."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WHY_NOT = "PostgreSQL is not installed: apt-get install postgresql"
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "50",
}


def programs() -> Path | None:
    """The folder of PostgreSQL's own programs; None where there are none."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return newest[-1].parent if newest else None


@contextmanager
def started(folder: Path) -> Iterator[str]:
    """The address of a server with an empty database, on a port of its own. It refuses to run as root, and is somebody else then."""
    user = _somebody_else()
    own = Path(tempfile.mkdtemp(prefix="contract-gate-postgres-"))  # above pytest's folders none but their owner may go
    if user is not None:
        shutil.chown(own, user)
    port = _free_port()
    settings = " ".join(f"-c {name}='{value}'" for name, value in (_SETTINGS | {"port": str(port)}).items())
    data = ["-D", str(own / "data")]
    log = folder / "postgres.log"
    try:
        _run(["initdb", *data, "-U", "gate", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"], user, log)
        _run(["pg_ctl", *data, "-w", "-t", "60", "-o", settings, "-l", str(own / "log"), "start"], user, log)
        try:
            yield f"postgresql://gate@127.0.0.1:{port}/postgres"
        finally:
            _run(["pg_ctl", *data, "-w", "-m", "immediate", "stop"], user, log)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _somebody_else() -> str | None:
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _run(command: list[str], user: str | None, log: Path) -> None:
    folder = programs()
    assert folder is not None, WHY_NOT
    with log.open("ab") as said:
        subprocess.run(
            [str(folder / command[0]), *command[1:]],
            user=user,
            group=None if user is None else pwd.getpwnam(user).pw_gid,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            check=True,
            timeout=120,
        )


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
