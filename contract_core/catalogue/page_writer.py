"""Templates → pages. Whatever a contract says is escaped here, once for all pages, and no script but our own may run on them."""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import date
from importlib.resources import files
from types import MappingProxyType

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from contract_core.catalogue import places, terms
from contract_core.catalogue.plain_text import shown

_PACKAGE = "contract_core.catalogue"
_SEARCH, _PAGE = "search.js", "page.js"
_NOTHING_ELSE = (
    "img-src data:; connect-src 'none'; font-src 'none'; media-src 'none'; object-src 'none'; frame-src 'none'; "
    "worker-src 'none'; base-uri 'none'; form-action 'none'"
)
_IN_SCRIPT = MappingProxyType({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


class PageWriter:
    """Fills the templates for one catalogue, as of one day; `consumers` are those that have a page."""

    def __init__(self, today: date, consumers: Iterable[str]) -> None:
        self.today = today
        self._scripts: Mapping[str, str] = {name: _own(name) for name in (_SEARCH, _PAGE)}
        self._templates = Environment(
            loader=PackageLoader(_PACKAGE),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_as_shown,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals |= {
            "places": places,
            "consumer_names": frozenset(consumers),
            "span": terms.span,
            "tolerated": terms.tolerated,
            "today": today.isoformat(),
        }

    def page(self, place: str, template: str, **content: object) -> tuple[str, bytes]:
        """A page with its place, filled with `content`."""
        script = self._scripts[_SEARCH if place == places.INDEX else _PAGE]
        text = self._templates.get_template(template).render(
            up=places.upward(place),
            script=Markup(script),  # noqa: S704 - our own file
            policy=f"script-src '{_digest(script)}'; {_NOTHING_ELSE}",
            **content,
        )
        return place, text.encode()

    @staticmethod
    def style() -> bytes:
        """The style sheet of all pages."""
        return _own("catalogue.css").encode()


def script_json(document: object) -> Markup:
    """The document as JSON that can stand inside a script element: no text in it can end the element."""
    text = json.dumps(document, separators=(",", ":"))
    return Markup("".join(_IN_SCRIPT.get(letter, letter) for letter in text))  # noqa: S704 - escaped just here


def _as_shown(value: object) -> object:
    """Jinja escapes what this gives, so it holds no markup of ours."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _own(name: str) -> str:
    return files(_PACKAGE).joinpath("templates", name).read_text("utf-8")


def _digest(script: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
