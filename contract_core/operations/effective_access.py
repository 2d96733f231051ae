"""Who can in effect read and change the places of an environment: by ownership, by mode and access list, and by the folders above.

The superuser is left out: it can do everything. Told are folders; a file in one may be granted to fewer. Accounts that this machine
knows only when they are asked for by name, as from a directory service, are among `everyone` or behind the name of their group.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from os.path import realpath
from pathlib import Path
from stat import S_ISVTX, filemode

from contract_core.environment import Environment
from contract_core.operations.accounts import STRANGER, Account, Accounts
from contract_core.operations.folder_rights import CHANGE, ENTER, READ, Rights, rights_of

PLACES = ("contracts", "landing", "candidates", "published", "quarantine", "ledger", "registry")


class Right(StrEnum):
    """What somebody can do to a folder: see what is in it, or put, replace and remove things in it."""

    READ = "read"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Grant:
    """Who has a right and why: `who` are accounts, or `everyone` alone, `but` for some; `through` is the folder that gives it."""

    right: Right
    who: tuple[str, ...]
    how: str
    through: Path
    but: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderAccess:
    """One folder: whose it is, and who can do what to it. `place` says of which place of the environment it is, or is in.

    `is_listed` is False where we ourselves cannot see what is in it, so that nothing is told of the folders there.
    """

    place: str
    path: Path
    owner: str
    group: str
    mode: str
    has_access_list: bool
    grants: tuple[Grant, ...]
    is_listed: bool

    def who(self, right: Right) -> tuple[str, ...]:
        """All who have the right, `everyone` alone where that is so."""
        named = {name for grant in self.grants if grant.right is right for name in grant.who}
        return (EVERYONE,) if EVERYONE in named else tuple(sorted(named))

    def but(self, right: Right) -> tuple[str, ...]:
        """Where everyone has the right, those who have it not: owners and members whose own rights are fewer."""
        given = [grant for grant in self.grants if grant.right is right]
        without = [{*grant.but} for grant in given if grant.who == (EVERYONE,)]
        return (
            tuple(sorted(set.intersection(*without) - {name for grant in given for name in grant.who}))
            if without
            else ()
        )


EVERYONE = "everyone"


def effective_access(environment: Environment, accounts: Accounts) -> tuple[FolderAccess, ...]:
    """Every place that is there, and of the folders in it those that somebody else can read or change."""
    return tuple(item for name in PLACES for item in _place(name, getattr(environment, name), accounts))


def _place(name: str, place: Path, accounts: Accounts) -> Iterator[FolderAccess]:
    if not place.is_dir():
        return
    outer = _folder(name, place, accounts)
    yield outer
    if not outer.is_listed:
        return
    for path in sorted(path for path in place.iterdir() if path.is_dir()):
        inner = _folder(name, path, accounts)
        if any(inner.who(right) != outer.who(right) for right in Right):
            yield inner


def _folder(name: str, path: Path, accounts: Accounts) -> FolderAccess:
    rights = rights_of(path)
    grants = {grant for grant in _grants(path, rights, accounts) if grant.who}
    return FolderAccess(
        name,
        path,
        accounts.user(rights.owner),
        accounts.group(rights.group),
        filemode(rights.mode),
        rights.has_access_list,
        tuple(sorted(grants, key=lambda grant: (grant.right, str(grant.through), grant.how))),
        os.access(path, os.R_OK | os.X_OK),
    )


def _grants(path: Path, rights: Rights, accounts: Accounts) -> Iterator[Grant]:
    real, given = Path(realpath(path)), Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links
    above, everybody = (
        {folder: rights_of(folder) for folder in (*real.parents, *given.parents)},
        accounts.and_a_stranger,
    )
    for right, bits in ((Right.READ, READ | ENTER), (Right.CHANGE, CHANGE | ENTER)):
        allowed = [each for each in everybody if rights.allows(each, bits) and _reaches(each, real, above)]
        who, but = _granted(allowed, accounts)
        yield Grant(right, who, "by its mode or access list", path, but)
        for folder, it in {**above, path: rights}.items():
            owning = tuple(sorted(each.name for each in accounts.known if each.number == it.owner))
            yield Grant(right, owning, "owns it" if folder == path else "owns the folder above", folder)
    for folder, below in {(below.parent, below) for chain in (real, given) for below in (chain, *chain.parents[:-1])}:
        it, owner = above[folder], below.lstat().st_uid
        replacing = [each for each in everybody if _may_replace(each, it, owner) and _reaches(each, folder, above)]
        who, but = _granted(replacing, accounts)
        yield Grant(Right.CHANGE, who, "can put another folder in its place", folder, but)


def _reaches(account: Account, folder: Path, above: Mapping[Path, Rights]) -> bool:
    return all(above[each].allows(account, ENTER) for each in folder.parents)


def _may_replace(account: Account, above: Rights, owner: int) -> bool:
    """In a folder with the sticky bit only its owner may, and the owner of what is replaced."""
    if not above.allows(account, CHANGE | ENTER):
        return False
    return not above.mode & S_ISVTX or account.number in (above.owner, owner)


def _granted(allowed: list[Account], accounts: Accounts) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who has a right, and who has not though everyone else does."""
    names = tuple(sorted(account.name for account in allowed if account is not STRANGER))
    if STRANGER not in allowed:
        return names, ()
    return (EVERYONE,), tuple(sorted(account.name for account in accounts.known if account not in allowed))
