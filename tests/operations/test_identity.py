"""Who may publish: the user that the environment names, on the command line as in a run."""

import os
import pwd
from dataclasses import replace
from pathlib import Path

import pytest

from contract_core.environment import Environment
from contract_core.errors import GateClosedError
from contract_core.operations.identity import refuse_other_identity
from tests.commands import Run

SELF = pwd.getpwuid(os.geteuid()).pw_name
OTHER = next(user.pw_name for user in pwd.getpwall() if user.pw_uid != os.geteuid())


def environment(publisher: str | None) -> Environment:
    return replace(Environment.at(Path("data")), name="production", publisher=publisher)


@pytest.mark.parametrize("publisher", [None, SELF], ids=["none is named", "this one"])
def test_the_publisher_may_publish(publisher: str | None) -> None:
    refuse_other_identity(environment(publisher))


@pytest.mark.parametrize(
    ("publisher", "what"),
    [
        pytest.param(OTHER, f"is published to by user '{OTHER}', and this process runs as '{SELF}'", id="another"),
        pytest.param("no such user", "is published to by user 'no such user', whom this machine does not know", id="nobody"),
    ],
)  # fmt: skip
def test_another_user_may_not(publisher: str, what: str) -> None:
    """S1-112: one identity publishes."""
    with pytest.raises(GateClosedError) as refused:
        refuse_other_identity(environment(publisher))
    [problem] = refused.value.problems
    assert (problem.where, problem.what) == ("environment 'production'", what)


def test_a_user_without_a_name_is_told_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 987654)
    with pytest.raises(GateClosedError, match="a user without a name \\(number 987654\\)"):
        refuse_other_identity(replace(environment(SELF), name=None))


def test_the_command_line_publishes_nothing_as_another_user(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-112: refused before anything is taken; who only looks is not refused."""
    Path("environments.yaml").write_text(
        f"environments: {{production: {{root: p, identities: {{publisher: {OTHER}}}}}}}"
    )
    monkeypatch.setenv("CONTRACT_GATE_ENV", "production")
    offer = ("cases.yaml", "good.csv", "--partition", "2026-10-01")
    code, out, err = run("publish", *offer)
    assert (code, out, err.splitlines()[0].startswith("environment 'production': is published to by user")) == (
        2,
        "",
        True,
    )
    assert not Path("p").exists()
    assert run("check", *offer)[0] == 0
