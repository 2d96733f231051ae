"""The documentation as a site: every page has its place, every link leads somewhere, and nothing is loaded from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from contract_core import errors
from tests.documentation.blocks import DOCS, PAGES, ROOT

PROBLEMS = [value for value in vars(errors).values() if isinstance(value, type)]
LOADED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)")


def places(nav: object) -> list[str]:
    """Every page of the navigation, in order."""
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in places(part)]


def test_every_page_has_one_place_in_the_navigation() -> None:
    assert sorted(places(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])) == PAGES


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("documentation") / "site"
    command = [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


def test_the_site_is_built_strictly_with_every_page(site: Path) -> None:
    """Strict: a link or an anchor that leads nowhere fails."""
    assert [page for page in PAGES if not (site / page).with_suffix(".html").exists()] == []


def test_no_page_of_the_site_loads_anything_from_elsewhere(site: Path) -> None:
    loaded = {page.name: LOADED.findall(page.read_text("utf-8")) for page in site.rglob("*.html")}
    assert {name: found for name, found in loaded.items() if found} == {}
    assert [style.name for style in site.rglob("*.css") if re.search(r"url\(['\"]?https?:", style.read_text())] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_between_pages_works_in_a_repository_too(page: str) -> None:
    """Relative, to a file that is there: so a page is read as well where the repository is."""
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    inner = [target for target in targets if target and "://" not in target]
    assert [target for target in inner if not (DOCS / page).parent.joinpath(target).exists()] == []


@pytest.mark.parametrize("error", PROBLEMS, ids=lambda error: error.__name__)
def test_every_kind_of_problem_is_explained(error: type) -> None:
    """What is never raised itself, the parent of all and the shape of a text, is left out."""
    told = re.findall(r"^\| `(\w+)` \|", (DOCS / "problems.md").read_text("utf-8"), re.MULTILINE)
    assert (error.__name__ in told) is (error not in {errors.ContractCoreError, errors.Problem})


def test_every_target_of_make_that_a_page_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = {
        name
        for page in PAGES
        for name in re.findall(r"^(?:\S+=\S+ )?make (?:-C \S+ )?(\w+)$", (DOCS / page).read_text(), re.MULTILINE)
    }
    assert {name for name in named if f"\n{name}:" not in makefile} == set()
    assert {"demo", "dev"} <= named
