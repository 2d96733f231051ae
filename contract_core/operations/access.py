"""Who can read and change the places of an environment, told from the rights on its folders. Changes nothing.

Names mean nothing here: a folder called `staging` is as open as its mode says. Looked at are mode and group of the folders
themselves and of the folders in them: no access list, no membership, and nothing above them.
"""

import grp
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from shlex import quote

from contract_core.environment import Environment

_AS_DELIVERED = "deliveries as they came"
_RESTRICTED = {
    "candidates": _AS_DELIVERED,
    "quarantine": "rows that broke their contract",
}
_READ, _CHANGE, _ENTER = 4, 2, 1


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """A folder whose rights are not those that its use asks for: which, what is wrong, and what to do."""

    path: Path
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}\n    {self.hint}"


@dataclass(frozen=True, slots=True)
class _Folder:
    """What a folder grants beyond its owner: to everyone, and to its own group."""

    path: Path
    everyone: int
    group: int
    group_number: int
    is_inner: bool

    def rights_of(self, readers: int) -> int:
        """The system looks at the group's rights for its members, at everyone's for the rest."""
        return self.group if self.group_number == readers else self.everyone


def open_places(environment: Environment) -> tuple[OpenPlace, ...]:
    """Folders that more people can read or change than should, and published folders that their readers cannot read.

    Candidates and quarantine are the gate's alone, and landing is not the readers'. Where no readers are named, any group may
    be theirs, and landing is only held against everyone's right to change it. The ledger holds no row, so that it may be read.
    """
    readers = _number_of(environment.readers)
    found = list(_inside_published(environment))
    for name, use in _RESTRICTED.items():
        found += _open(getattr(environment, name), use, readers)
    if environment.readers is None:
        found += _changeable(environment.landing)
    else:
        found += _open(environment.landing, _AS_DELIVERED, readers)
        found += _closed(environment.published, environment.readers, readers)
    return (*found, *_changeable(environment.published), *_changeable(environment.ledger))


def _inside_published(environment: Environment) -> Iterator[OpenPlace]:
    published = Path(realpath(environment.published))
    for name in ("landing", "ledger", *_RESTRICTED):
        place = getattr(environment, name)
        if Path(realpath(place)).is_relative_to(published):
            what = f"the place of {name} lies inside the published folder, which consumers read"
            yield OpenPlace(place, what, "move it out, and name the new place in the environment")


def _open(place: Path, use: str, readers: int | None) -> Iterator[OpenPlace]:
    """The folder where others can list or change it, and each folder in it where they can do anything."""
    for folder in _folders(place):
        asked = _READ | _CHANGE | (_ENTER if folder.is_inner else 0)
        is_group_meant = readers is None or readers == folder.group_number
        granted = {"o": folder.everyone & asked, "g": folder.group & asked if is_group_meant else 0}
        classes = "".join(letter for letter in "go" if granted[letter])
        if classes:
            whom = {"o": "everyone", "g": f"group '{_name_of(folder.group_number)}'"}
            told = {_verb(granted[letter]): whom[letter] for letter in classes}
            what = f"can be {' and '.join(f'{verb} by {who}' for verb, who in told.items())}; in it: {use}"
            yield OpenPlace(folder.path, what, f"chmod {classes}-rwx {quote(str(folder.path))}")


def _verb(rights: int) -> str:
    return "changed" if rights & _CHANGE else "read"


def _changeable(place: Path) -> Iterator[OpenPlace]:
    for folder in _folders(place):
        if folder.everyone & _CHANGE:
            what = "can be changed by everyone"
            yield OpenPlace(folder.path, what, f"chmod o-w {quote(str(folder.path))}")


def _closed(place: Path, name: str, readers: int | None) -> Iterator[OpenPlace]:
    """Folders that the readers cannot read, or can change."""
    if readers is None:
        what = f"is read by group '{name}', which this machine does not know"
        yield OpenPlace(place, what, "correct identities: readers")
        return
    for folder in _folders(place):
        granted, path = folder.rights_of(readers), quote(str(folder.path))
        if granted & (_READ | _ENTER) != _READ | _ENTER:
            hint = f"chgrp {quote(name)} {path} && chmod g+rx {path}"
            yield OpenPlace(folder.path, f"cannot be read by its readers, group '{name}'", hint)
        if folder.group_number == readers and granted & _CHANGE:
            yield OpenPlace(folder.path, f"can be changed by its readers, group '{name}'", f"chmod g-w {path}")


def _folders(place: Path) -> Iterator[_Folder]:
    """The place and, where others may enter it, the folders in it; nothing where it is not there."""
    if not place.is_dir():
        return
    outer = _folder(place, is_inner=False)
    yield outer
    if (outer.everyone | outer.group) & _ENTER:
        yield from (_folder(path, is_inner=True) for path in sorted(place.iterdir()) if path.is_dir())


def _folder(path: Path, *, is_inner: bool) -> _Folder:
    status = path.stat()
    return _Folder(path, status.st_mode & 7, status.st_mode >> 3 & 7, status.st_gid, is_inner)


def _number_of(group: str | None) -> int | None:
    """The number of a group; None where none is named or the machine does not know it."""
    try:
        return None if group is None else grp.getgrnam(group).gr_gid
    except KeyError:
        return None


def _name_of(group: int) -> str:
    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)
