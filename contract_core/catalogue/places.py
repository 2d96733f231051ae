"""Where each page of the catalogue lies: names from contracts as names of files, whatever they hold."""

import hashlib
import re

INDEX = "index.html"
STYLE = "assets/catalogue.css"
RECORD = "catalogue.json"
_KEPT = 40


def contract_page(name: str) -> str:
    """The page of one contract."""
    return f"contracts/{name}/{INDEX}"


def since_page(name: str) -> str:
    """The page that compares the older versions of a contract with the current one."""
    return f"contracts/{name}/since.html"


def version_page(name: str, version: str) -> str:
    """The page of one released version."""
    return f"contracts/{name}/{version}.html"


def text_file(name: str, version: str) -> str:
    """The text of one version, to the letter."""
    return f"contracts/{name}/{version}.yaml"


def record_file(name: str) -> str:
    """All releases of one contract as JSON."""
    return f"contracts/{name}/releases.json"


def consumer_page(name: str) -> str:
    """The page of one consumer."""
    return f"consumers/{_file_name(name)}.html"


def owner_page(name: str) -> str:
    """The page of one producer."""
    return f"owners/{_file_name(name)}.html"


def upward(place: str) -> str:
    """The way from a page back to the folder of the catalogue."""
    return "../" * place.count("/")


def _file_name(name: str) -> str:
    """A name that every file system takes, and that no other name gets."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower())[:_KEPT].strip("-")
    return f"{plain}-{digest}" if plain else digest
