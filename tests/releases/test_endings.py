"""Kill -9 and a full disk at every durable step of a release: the next call goes on, and nothing is ever half released."""

import errno
import shutil
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from contract_core.releases.registry import open_registry
from tests.publication.forks import Forks, forks
from tests.releases.attempts import attempt, prepared, resumed
from tests.releases.samples import KINDS

EDITED = "description: edited after the first attempt\n"
ALL_FILES = [".lock", "1.0.0.json", "1.0.0.yaml", "1.1.0.json", "1.1.0.yaml", "CHANGELOG.md"]


@pytest.fixture(scope="module")
def servers() -> Iterator[Forks]:
    with forks() as started:
        yield started


class Walk:
    """The effects of one release, and a copy of the registry before it for each fault."""

    def __init__(self, kind: str, folder: Path, servers: Forks, begun: dict[str, str] | None = None) -> None:
        self.kind, self.folder, self.servers = kind, folder, servers
        prepared(folder / "base", kind)
        for name, text in (begun or {}).items():
            (folder / "base" / "registry" / "orders" / name).write_text(text)
        whole = servers.call(attempt, root=str(self.copy("whole")), kind=kind)
        assert (whole.code, whole.answer["ended"]) == (0, "")
        self.effects: list[tuple[str, list[str]]] = whole.answer["effects"]

    def copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.folder / "base", self.folder / name))

    def faults(self, moments: bool, **more: Any) -> list[dict[str, Any]]:
        numbered = enumerate(self.effects, 1)
        return [
            {"number": number, **({"moment": moment} if moments else {}), **more}
            for number, (_, found) in numbered
            for moment in (found if moments else ["before"])
        ]

    def struck(self, fault: dict[str, Any], more: str = "") -> tuple[Any, Any]:
        """How the attempt ended under a fault, and what became of the registry then."""
        root = self.copy("-".join(map(str, [*fault.values(), bool(more)])))
        ended = self.servers.call(attempt, root=str(root), kind=self.kind, fault=fault)
        after = self.servers.call(resumed, root=str(root), kind=self.kind, more=more)
        assert after.code == 0, (fault, after.answer)
        return ended, after.answer


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", EDITED], ids=["the same again", "another text"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_release_killed_at_any_step_is_made_by_the_next_call(kind, more, servers, tmp_path):
    """[S4-017, S4-018] There is the old state or the new one; a text that was edited after the crash is released as well."""
    walk = Walk(kind, tmp_path, servers)
    found = servers.each(lambda fault: walk.struck(fault, more), walk.faults(moments=True))
    assert {ended.code for ended, _ in found} == {-9}
    assert [left for left, _ in groupby(after["left"] for _, after in found)] == [["1.0.0"], ["1.0.0", "1.1.0"]]
    assert {(tuple(after["now"]), tuple(after["problems"])) for _, after in found} == {(("1.0.0", "1.1.0"), ())}
    assert {tuple(after["names"]) for _, after in found} == {tuple(ALL_FILES) if kind == "folder" else ()}


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("kind", KINDS)
def test_a_release_that_the_system_refuses_says_so_and_goes_on_later(kind, number, servers, tmp_path):
    walk = Walk(kind, tmp_path, servers)
    found = servers.each(walk.struck, walk.faults(moments=False, errno=number, is_lasting=True))
    texts = {ended.answer["ended"].replace("secret-value", "TOLD") for ended, _ in found} - {""}
    assert {ended.code for ended, _ in found} == {0}
    assert {text.partition(": ")[0].partition(" ")[0] for text in texts} == {"registry"}
    assert [text for text in texts if "TOLD" in text or "\n    make room" not in text] == []
    assert {(tuple(after["now"]), tuple(after["problems"])) for _, after in found} == {(("1.0.0", "1.1.0"), ())}


@pytest.mark.slow
def test_a_second_kill_while_the_first_one_is_mended_is_mended_too(servers, tmp_path):
    begun = {".1.1.0.json": '{"half', ".1.1.0.yaml": "contract: or", "1.1.0.yaml": "contract: orders"}
    walk = Walk("folder", tmp_path, servers, begun)
    found = servers.each(walk.struck, walk.faults(moments=True))
    assert {ended.code for ended, _ in found} == {-9}
    assert [left for left, _ in groupby(after["left"] for _, after in found)] == [["1.0.0"], ["1.0.0", "1.1.0"]]
    assert {(*after["now"], *after["problems"], *after["names"]) for _, after in found} == {
        ("1.0.0", "1.1.0", *ALL_FILES)
    }


def test_a_draft_that_was_cut_short_is_written_anew(tmp_path):
    prepared(tmp_path, "folder")
    folder = tmp_path / "registry" / "orders"
    (folder / ".1.1.0.json").write_text('{"half')
    (folder / "1.1.0.yaml").write_text("contract: or")
    assert [each.version for each in open_registry(tmp_path / "registry").releases()] == ["1.0.0"]
    assert resumed(str(tmp_path), "folder")["names"] == ALL_FILES
