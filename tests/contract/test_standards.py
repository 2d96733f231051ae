"""Whether a text may hold a document of another standard, told without reading it as YAML."""

import pytest

from contract_core.contract.standards import is_odcs, may_be_odcs
from contract_core.contract.yaml_document import load_document

DOCUMENTS = [
    b"apiVersion: v3.1.0\nkind: DataContract\n",
    b'{"apiVersion": "v3.1.0", "kind": "DataContract"}',
    b'"api\\x56ersion": v3.1.0\nkind: DataContract\n',
    b'"api\\u0056ersion": v3.1.0\nkind: DataContract\n',
    b'"api\\U00000056ersion": v3.1.0\nkind: DataContract\n',
    b'? "api\\\nVersion"\n: v3.1.0\nkind: DataContract\n',
    b'? "api\\\r\n  Version"\n: v3.1.0\nkind: DataContract\n',
    b'? "api\\\xe2\x80\xa8Version"\n: v3.1.0\nkind: DataContract\n',
    b'? "api\\\xc2\x85Version"\n: v3.1.0\nkind: DataContract\n',
]


@pytest.mark.parametrize("text", DOCUMENTS)
def test_no_spelling_of_a_document_of_the_standard_is_missed(text: bytes) -> None:
    assert (is_odcs(load_document(text).value), may_be_odcs(text)) == (True, True)


@pytest.mark.parametrize("text", [b"contract: a\n", b'contract: a\npattern: "[0-9]\\\\w\\t"\n', b""])
def test_a_contract_is_not_taken_for_one(text: bytes) -> None:
    assert not may_be_odcs(text)
