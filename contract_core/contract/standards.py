"""Whether a document says that it follows another standard than our own language. How one is read is known elsewhere."""

from contract_core.contract.yaml_document import Value


def is_odcs(value: Value) -> bool:
    """Whether a YAML document says that it follows the Open Data Contract Standard."""
    return isinstance(value, dict) and "apiVersion" in value and "kind" in value


def may_be_odcs(text: bytes) -> bool:
    """False where a text surely holds no such document, without reading it as YAML: a key has its own letters, or escapes."""
    return b"apiVersion" in text or b"\\" in text
