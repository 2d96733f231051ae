r"""Regular expressions in Rust syntax → the same ones in ECMA-262, where both mean the same signs; all else is refused.

What is written here is read alike with and without the flag for Unicode. `.` and `\s` stand for other signs in either
language and are spelled out; classes that need tables of Unicode, flags, borders of words and named groups are refused.
"""

import re
from collections.abc import Iterator

from contract_core.exports.white_space import WHITE_SPACE

_SYNTAX = frozenset("\\^$.*+?()[]{}|/")
_CONTROLS = {"t": "\\t", "n": "\\n", "r": "\\r", "f": "\\f", "v": "\\v"}
_REPEATED = re.compile(r"[*+?]|\{[0-9]+(?:,[0-9]*)?\}")
_HEX = re.compile(r"\\x([0-9A-Fa-f]{2})")
_LAST_OF_THE_BASIC_PLANE = "\uffff"


class NotPortable(Exception):  # noqa: N818 - no error of ours: it becomes the reason that an export gives
    """Says in plain words why a pattern has no counterpart."""


def portable_pattern(pattern: str) -> str:
    """The pattern in ECMA-262, anchored so that it matches a whole value. Raises NotPortable."""
    return f"^(?:{''.join(_pieces(pattern))})$"


def set_of(signs: str, *, is_negated: bool = False) -> str:
    """A class of just these signs, or of all others."""
    return f"[{'^' if is_negated else ''}{''.join(map(_in_set, signs))}]"


def _pieces(pattern: str) -> Iterator[str]:
    place, is_repeatable = 0, False
    while place < len(pattern):
        piece, length, kind = _next(pattern, place)
        if kind == "repeat":
            if not is_repeatable:
                raise NotPortable("its pattern repeats what cannot be repeated in every language")
            length += (
                pattern[place + length : place + length + 1] == "?"
            )  # how much it takes does not tell in a whole match
        is_repeatable = kind == "atom"
        place += length
        yield piece


def _next(pattern: str, place: int) -> tuple[str, int, str]:
    """The next piece, how many signs of the pattern it stands for, and its kind: atom, repeat or other."""
    sign = pattern[place]
    if repeated := _REPEATED.match(pattern, place):
        return repeated[0], len(repeated[0]), "repeat"
    match sign:
        case "\\":
            return _escaped(pattern, place)
        case "[":
            return _class(pattern, place)
        case "(":
            return _opening(pattern, place)
        case ")":
            return ")", 1, "atom"
        case "|" | "^" | "$":
            return sign, 1, "other"
        case _:
            return _plain(sign), 1, "atom"


def _plain(sign: str) -> str:
    if sign == "{":
        raise NotPortable("its pattern has a brace that is no repetition")
    return "[^\\n]" if sign == "." else _literal(sign)


def _opening(pattern: str, place: int) -> tuple[str, int, str]:
    if pattern.startswith("(?:", place):
        return "(?:", 3, "other"
    if pattern.startswith("(?", place):
        raise NotPortable("its pattern has flags or a named group")
    return "(?:", 1, "other"


def _escaped(pattern: str, place: int) -> tuple[str, int, str]:
    sign = pattern[place + 1]
    if sign in "Az":
        return {"A": "^", "z": "$"}[sign], 2, "other"
    if sign in "sS":
        return set_of(WHITE_SPACE["unicode"], is_negated=sign == "S"), 2, "atom"
    written, length = _sign(pattern, place)
    return _CONTROLS.get(sign) or _literal(written), length, "atom"


def _sign(pattern: str, place: int) -> tuple[str, int]:
    """The one sign that an escape stands for, and the length of the escape."""
    sign = pattern[place + 1]
    if hexadecimal := _HEX.match(pattern, place):
        return chr(int(hexadecimal[1], 16)), 4
    if sign in _CONTROLS:
        return {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}[sign], 2
    if sign.isalnum() or not sign.isascii():
        raise NotPortable(f"its pattern uses \\{sign}, which other languages read otherwise")
    return sign, 2


def _class(pattern: str, place: int) -> tuple[str, int, str]:
    """A class without others inside, whose signs and ranges are the same everywhere."""
    start, written = place, ["["]
    place += 1
    if pattern[place] == "^":
        written.append("^")
        place += 1
    first = place
    while pattern[place] != "]" or place == first:
        if pattern[place] in "[]" or pattern[place : place + 2] in ("&&", "--", "~~"):
            raise NotPortable("its pattern has a class inside a class, or a bracket in one")
        piece, length = _member(pattern, place, is_edge=place == first or pattern[place + 1] == "]")
        written.append(piece)
        place += length
    return "".join([*written, "]"]), place + 1 - start, "atom"


def _member(pattern: str, place: int, *, is_edge: bool) -> tuple[str, int]:
    sign = pattern[place]
    if sign == "-":
        return ("\\-" if is_edge else "-"), 1
    if sign != "\\":
        return _in_set(sign), 1
    if pattern[place + 1] == "s":
        return "".join(map(_in_set, WHITE_SPACE["unicode"])), 2
    if pattern[place + 1] == "S":
        raise NotPortable("its pattern uses \\S inside a class")
    written, length = _sign(pattern, place)
    return _in_set(written), length


def _literal(sign: str) -> str:
    _refuse_astral(sign)
    return f"\\{sign}" if sign in _SYNTAX else sign


def _in_set(sign: str) -> str:
    _refuse_astral(sign)
    return f"\\{sign}" if sign in "\\]^-[" else sign


def _refuse_astral(sign: str) -> None:
    if sign > _LAST_OF_THE_BASIC_PLANE:
        raise NotPortable("its pattern has a sign that some languages take for two")
