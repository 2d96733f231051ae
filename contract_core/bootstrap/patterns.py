"""A regular expression that is searched for in a value → one that matches the whole value, as a contract's pattern does."""

import re

_ANY = "(?s:.*)"
_CLASSES = re.compile(r"\\[dwsbDWSB]")


def whole_pattern(pattern: str) -> str:
    """A pattern that matches a whole value just where the given one finds a match somewhere in it."""
    if "|" in pattern or pattern.endswith(r"\$"):
        return f"{_ANY}(?:{pattern}){_ANY}"
    start = "" if pattern.startswith("^") else _ANY
    end = "" if pattern.endswith("$") else _ANY
    return f"{start}{pattern.removeprefix('^').removesuffix('$')}{end}"


def is_wider(pattern: str) -> bool:
    r"""True where `\d`, `\w`, `\s` or `\b` stand in it, which mean ASCII alone in ECMA-262, and every script in a contract."""
    return _CLASSES.search(pattern) is not None
