"""How many of something there are, in words."""

from collections.abc import Mapping

_PLURALS: Mapping[str, str] = {"breach": "breaches", "recovery": "recoveries"}


def many(count: int, word: str) -> str:
    """A number and what it counts."""
    return f"{count:,} {plural(count, word)}"


def plural(count: int, word: str) -> str:
    """The word as it stands behind a number."""
    return word if count == 1 else _PLURALS.get(word, f"{word}s")
