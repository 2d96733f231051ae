"""Who may publish: the user that an environment names. Asks the operating system, and holds nobody off who has the rights to write."""

import os
import pwd

from contract_core.environment import Environment
from contract_core.errors import GateClosedError, Problem


def refuse_other_identity(environment: Environment) -> None:
    """Raises GateClosedError unless this process runs as the environment's publisher; anyone may publish where none is named."""
    wanted = environment.publisher
    if wanted is None or _number_of(wanted) == os.geteuid():
        return
    about = f"environment '{environment.name}'" if environment.name else "this environment"
    if _number_of(wanted) is None:
        what, hint = (
            f"is published to by user '{wanted}', whom this machine does not know",
            "correct identities: publisher",
        )
    else:
        what, hint = (
            f"is published to by user '{wanted}', and this process runs as {_own_name()}",
            f"run it as '{wanted}'",
        )
    raise GateClosedError(Problem(about, what, f"nothing was published; {hint}"))


def _number_of(user: str) -> int | None:
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def _own_name() -> str:
    try:
        return f"'{pwd.getpwuid(os.geteuid()).pw_name}'"
    except KeyError:
        return f"a user without a name (number {os.geteuid()})"
