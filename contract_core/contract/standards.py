"""Whether a document says that it follows another standard than our own language. How one is read is known elsewhere."""

import re

from contract_core.contract.yaml_document import Value

_SPELT_OUT = re.compile(rb"\\(?:[xuU\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9])")
"""The escapes of YAML that can stand for a letter, or for nothing within a word: numbers of letters, and ends of lines."""


def is_odcs(value: Value) -> bool:
    """Whether a YAML document says that it follows the Open Data Contract Standard."""
    return isinstance(value, dict) and "apiVersion" in value and "kind" in value


def may_be_odcs(text: bytes) -> bool:
    """False where a text surely holds no such document, without reading it as YAML."""
    return b"apiVersion" in text or _SPELT_OUT.search(text) is not None
