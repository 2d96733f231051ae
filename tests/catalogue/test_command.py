"""The command `catalog`."""

from datetime import UTC, date, datetime

import pytest

from tests.catalogue.samples import year_of_releases
from tests.commands import Run
from tests.releases.samples import registry_of, release


@pytest.fixture
def released(run: Run, tmp_path) -> Run:
    """The command line beside a year of releases."""
    year_of_releases(tmp_path / "data" / "registry")
    return run


def test_the_catalogue_of_the_environment_is_written(released: Run, tmp_path) -> None:
    """[S4-017]"""
    told = released("catalog", "--out", "site", "--as-of", "2027-06-01")
    assert told == (0, "4 contracts, 8 versions: 36 files, open site/index.html\n", "")
    assert "60 days left" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_the_same_day_gives_the_same_bytes(released: Run, tmp_path) -> None:
    for out in ("one", "other"):
        released("catalog", "--out", out, "--as-of", "2027-06-01")
    names = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert [(tmp_path / "one" / name).read_bytes() for name in names] == [
        (tmp_path / "other" / name).read_bytes() for name in names
    ]


def test_another_registry_can_be_named(run: Run, tmp_path) -> None:
    registry_of("folder", tmp_path / "kept", release("1.0.0"))
    code, out, _ = run("catalog", "--out", "site", "--registry", "kept")
    assert (code, out) == (0, "1 contract, 1 version: 9 files, open site/index.html\n")


def test_without_a_day_it_is_today(run: Run, tmp_path) -> None:
    (tmp_path / "data" / "registry").mkdir(parents=True)
    run("catalog", "--out", "site")
    told = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert abs((date.fromisoformat(told.split('datetime="')[1][:10]) - datetime.now(UTC).date()).days) <= 1


def test_a_day_that_is_none_is_refused(run: Run) -> None:
    assert run("catalog", "--out", "site", "--as-of", "soon") == (
        2,
        "",
        "--as-of: is no calendar day\n    write for example 2026-10-02\n",
    )


def test_a_folder_that_is_no_catalogue_is_refused(released: Run) -> None:
    assert released("catalog", "--out", "data") == (
        2,
        "",
        (
            "catalogue data: holds something, and no catalogue of contract-gate; nothing was written\n"
            "    name a new or an empty folder\n"
        ),
    )


def test_an_altered_registry_gives_no_catalogue(released: Run, tmp_path) -> None:
    """[S4-018]"""
    text = tmp_path / "data" / "registry" / "orders" / "1.2.0.yaml"
    text.chmod(0o644)
    text.write_text(text.read_text("utf-8").replace("CHF", "DKK"), "utf-8")
    code, out, err = released("catalog", "--out", "site")
    assert (code, out) == (2, "")
    assert "contract 'orders' 1.2.0 was released with digest" in err
    assert not (tmp_path / "site").exists()


def test_a_misspelled_registry_leaves_the_site_as_it_was(released: Run, tmp_path) -> None:
    released("catalog", "--out", "site")
    before = {path: path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()}
    code, out, err = released("catalog", "--registry", "typo", "--out", "site")
    assert (code, out, err.splitlines()[0]) == (2, "", "registry typo: is not there")
    assert before == {path: path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()}
