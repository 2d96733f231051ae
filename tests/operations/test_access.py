"""Who can read and change what: told from rights alone, names mean nothing."""

import grp
import os
from dataclasses import replace
from pathlib import Path

import pytest

from contract_core.environment import Environment
from contract_core.operations.access import OpenPlace, open_places

OWN = grp.getgrgid(os.getegid()).gr_name
OTHER = next(group.gr_name for group in grp.getgrall() if group.gr_gid != os.getegid())


class Places:
    """An environment in which everything is as it should be, until a test changes it."""

    def __init__(self, root: Path) -> None:
        self.root, self.environment = root, Environment.at(root)
        for name in ("candidates", "quarantine", "ledger"):
            self.make(f"{name}/cases", 0o700)
            self.mode(name, 0o700)
        for name in ("landing", "published"):
            self.make(f"{name}/cases", 0o755)
            self.mode(name, 0o755)

    def make(self, name: str, mode: int) -> None:
        (self.root / name).mkdir(parents=True, exist_ok=True)
        self.mode(name, mode)

    def mode(self, name: str, mode: int) -> None:
        (self.root / name).chmod(mode)

    def told(self) -> dict[str, str]:
        return {place.path.relative_to(self.root).as_posix(): place.what for place in open_places(self.environment)}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "e")


def test_nothing_is_told_where_all_is_as_it_should_be(places: Places) -> None:
    assert open_places(places.environment) == ()


def test_nothing_is_told_before_anything_is_there(tmp_path: Path) -> None:
    assert open_places(Environment.at(tmp_path / "none")) == ()


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("candidates", "deliveries as they came"),
        ("quarantine", "rows that broke their contract"),
    ],
)
@pytest.mark.parametrize(
    ("mode", "verb", "whom", "classes"),
    [
        pytest.param(0o755, "read", "everyone", "go", id="everyone"),
        pytest.param(0o704, "read", "everyone", "o", id="everyone but the group"),
        pytest.param(0o750, "read", f"group '{OWN}'", "g", id="the group"),
        pytest.param(0o730, "changed", f"group '{OWN}'", "g", id="the group may write"),
        pytest.param(0o777, "changed", "everyone", "go", id="everyone may write"),
        pytest.param(0o775, "changed", f"group '{OWN}' and read by everyone", "go", id="each in its way"),
    ],
)
def test_what_is_the_gates_alone_is_told_where_others_can_read_it(
    places: Places, name: str, use: str, mode: int, verb: str, whom: str, classes: str
) -> None:
    """S1-014"""
    places.mode(name, mode)
    path = places.root / name
    what = f"can be {verb} by {whom}; in it: {use}"
    assert open_places(places.environment) == (OpenPlace(path, what, f"chmod {classes}-rwx {path}"),)


@pytest.mark.parametrize(
    ("outer", "inner", "told"),
    [
        pytest.param(0o711, 0o755, {"candidates/cases"}, id="reached by who knows the name"),
        pytest.param(0o711, 0o711, {"candidates/cases"}, id="and its content by who knows that too"),
        pytest.param(0o711, 0o700, set(), id="closed inside"),
        pytest.param(0o700, 0o777, set(), id="out of reach"),
        pytest.param(0o755, 0o755, {"candidates", "candidates/cases"}, id="both"),
    ],
)
def test_the_folder_of_a_contract_is_told_where_others_reach_it(
    places: Places, outer: int, inner: int, told: set[str]
) -> None:
    """S1-014"""
    places.mode("candidates/cases", inner)
    places.mode("candidates", outer)
    assert places.told().keys() == told


@pytest.mark.parametrize(("readers", "told"), [(OWN, {"candidates"}), (OTHER, set()), (None, {"candidates"})])
def test_a_group_is_no_matter_where_it_is_not_that_of_the_readers(
    places: Places, readers: str | None, told: set[str]
) -> None:
    """S1-014: operators may share a group; who are no readers is known only where readers are named."""
    places.environment = replace(places.environment, readers=readers)
    places.mode("landing", 0o700)
    places.mode("candidates", 0o750)
    assert places.told().keys() == told


@pytest.mark.parametrize("name", ["staging", "private", "landing"])
def test_a_folder_is_not_private_by_its_name(places: Places, name: str) -> None:
    """S1-014: only rights count, whatever the folder is called."""
    places.make(name, 0o755)
    places.environment = replace(places.environment, candidates=places.root / name)
    assert name in places.told()
    places.mode(name, 0o700)
    assert places.told() == {}


@pytest.mark.parametrize(
    ("readers", "mode", "what"),
    [
        pytest.param(None, 0o755, None, id="who reads is not said"),
        pytest.param(None, 0o777, "can be changed by everyone", id="everyone can deliver"),
        pytest.param(OWN, 0o755, "can be read by everyone; in it: deliveries as they came", id="readers see it"),
        pytest.param(OWN, 0o750, f"can be read by group '{OWN}'; in it: deliveries as they came", id="their group"),
        pytest.param(OTHER, 0o770, None, id="producers in a group of their own"),
    ],
)
def test_landing_is_for_producers(places: Places, readers: str | None, mode: int, what: str | None) -> None:
    """S1-014: what consumers read and what operators read are two things."""
    places.environment = replace(places.environment, readers=readers)
    places.mode("landing/cases", 0o700)
    places.mode("landing", mode)
    assert places.told() == ({} if what is None else {"landing": what})


@pytest.mark.parametrize(
    ("readers", "mode", "what"),
    [
        pytest.param(OWN, 0o750, None, id="their group"),
        pytest.param(OTHER, 0o755, None, id="everyone"),
        pytest.param(OTHER, 0o750, f"cannot be read by its readers, group '{OTHER}'", id="another group"),
        pytest.param(OWN, 0o705, f"cannot be read by its readers, group '{OWN}'", id="all but their group"),
        pytest.param(OWN, 0o740, f"cannot be read by its readers, group '{OWN}'", id="listed and not entered"),
        pytest.param(OWN, 0o770, f"can be changed by its readers, group '{OWN}'", id="readers can write"),
        pytest.param(None, 0o757, "can be changed by everyone", id="everyone can write"),
        pytest.param("no such group", 0o755, "is read by group 'no such group', which this machine does not know", id="nobody"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["published", "published/cases"])
def test_what_is_published_can_be_read_by_its_readers_and_changed_by_the_gate_alone(
    places: Places, name: str, readers: str | None, mode: int, what: str | None
) -> None:
    """S1-014"""
    places.environment = replace(places.environment, readers=readers)
    places.mode("landing", 0o700)
    places.mode(name, mode)
    told = places.told()
    assert told in ([{}] if what is None else [{name: what}, {"published": what}])


@pytest.mark.parametrize("name", ["landing", "candidates", "quarantine", "ledger"])
def test_nothing_restricted_lies_inside_what_is_published(places: Places, name: str) -> None:
    """S1-014: who is given the published folder is given what lies in it."""
    (places.root / "link").symlink_to(places.root / "published")
    places.environment = replace(places.environment, **{name: places.root / "link/inner"})
    assert places.told() == {
        "link/inner": f"the place of {name} lies inside the published folder, which consumers read"
    }


@pytest.mark.parametrize(("mode", "told"), [(0o755, set()), (0o757, {"ledger"})])
def test_the_ledger_may_be_read_and_not_changed(places: Places, mode: int, told: set[str]) -> None:
    """S1-014: it holds no row of any delivery."""
    places.mode("ledger", mode)
    assert places.told().keys() == told


def test_nothing_is_changed(places: Places) -> None:
    before = sorted((path, path.stat().st_mode) for path in places.root.rglob("*"))
    open_places(replace(places.environment, readers=OWN))
    assert sorted((path, path.stat().st_mode) for path in places.root.rglob("*")) == before


def test_a_place_is_told_as_a_problem_is(places: Places) -> None:
    places.mode("candidates", 0o750)
    [place] = open_places(places.environment)
    assert str(place) == f"{place.path}: {place.what}\n    {place.hint}"
