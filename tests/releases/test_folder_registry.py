"""The registry as a folder: what lies there, and how every edit, link and loss is told."""

import json
import os
import shutil
from pathlib import Path

import pytest

from contract_core.errors import ContractAlteredError, ContractCoreError
from contract_core.releases import folder_registry, plain_files
from contract_core.releases.folder_registry import FolderRegistry
from contract_core.releases.sealed import record_bytes, text_digest
from tests.publication.test_refused_writes import no_byte_can_be_written
from tests.releases.samples import BREAKING, registry_of, release

FIRST, SECOND = release("1.0.0"), release("1.1.0", "2026-10-02", replaces="1.0.0", changes=(BREAKING,))
NEVER = "released versions never change"


@pytest.fixture
def registry(tmp_path) -> FolderRegistry:
    found = registry_of("folder", tmp_path / "registry", FIRST, SECOND)
    assert isinstance(found, FolderRegistry)
    return found


def file(registry: FolderRegistry, name: str) -> Path:
    return registry.root / "orders" / name


def rewritten(path: Path, content: bytes | str) -> None:
    path.chmod(0o644)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def told(registry: FolderRegistry) -> list[tuple[str, str]]:
    """What reading says was altered, which is what `problems` says too; the places are shown by their file's name."""
    with pytest.raises(ContractAlteredError) as altered:
        registry.releases("orders")
    assert altered.value.problems == registry.problems()
    return [(problem.what, problem.hint.replace(f"{registry.root}/orders/", "")) for problem in altered.value.problems]


def test_text_record_and_changelog_lie_side_by_side(registry):
    """[S4-017, S4-020]"""
    assert sorted(path.name for path in (registry.root / "orders").iterdir()) == [
        "1.0.0.json",
        "1.0.0.yaml",
        "1.1.0.json",
        "1.1.0.yaml",
        "CHANGELOG.md",
    ]
    assert file(registry, "1.0.0.yaml").read_bytes() == FIRST.text.encode()
    record = json.loads(file(registry, "1.1.0.json").read_text("utf-8"))
    assert (record["digest"], record["released_at"], record["changes"], record["replaces"]) == (
        SECOND.digest,
        "2026-10-02T00:00:00+00:00",
        [BREAKING],
        "1.0.0",
    )
    assert "### Breaking" in file(registry, "CHANGELOG.md").read_text("utf-8")


def test_the_same_release_gives_the_same_bytes(registry, tmp_path):
    registry_of("folder", tmp_path / "other", FIRST, SECOND)
    names = ("1.0.0.json", "1.1.0.json", "1.1.0.yaml", "CHANGELOG.md")
    assert [file(registry, name).read_bytes() for name in names] == [
        (tmp_path / "other" / "orders" / name).read_bytes() for name in names
    ]


@pytest.mark.parametrize("name", ["1.0.0.yaml", "1.0.0.json"])
def test_what_was_released_is_read_only(registry, name):
    assert file(registry, name).stat().st_mode & 0o777 == 0o444


def test_an_edited_text_is_told_with_both_digests(registry):
    """[S4-018]"""
    edited = release("1.0.0", more="description: edited\n")
    rewritten(file(registry, "1.0.0.yaml"), edited.text)
    assert told(registry) == [
        (
            f"contract 'orders' 1.0.0 was released with digest {FIRST.digest[:12]}…, the file now has {edited.digest[:12]}…",
            f"{NEVER}: restore 1.0.0.yaml and release your edit under a new version",
        )
    ]


def test_an_edited_comment_is_told_too(registry):
    edited = FIRST.text + "# a comment\n"
    rewritten(file(registry, "1.0.0.yaml"), edited)
    was, now = text_digest(FIRST.text.encode()), text_digest(edited.encode())
    assert told(registry)[0][0] == (
        f"contract 'orders' 1.0.0 was released with a text of digest {was[:12]}…, the file now has {now[:12]}… and means the same"
    )


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"[", b"contract: orders\nsecret-value: 5\n"])
def test_a_text_that_is_no_contract_any_more_is_told_without_its_content(registry, content):
    rewritten(file(registry, "1.0.0.yaml"), content)
    ((what, _),) = told(registry)
    assert what == (
        f"contract 'orders' 1.0.0 was released with digest {FIRST.digest[:12]}…, "
        f"the file now holds no contract (its bytes have digest {text_digest(content)[:12]}…)"
    )


def test_an_edited_record_is_told_with_both_digests(registry):
    path = file(registry, "1.1.0.json")
    seal = json.loads(path.read_text("utf-8"))["seal"]
    rewritten(path, path.read_text("utf-8").replace("weekly_report", "nobody"))
    ((what, hint),) = told(registry)
    assert what.startswith(f"the record of contract 'orders' 1.1.0 was released with digest {seal[:12]}…, it now has ")
    assert hint == f"{NEVER}: restore 1.1.0.json and release your edit under a new version"


@pytest.mark.parametrize(
    "content",
    [b"", b'{"name": "orders", "vers', b"[]", b"null", b"\xff", b"[" * 100_000, b'{"text_digest": 5}', b'{"a": ' + b"9" * 5000 + b"}"],
    ids=["empty", "half", "list", "null", "no text", "deep", "wrong kind", "endless number"],
)  # fmt: skip
def test_a_record_that_is_none_is_told(registry, content):
    rewritten(file(registry, "1.0.0.json"), content)
    assert told(registry) == [
        (
            "the record of contract 'orders' 1.0.0 is cut short or no record",
            f"{NEVER}: restore 1.0.0.json and release your edit under a new version",
        )
    ]


def test_a_record_without_a_seal_is_told(registry):
    record = json.loads(file(registry, "1.0.0.json").read_text("utf-8"))
    del record["seal"]
    rewritten(file(registry, "1.0.0.json"), json.dumps(record))
    assert told(registry)[0][0].startswith(
        "the record of contract 'orders' 1.0.0 was released with digest none, it now has "
    )


def test_a_sealed_record_of_a_later_kind_says_which_version_to_read_it_with(registry, monkeypatch):
    monkeypatch.setattr("contract_core.releases.sealed.digest_of", lambda _: "5" * 64)
    record = json.loads(file(registry, "1.0.0.json").read_text("utf-8")) | {"seal": "5" * 64, "colour": "red"}
    rewritten(file(registry, "1.0.0.json"), json.dumps(record))
    rewritten(
        file(registry, "1.1.0.json"),
        json.dumps(json.loads(file(registry, "1.1.0.json").read_text("utf-8")) | {"seal": "5" * 64}),
    )
    assert told(registry) == [
        (
            "the record of contract 'orders' 1.0.0 is sealed and holds what this version of contract-gate does not understand",
            "read it with the version of contract-gate that released it",
        )
    ]


def test_files_under_the_name_of_another_version_are_told(registry):
    shutil.copy(file(registry, "1.0.0.yaml"), file(registry, "1.2.0.yaml"))
    shutil.copy(file(registry, "1.0.0.json"), file(registry, "1.2.0.json"))
    assert told(registry)[0][0] == "the record of contract 'orders' 1.2.0 is that of another version"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("1.0.0.json", "the record of contract 'orders' 1.0.0 is missing, and its text is there"),
        ("1.0.0.yaml", "the text of contract 'orders' 1.0.0 is missing, and its record is there"),
    ],
)
def test_half_of_a_release_is_told(registry, name, what):
    file(registry, name).unlink()
    assert told(registry) == [(what, f"{NEVER} and never go: restore {name}")]


def test_every_problem_is_told_at_once(registry):
    file(registry, "1.0.0.json").unlink()
    rewritten(file(registry, "1.1.0.yaml"), "")
    assert len(told(registry)) == 2


@pytest.mark.parametrize("name", ["1.0.0.yaml", "1.0.0.json"])
@pytest.mark.parametrize("kind", ["link", "dead link", "folder", "pipe", "device", "endless"])
def test_what_is_no_plain_file_is_told_and_never_followed(registry, tmp_path, name, kind):
    path = file(registry, name)
    shutil.copy(path, tmp_path / "same")
    path.unlink()
    {
        "link": lambda: path.symlink_to(tmp_path / "same"),
        "dead link": lambda: path.symlink_to(tmp_path / "nowhere"),
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "endless": lambda: path.touch() or os.truncate(path, 1 << 30),
    }[kind]()
    half = "text" if name.endswith(".yaml") else "record"
    assert told(registry)[0][0] == f"the {half} of contract 'orders' 1.0.0 is no plain file of ours"


def test_a_folder_behind_a_link_is_refused_for_reading_and_writing(registry, tmp_path):
    (registry.root / "orders").rename(tmp_path / "elsewhere")
    (registry.root / "orders").symlink_to(tmp_path / "elsewhere")
    for act in (registry.releases, lambda: registry.add(release("1.2.0"))):
        with pytest.raises(ContractAlteredError, match="lie behind a link"):
            act()
    assert not (tmp_path / "elsewhere" / "1.2.0.json").exists()


def test_the_registry_itself_may_be_a_link(registry, tmp_path):
    (tmp_path / "link").symlink_to(registry.root)
    assert FolderRegistry(tmp_path / "link").releases() == (FIRST, SECOND)


@pytest.mark.parametrize("name", [".1.2.0.json", ".1.2.0.yaml", ".CHANGELOG.md"])
def test_a_link_in_the_place_of_a_draft_is_not_written_through(registry, tmp_path, name):
    (tmp_path / "outside").write_text("mine")
    file(registry, name).symlink_to(tmp_path / "outside")
    registry.add(release("1.2.0", replaces="1.1.0"))
    assert (tmp_path / "outside").read_text() == "mine"
    assert registry.problems() == ()


def test_a_link_in_the_place_of_the_lock_is_refused(registry, tmp_path):
    (registry.root / ".lock").unlink()
    (registry.root / ".lock").symlink_to(tmp_path / "outside")
    with pytest.raises(ContractCoreError, match="cannot be written"):
        registry.add(release("1.2.0"))
    assert not (tmp_path / "outside").exists()


def test_other_files_are_left_alone(registry):
    for name in ("README.md", "v1.yaml", "1.0.yaml", "1.0.0.yaml.orig", ".hidden"):
        file(registry, name).write_text("[")
    (registry.root / "README.md").write_text("ours")
    (registry.root / "Not-A-Contract").mkdir()
    (registry.root / "empty").mkdir()
    assert registry.versions() == {"orders": ("1.0.0", "1.1.0")}
    assert registry.releases() == (FIRST, SECOND)


def test_a_changelog_that_was_edited_is_told_and_written_anew_with_the_next_release(registry):
    rewritten(file(registry, "CHANGELOG.md"), "nothing happened")
    assert registry.releases() == (FIRST, SECOND)
    (problem,) = registry.problems()
    assert problem.what == "the changelog of contract 'orders' does not tell what the records say"
    registry.add(SECOND)
    assert registry.problems() == ()


def test_a_changelog_that_is_gone_is_no_fault(registry):
    file(registry, "CHANGELOG.md").unlink()
    assert registry.problems() == ()


def test_nothing_is_released_beside_a_version_that_was_altered(registry):
    rewritten(file(registry, "1.0.0.yaml"), "")
    with pytest.raises(ContractAlteredError):
        registry.add(release("1.2.0", replaces="1.1.0"))
    assert not file(registry, "1.2.0.yaml").exists()


def test_one_contract_that_was_altered_does_not_hide_another(registry):
    registry.add(release(name="returns"))
    rewritten(file(registry, "1.0.0.yaml"), "")
    assert [each.name for each in registry.releases("returns")] == ["returns"]


@pytest.mark.parametrize("place", ["registry", "registry/orders", "registry/orders/1.0.0.yaml"])
def test_a_registry_that_cannot_be_read_says_so_and_is_not_empty(registry, monkeypatch, place):
    refused = registry.root.parent / place
    opened, listed = os.open, Path.iterdir

    def forbidden(path):
        if Path(path) == refused:
            raise PermissionError(13, "secret-value")

    monkeypatch.setattr(plain_files.os, "open", lambda path, *rest: forbidden(path) or opened(path, *rest))
    monkeypatch.setattr(folder_registry.Path, "iterdir", lambda path: forbidden(path) or listed(path))
    with pytest.raises(ContractCoreError, match=r"registry .*: cannot be read: Permission denied") as failed:
        registry.releases()
    assert "secret-value" not in str(failed.value)


def test_a_full_disk_is_told_and_leaves_nothing(registry):
    before = sorted((path, path.read_bytes()) for path in registry.root.rglob("*") if path.is_file())
    with no_byte_can_be_written(), pytest.raises(ContractCoreError, match="cannot be written: File too large"):
        registry.add(release("1.2.0", replaces="1.1.0"))
    assert sorted((path, path.read_bytes()) for path in registry.root.rglob("*") if path.is_file()) == before
    registry.add(release("1.2.0", replaces="1.1.0"))
    assert registry.problems() == ()


def test_a_file_system_without_links_takes_releases_too(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_files.os, "link", lambda *_: (_ for _ in ()).throw(PermissionError(1, "no links")))
    registry = registry_of("folder", tmp_path / "registry", FIRST, SECOND)
    assert (registry.releases(), registry.problems()) == ((FIRST, SECOND), ())


def test_each_of_many_releases_is_read_once_and_verified(tmp_path, monkeypatch):
    folder, read, reading = tmp_path / "registry" / "orders", [], plain_files.os.open
    folder.mkdir(parents=True)
    for number in range(100):
        one = FIRST.model_copy(update={"version": f"1.{number}.0", "changes": (BREAKING,) * 10})
        (folder / f"{one.version}.yaml").write_text(one.text)
        (folder / f"{one.version}.json").write_bytes(record_bytes(one))
    monkeypatch.setattr(plain_files.os, "open", lambda path, *flags: read.append(path) or reading(path, *flags))
    assert len(FolderRegistry(tmp_path / "registry").releases()) == 100
    assert sorted(read) == sorted(folder.iterdir())
