"""Texts that say what a value or a row means: stated for the first time, said in another way, or only laid out anew."""

from contract_core.diff.kinds import ChangeKind


def meaning_kind(old: str | None, new: str | None, kinds: tuple[ChangeKind, ChangeKind]) -> ChangeKind:
    """Which change it is: the first kind where nothing was said before, the second where something else is; words, if neither."""
    stated, changed = kinds
    if old is None:
        return stated
    return ChangeKind.WORDS_EDITED if new is not None and _flat(old) == _flat(new) else changed


def reworded(old: str | None, new: str | None) -> str:
    """Both texts, each in one line."""
    if old is None:
        return "is stated"
    if new is not None and _flat(old) == _flat(new):
        return "is laid out in another way"
    return f"from '{_flat(old)}' to '{_flat(new or 'none')}'"


def _flat(text: str) -> str:
    return " ".join(text.split())
