"""What a terminal is given: colours where a person watches, and signs that it can show."""

import io
import sys

import pytest

from contract_core.terminal import can_draw, line_width, print_styled

LINES = ((("cases", "bold"), (": ", ""), ("stale", "bold red")), (), (("    ■", "green"),))


class Watched(io.TextIOWrapper):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def terminal(encoding: str) -> Watched:
    return Watched(io.BytesIO(), encoding=encoding)


def test_where_nobody_watches_there_is_text_alone(capsys: pytest.CaptureFixture[str]) -> None:
    print_styled(LINES)
    assert capsys.readouterr().out == "cases: stale\n\n    ■\n"
    assert (can_draw("■"), line_width()) == (False, 140)


def test_where_a_person_watches_there_are_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal("utf-8")
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", screen)
    assert (can_draw("■◧✗▣□·…–"), line_width()) == (True, 80)
    print_styled(LINES)
    screen.flush()
    assert "\x1b[1;31mstale\x1b[0m" in screen.buffer.getvalue().decode()


def test_a_person_who_wants_no_colours_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal("utf-8")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", screen)
    print_styled(LINES)
    screen.flush()
    assert "\x1b[1;31m" not in screen.buffer.getvalue().decode()


def test_a_terminal_that_lacks_a_sign_is_not_asked_to_draw_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", terminal("ascii"))
    assert can_draw("■") is False
