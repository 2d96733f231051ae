"""The accounts and groups that this machine lists, the superuser left out."""

import grp
import pwd
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class Account:
    """A user by name, number, and the numbers of all groups that he is in."""

    name: str
    number: int
    groups: frozenset[int] = frozenset()


STRANGER = Account("", -1)
"""Somebody who owns nothing and is in no group: what he may do, everyone may."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """All accounts, and the names of groups by their numbers."""

    known: tuple[Account, ...]
    groups: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of_this_machine(cls) -> Self:
        """Those that the system lists."""
        groups = grp.getgrall()
        members = {entry.gr_gid: {*entry.gr_mem} for entry in groups}
        known = tuple(
            Account(
                entry.pw_name,
                entry.pw_uid,
                frozenset({entry.pw_gid, *(number for number, names in members.items() if entry.pw_name in names)}),
            )
            for entry in pwd.getpwall()
            if entry.pw_uid != 0
        )
        return cls(known, {entry.gr_gid: entry.gr_name for entry in groups})

    @property
    def and_a_stranger(self) -> tuple[Account, ...]:
        """All of them, and somebody of whom nothing is known."""
        return (*self.known, STRANGER)

    def user(self, number: int) -> str:
        """The name of a user, or his number where nobody has it."""
        if number == 0:
            return "root"
        return next((account.name for account in self.known if account.number == number), str(number))

    def group(self, number: int) -> str:
        """The name of a group, or its number."""
        return self.groups.get(number, str(number))
