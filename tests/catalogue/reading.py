"""Reading pages as a browser would: elements, links, places to jump to, and what stands outside of any element."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote

_EMPTY = {"meta", "link", "input", "br"}
_INLINE = {"a", "bdi", "code", "mark", "span", "strong", "time"}


@dataclass
class Page(HTMLParser):
    """The elements of one page in order, with their attributes, and its text."""

    text: str = ""
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.text += "" if tag in _INLINE else " "
        if tag not in _EMPTY:
            self.unclosed.append(tag)

    def handle_endtag(self, tag):
        assert self.unclosed.pop() == tag

    def handle_data(self, data):
        if "script" not in self.unclosed[-1:]:
            self.text += data

    def attributes(self, name: str) -> list[str]:
        """Every value of an attribute, in order."""
        return [value for _, attributes in self.elements if (value := attributes.get(name)) is not None]

    def count(self, tag: str) -> int:
        """How many elements of a kind there are."""
        return sum(name == tag for name, _ in self.elements)


def page(content: bytes) -> Page:
    """The page, of which every element is closed where it was opened."""
    read = Page()
    read.feed(content.decode())
    read.close()
    assert read.unclosed == []
    return read


def pages_of(files: Mapping[str, bytes]) -> dict[str, Page]:
    """Every page of a catalogue by its place."""
    return {place: page(content) for place, content in files.items() if place.endswith(".html")}


def broken_links(files: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Every link that leads to no file of the catalogue, or to no place of its page."""
    pages = pages_of(files)
    found = []
    for place, read in pages.items():
        for link in read.attributes("href"):
            if link == "data:,":
                continue
            target, _, jump = link.partition("#")
            whole = posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(target))) if target else place
            is_there = whole in files and (not jump or jump in pages[whole].attributes("id"))
            found += [] if is_there else [(place, link)]
    return found
