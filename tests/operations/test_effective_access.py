"""Who can in effect read and change a place: told as the system itself decides, folders above and access lists included."""

import json
import os
import random
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_core.environment import Environment
from contract_core.operations.accounts import Account, Accounts
from contract_core.operations.effective_access import EVERYONE, FolderAccess, Right, effective_access
from tests.commands import Run

ME, MY_GROUP = os.getuid(), os.getgid()
ANA = Account("ana", 40_001, frozenset({40_100}))
BOB = Account("bob", 40_002, frozenset({40_100, 40_200}))
COLLEAGUE = Account("colleague", 40_003, frozenset({MY_GROUP}))
PEOPLE = Accounts((ANA, BOB, COLLEAGUE), {40_100: "analysts", MY_GROUP: "gate"})
AS_ROOT = pytest.mark.skipif(ME != 0, reason="only the superuser can ask the system what others may do")


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that others can reach, unlike those that pytest makes."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    yield root
    shutil.rmtree(root)


def made(folder: Path, mode: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(mode)
    return folder


def access(root: Path, accounts: Accounts = PEOPLE) -> dict[str, FolderAccess]:
    return {item.path.relative_to(root).as_posix(): item for item in effective_access(Environment.at(root), accounts)}


def who(item: FolderAccess) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return item.who(Right.READ), item.who(Right.CHANGE)


def test_a_place_is_read_and_changed_by_those_whom_its_mode_names(root: Path) -> None:
    """[S1-097]"""
    made(root / "published", 0o755)
    made(root / "candidates", 0o750)
    made(root / "ledger", 0o770)
    made(root / "quarantine", 0o700)
    assert {name: who(item) for name, item in access(root).items()} == {
        "published": ((EVERYONE,), ()),
        "candidates": (("colleague",), ()),
        "ledger": (("colleague",), ("colleague",)),
        "quarantine": ((), ()),
    }


def test_what_a_folder_above_grants_is_inherited(root: Path) -> None:
    """[S1-097] Whoever may change the folder above can put another one in the place of what he may not even read."""
    made(root / "quarantine", 0o700)
    root.chmod(0o775)
    found = access(root)["quarantine"]
    assert who(found) == ((), ("colleague",))
    assert [(grant.how, grant.through) for grant in found.grants if grant.who == ("colleague",)] == [
        ("can put another folder in its place", root)
    ]


def test_in_a_folder_with_the_sticky_bit_nobody_replaces_what_is_another_s(root: Path) -> None:
    made(root / "quarantine", 0o700)
    root.chmod(0o1777)
    assert who(access(root)["quarantine"]) == ((), ())


def test_what_cannot_be_reached_is_not_read_whatever_its_own_mode_says(root: Path) -> None:
    """[S1-097]"""
    made(root / "published", 0o777)
    root.chmod(0o700)
    assert who(access(root)["published"]) == ((), ())


def test_an_owner_can_grant_himself_whatever_the_mode_withholds(root: Path) -> None:
    """[S1-097] Ownership, of the folder or of one above it."""
    made(root / "quarantine", 0o000)
    owner = Accounts((Account("gate", ME, frozenset({MY_GROUP})),))
    found = access(root, owner)["quarantine"]
    assert who(found) == (("gate",), ("gate",))
    assert {grant.how for grant in found.grants} >= {"owns it", "owns the folder above"}


def test_a_link_can_be_led_elsewhere_by_those_who_may_change_the_folder_that_it_is_in(root: Path) -> None:
    made(root / "elsewhere" / "kept", 0o700)
    made(root / "elsewhere", 0o755)
    made(root / "links", 0o775)
    (root / "links" / "quarantine").symlink_to(root / "elsewhere" / "kept")
    (item,) = effective_access(Environment.at(root / "links"), PEOPLE)
    assert who(item) == ((), ("colleague",))


def test_folders_in_a_place_are_told_where_others_can_do_more_or_less(root: Path) -> None:
    made(root / "published" / "orders", 0o755)
    made(root / "published" / "pay", 0o750)
    made(root / "published", 0o755)
    assert {name: who(item) for name, item in access(root).items()} == {
        "published": ((EVERYONE,), ()),
        "published/pay": (("colleague",), ()),
    }


def test_a_folder_that_we_cannot_list_is_told_and_what_is_in_it_is_not(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(root / "quarantine" / "orders", 0o755)
    made(root / "quarantine", 0o700)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert {name: item.is_listed for name, item in access(root).items()} == {"quarantine": False}


def listed(folder: Path, *entries: tuple[int, int, int]) -> None:
    """Give a folder an access list of (tag, rights, number); the numbers are those of Linux's posix_acl_xattr.h."""
    whole = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in sorted(entries))
    try:
        os.setxattr(folder, "system.posix_acl_access", whole)
    except OSError:
        pytest.skip("the file system has no access lists")


OWNER, USER, OWN_GROUP, GROUP, MASK, OTHER, NOBODY = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0xFFFFFFFF


def test_an_access_list_grants_beside_the_mode_and_no_more_than_its_mask(root: Path) -> None:
    """[S1-097]"""
    candidates = made(root / "candidates", 0o700)
    listed(
        candidates, (OWNER, 7, NOBODY), (USER, 7, ANA.number), (OWN_GROUP, 0, NOBODY), (GROUP, 5, 40_200),
        (MASK, 5, NOBODY), (OTHER, 0, NOBODY),
    )  # fmt: skip
    found = access(root)["candidates"]
    assert who(found) == (("ana", "bob"), ())
    assert found.has_access_list


def test_a_member_whose_group_may_less_than_everyone_is_told(root: Path) -> None:
    made(root / "published", 0o705)
    (item,) = access(root).values()
    assert (item.who(Right.READ), item.but(Right.READ)) == ((EVERYONE,), ("colleague",))


ASKING = """\
for path; do
  test -r "$path" -a -x "$path" && echo yes || echo no
  test -w "$path" -a -x "$path" && echo yes || echo no
done
"""


def may(item: FolderAccess, right: Right, account: Account) -> bool:
    """What its mode and list and the folders above say, ownership aside, by which one only could."""
    (grant,) = [grant for grant in item.grants if grant.right is right and "mode" in grant.how] or (None,)
    return grant is not None and (
        account.name in grant.who or (grant.who == (EVERYONE,) and account.name not in grant.but)
    )


@AS_ROOT
def test_the_answer_is_that_of_the_system(root: Path) -> None:
    """[S1-097] For folders of every owner, group, mode and list, below folders of every kind."""
    dice, folders = random.Random(7), []
    for number in range(80):
        above = made(root / f"r{number}", 0o755)
        folder = made(above / "published", 0o700)
        for each in (above, folder):
            os.chown(each, dice.choice([0, ANA.number, BOB.number]), dice.choice([0, 40_100, 40_200]))
            each.chmod(dice.choice([0o777, 0o755, 0o750, 0o770, 0o705, 0o070, 0o007, 0o711, 0o500]))
            if dice.random() < 0.5:
                listed(
                    each, (OWNER, dice.choice([7, 5, 0]), NOBODY), (USER, dice.choice([7, 5, 0]), ANA.number),
                    (OWN_GROUP, dice.choice([7, 5, 0]), NOBODY), (GROUP, dice.choice([7, 5, 1]), 40_200),
                    (MASK, dice.choice([7, 5, 2]), NOBODY), (OTHER, dice.choice([7, 5, 1, 0]), NOBODY),
                )  # fmt: skip
        folders.append(folder)
    for account in (ANA, BOB, Account("none", 40_009)):
        asked = subprocess.run(
            ["/bin/sh", "-c", ASKING, "sh", *map(str, folders)],
            user=account.number, group=min(account.groups, default=40_999), extra_groups=[*account.groups],
            cwd="/", capture_output=True, text=True, check=True,
        )  # fmt: skip
        told = []
        for folder in folders:
            (item,) = effective_access(Environment.at(folder.parent), Accounts((account,)))
            told += [may(item, right, account) for right in Right]
        assert told == [line == "yes" for line in asked.stdout.split()], account.name
        assert {*told} == {True, False}


def test_the_command_tells_it_as_text_and_as_a_document(run: Run) -> None:
    """[S1-097]"""
    made(Path("data/published"), 0o755)
    code, said, _ = run("access")
    assert code == 0
    assert said.startswith("published  data/published  drwxr-xr-x of ")
    assert "the superuser can do all of it" in said
    (place,) = json.loads(run("access", "--json")[1])["places"]
    assert {"place", "path", "owner", "group", "mode", "access_list", "listed", "read", "change", "why"} == set(place)
    assert place["mode"] == "drwxr-xr-x"
