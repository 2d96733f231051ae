"""What contracts say, made safe to look at: characters that do not show, or that turn a line round, are named in its place."""

import re
from unicodedata import category

_NAMED = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_LEFT = "\n\t\u200c\u200d"
_MAYBE = re.compile(r"[^\x20-\x7e\u00a1-\u00ac\u00ae-\u05ff\u3041-\ud7ff]")


def shown(text: str) -> str:
    """The text with every control, direction, format and unpaired character as `⟨U+202E⟩`; line ends stay, and joiners of letters."""
    return _MAYBE.sub(_as_shown, text.replace("\r\n", "\n"))


def hides_something(text: str) -> bool:
    """True for a text that cannot be copied from a page as it is, since some of it would not show."""
    return shown(text) != text


def _as_shown(found: re.Match[str]) -> str:
    letter = found[0]
    if letter in _LEFT or category(letter) not in _NAMED:
        return letter
    return f"⟨U+{ord(letter):04X}⟩"
