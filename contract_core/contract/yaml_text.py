"""One value → the YAML text that reads back as just that value, with quotes only where YAML needs them.

A text is tried as it is and read again; only what comes back changed is quoted. Knows nothing about contracts.
"""

import re
import textwrap
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Context, Decimal

import yaml

from contract_core.contract.scalars import DURATION_UNITS
from contract_core.contract.yaml_document import MAX_DIGITS

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT_TAG = "tag:yaml.org,2002:str"
_UNITS = {unit: int(timedelta(**{word: 1}).total_seconds()) for unit, word in DURATION_UNITS.items()}
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9][0-9A-Za-z_.:+-]*")
_READ_DIFFERENTLY = frozenset({"y", "n", "Y", "N", "="})
_UNPRINTABLE = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_FOLD_FROM = 100
_EXACT = Context(prec=2 * MAX_DIGITS)


def text_in_braces(text: str) -> str:
    """The text as it stands between braces or brackets."""
    return next(written for written in _spellings(text) if _reads_back(f"[{written}]", text))


def text_after_key(text: str) -> str:
    """The text as it stands after a key, on one line."""
    return next(written for written in _spellings(text) if _reads_back(f"- {written}\n", text))


def text_on_lines(text: str, indent: str, width: int) -> str | None:
    """A long text over several lines, or one that has lines of its own; None where it is short, or does not come back the same."""
    if "\n" not in text and len(text) < _FOLD_FROM:
        return None
    if _UNPRINTABLE.search(text.replace("\n", "")):
        return None
    head, body = _on_lines(text, width - len(indent))
    again = "".join(f"  {line}\n" if line else "\n" for line in body)
    if not _reads_back(f"- {head}\n{again}", text):
        return None
    return head + "".join(f"\n{indent}{line}" if line else "\n" for line in body)


def number_text(number: int | Decimal) -> str:
    """The number with every digit that it has."""
    if isinstance(number, int):
        return str(number) if abs(number) < 10**MAX_DIGITS else number_text(Decimal(number).normalize(_EXACT))
    plain = f"{number:f}"
    if "." in plain and len(plain) <= MAX_DIGITS:
        return plain
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int), "YAML gives no number that is none"
    shifted = "".join(map(str, digits))
    return f"{'-' if sign else ''}{shifted}.e{exponent:+d}"


def share_text(share: Decimal) -> str:
    """A share as a percentage in quotes, or as the number that it was where no percentage gives just that."""
    fraction = -int(share.as_tuple().exponent)
    for places in range(max(0, fraction - 2), fraction + 1):
        written = f"{share.scaleb(2):.{places}f}"
        read = Decimal(written) / 100
        if len(written.partition(".")[0]) <= 6 and read.as_tuple() == share.as_tuple():
            return f'"{written}%"'
    return number_text(share)


def duration_text(duration: timedelta) -> str:
    """A span of time in the largest unit that it is a whole number of; weeks only where there are too many days."""
    seconds = int(duration.total_seconds())
    for unit in "dhmw" if seconds else "":
        if seconds % _UNITS[unit] == 0 and seconds // _UNITS[unit] < 10**6:
            return f"{seconds // _UNITS[unit]}{unit}"
    return f"{seconds}s"


def moment_text(moment: date | datetime) -> str:
    """A day or a point in time, as YAML reads it without quotes."""
    return moment.isoformat()


def comment_lines(note: str) -> Iterator[str]:
    """A note as lines that cannot end a comment before its end."""
    for line in note.splitlines() or [""]:
        yield f"# {_UNPRINTABLE.sub(lambda found: _escaped(found[0]), line)}".rstrip()


def _spellings(text: str) -> Iterator[str]:
    """The ways to write a text, from the plainest on; the last one can write any."""
    is_printable = not _UNPRINTABLE.search(text)
    is_telling = text not in _READ_DIFFERENTLY and not _NUMBER_LIKE.fullmatch(text)
    if is_printable and is_telling and any(map(str.isalnum, text)):
        yield text
    if is_printable and ('"' in text or "\\" in text):
        yield "'" + text.replace("'", "''") + "'"
    yield '"' + _UNPRINTABLE.sub(lambda found: _escaped(found[0]), re.sub(r'(["\\])', r"\\\1", text)) + '"'


def _escaped(character: str) -> str:
    named = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\0": r"\0", "\u2028": r"\L", "\u2029": r"\P"}
    code = ord(character)
    return named.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _reads_back(document: str, text: str) -> bool:
    """True where YAML reads the one item of a list, or of a list in it, as this very text."""
    try:
        node = yaml.compose(document, Loader=_LOADER)
    except yaml.YAMLError:
        return False
    while isinstance(node, yaml.SequenceNode) and len(node.value) == 1:
        (node,) = node.value
    return isinstance(node, yaml.ScalarNode) and node.tag == _TEXT_TAG and node.value == text


def _on_lines(text: str, width: int) -> tuple[str, list[str]]:
    if "\n" in text:
        return ("|", text[:-1].split("\n")) if text.endswith("\n") else ("|-", text.split("\n"))
    return ">-", textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
