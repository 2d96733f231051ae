"""JSON documents as generated files: indented, in their own order, and without a sign that nobody can see."""

import json
import re

_NOT_PLAIN = re.compile(r"[^\n -~]")


def json_source(document: object) -> str:
    """The document as text; what is not printable is escaped, so that no sign hides in a pattern or turns the reading around."""
    return _NOT_PLAIN.sub(_visible, json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _visible(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]
