"""Canonical JSON: one text for one contract, and the digest of what stands in it."""

import hashlib
import json

from contract_core.exports.canonical import canonical_json
from tests.exports.judging import HOSTILE, contract_of, example

TEXT = (
    'contract: a\nversion: "1.0.0"\nfields: [{name: b, type: number, min: 5, nullable: false}]\nextra_fields: reject\n'
)
SAME = 'fields:\n- min: 5.0\n  type: number\n  name: b\nversion: "1.0.0"\nrows: {min: 1}\ncontract: a\n'


def test_every_order_of_keys_and_every_spelling_of_a_default_gives_one_text():
    """[S3-025]"""
    assert canonical_json(contract_of(SAME)) == canonical_json(contract_of(TEXT))
    assert canonical_json(contract_of(TEXT)).text == (
        '{"contract":{"contract":"a","fields":[{"min":5,"name":"b","type":"number"}],"version":"1.0.0"},'
        '"digest":"6cf46d8803f4e694ed2c9d7a795a544432007c97e320da49bbc6e461c4afb903","generator":"contract-gate"}\n'
    )


def test_another_promise_gives_another_digest():
    other = json.loads(canonical_json(contract_of(TEXT.replace("min: 5", "min: 6"))).text)
    assert other["digest"] != json.loads(canonical_json(contract_of(TEXT)).text)["digest"]


def test_the_digest_is_that_of_the_contract_as_it_stands_in_the_text():
    """[S3-025]"""
    for contract in (example("orders"), contract_of(HOSTILE)):
        text = canonical_json(contract).text
        inner = text.removeprefix('{"contract":').partition(',"digest":')[0]
        document = json.loads(text)
        assert hashlib.sha256(inner.encode()).hexdigest() == document["digest"] == contract.digest


def test_nothing_is_left_out():
    assert canonical_json(contract_of(HOSTILE)).not_carried == ()
