"""Which version a set of changes asks for, and whether a version is enough. Before 1.0.0 the minor number plays the major's part."""

from contract_core.diff.kinds import Class

Version = tuple[int, int, int]


def version_of(text: str) -> Version:
    """The three numbers of a contract's version."""
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


def required_version(before: str, heaviest: Class | None) -> str:
    """The lowest version that changes of this class ask for; the same one where nothing changed."""
    major, minor, patch = version_of(before)
    if heaviest is None:
        return before
    is_breaking = heaviest in (Class.BREAKING, Class.REFUSED)
    if major == 0:
        return f"0.{minor + 1}.0" if is_breaking else f"0.{minor}.{patch + 1}"
    table = {Class.COMPATIBLE: (major, minor + 1, 0), Class.PATCH: (major, minor, patch + 1)}
    return ".".join(map(str, (major + 1, 0, 0) if is_breaking else table[heaviest]))


def is_new_major(before: str, after: str) -> bool:
    """True where the newer version may break what the older one promised."""
    old, new = version_of(before), version_of(after)
    return new[:2] > old[:2] if old[0] == new[0] == 0 else new[0] > old[0]


def major_of(version: str) -> str:
    """What stays the same while nothing breaks: `1`, or `0.3` before 1.0.0."""
    major, minor, _ = version_of(version)
    return str(major) if major else f"0.{minor}"
