"""What a folder grants to whom, as Linux decides it: owner, access list, groups, the rest, in that order.

The order and the mask are those of acl(5); the attribute that holds a list is laid out as in the kernel's posix_acl_xattr.h.
"""

import os
import struct
from dataclasses import dataclass, field
from pathlib import Path

from contract_core.operations.accounts import Account

READ, CHANGE, ENTER = 4, 2, 1
_ATTRIBUTE, _VERSION = "system.posix_acl_access", 2
_HEAD, _ENTRY = struct.Struct("<I"), struct.Struct("<HHI")
_USER, _OWN_GROUP, _GROUP, _MASK = 0x02, 0x04, 0x08, 0x10
_EVERYTHING = READ | CHANGE | ENTER


@dataclass(frozen=True, slots=True)
class Rights:
    """Owner, group and mode of a folder, and what its access list grants to users and groups by number."""

    owner: int
    group: int
    mode: int
    users: dict[int, int] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)
    of_own_group: int | None = None
    mask: int = _EVERYTHING

    @property
    def has_access_list(self) -> bool:
        """True where more is granted, or less, than the mode shows."""
        return bool(self.users or self.groups)

    def allows(self, account: Account, wanted: int) -> bool:
        """True where the account has all of the rights at once."""
        if account.number == self.owner:
            return self.mode >> 6 & wanted == wanted
        if account.number in self.users:
            return self.users[account.number] & self.mask & wanted == wanted
        own = self.mode >> 3 & _EVERYTHING if self.of_own_group is None else self.of_own_group
        granted = [bits for number, bits in ((self.group, own), *self.groups.items()) if number in account.groups]
        if granted:
            return any(bits & self.mask & wanted == wanted for bits in granted)
        return self.mode & wanted == wanted


def rights_of(folder: Path) -> Rights:
    """What a folder grants, its access list included where the file system has one."""
    status = folder.stat()
    entries = list(_entries(folder))
    single = {tag: bits for tag, bits, _ in entries}
    return Rights(
        status.st_uid,
        status.st_gid,
        status.st_mode,
        {number: bits for tag, bits, number in entries if tag == _USER},
        {number: bits for tag, bits, number in entries if tag == _GROUP},
        single.get(_OWN_GROUP),
        single.get(_MASK, _EVERYTHING),
    )


def _entries(folder: Path) -> list[tuple[int, int, int]]:
    try:
        content = os.getxattr(folder, _ATTRIBUTE)
    except (OSError, AttributeError):  # no list, a file system without lists, or a system without such attributes
        return []
    if len(content) < _HEAD.size or _HEAD.unpack_from(content)[0] != _VERSION:
        return []
    whole = (len(content) - _HEAD.size) // _ENTRY.size * _ENTRY.size
    return list(_ENTRY.iter_unpack(content[_HEAD.size : _HEAD.size + whole]))
