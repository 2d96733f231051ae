"""Whatever a contract says stays text: no element, no attribute and no script of a page comes from it."""

import json

import pytest

from contract_core.catalogue.pages import catalogue_files
from tests.catalogue.hostile import ENDING, EVERY, LONG, TURNED, hostile_release
from tests.catalogue.reading import broken_links, pages_of
from tests.releases.samples import day, release

TODAY = day("2026-12-01")
PLAIN = (
    "a",
    "bdi",
    "body",
    "button",
    "caption",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
)
PLAIN += (
    "head",
    "header",
    "html",
    "input",
    "label",
    "li",
    "link",
    "main",
    "meta",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "script",
    "section",
)
PLAIN += ("select", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "time", "title", "tr", "ul")


@pytest.fixture(scope="module")
def files():
    return dict(catalogue_files([hostile_release(), release("1.0.0")], TODAY))


def test_no_page_has_an_element_that_is_not_ours(files):
    for read in pages_of(files).values():
        assert {name for name, _ in read.elements} <= set(PLAIN)
        assert read.count("script") <= 2


def test_no_page_has_a_handler_or_a_link_that_runs(files):
    for read in pages_of(files).values():
        names = {name for _, attributes in read.elements for name in attributes}
        assert not [name for name in names if name.startswith("on") or name in ("src", "style", "srcdoc")]
        assert not [link for link in read.attributes("href") if link.lower().startswith("javascript")]


def test_every_page_allows_just_its_own_script(files):
    for place, content in files.items():
        if place.endswith(".html"):
            (policy,) = [
                attributes["content"]
                for name, attributes in pages_of({place: content})[place].elements
                if name == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
            ]
            assert policy.startswith("script-src 'sha256-")
            assert "unsafe" not in policy


def test_what_was_said_can_be_read_on_the_page(files):
    told = pages_of(files)["contracts/hostile/1.0.0.html"].text
    assert [text for text in EVERY if text != TURNED and text not in told] == []
    assert LONG.strip() in told


def test_characters_that_turn_a_line_round_are_named_and_never_sent(files):
    for place, content in files.items():
        if place.endswith((".html", "releases.json")):
            assert "\u202e" not in content.decode()
    assert "safe⟨U+202E⟩gnp.exe" in pages_of(files)["contracts/hostile/index.html"].text


def test_every_link_leads_somewhere_whatever_names_people_have(files):
    assert broken_links(files) == []
    assert len([place for place in files if place.startswith("consumers/")]) == len(EVERY) + 1
    assert all(place.isascii() and "<" not in place for place in files)


def test_no_text_ends_the_element_that_holds_the_search(files):
    start = files["index.html"].index(b'<script type="application/json" id="entries">') + len(
        '<script type="application/json" id="entries">'
    )
    entries = files["index.html"][start : files["index.html"].index(b"</script>", start)]
    assert b"<" not in entries
    assert any(entry["label"] == ENDING for entry in json.loads(entries))


def test_a_text_with_characters_that_do_not_show_warns_before_it_is_copied():
    text = release("1.0.0").text + "# \u202e hidden\n"
    files = dict(catalogue_files([release("1.0.0").model_copy(update={"text": text})], TODAY))
    read = pages_of(files)["contracts/orders/1.0.0.html"]
    assert "The text holds characters that do not show; they stand here as ⟨U+…⟩." in " ".join(read.text.split())
    assert "data-copy" not in {name for _, attributes in read.elements for name in attributes}
    assert files["contracts/orders/1.0.0.yaml"] == text.encode()


def test_five_hundred_fields_are_all_listed():
    files = dict(catalogue_files([hostile_release(500)], TODAY))
    read = pages_of(files)["contracts/hostile/index.html"]
    assert len(
        [place for place in read.attributes("id") if place.startswith("field-") and place[6:].isdigit()]
    ) == 500 + len(EVERY)
