"""A contract that says the worst that the language lets it say, in every place that a page shows."""

from contract_core.contract.parsing import parse_contract
from contract_core.releases.release import Release
from tests.releases.samples import day, release

SCRIPT = "<script>window.hacked=1</script>"
HANDLER = '"><img src=x onerror=window.hacked=1>'
ENDING = "</script></style></title><script>window.hacked=1</script>"
TURNED = "safe\u202egnp.exe"
TEMPLATE = "{{ 7*7 }}{% raw %}"
QUOTES = "'\"`onmouseover=window.hacked=1 x='"
LONG = "long " * 2000
EVERY = (
    SCRIPT,
    HANDLER,
    ENDING,
    TURNED,
    TEMPLATE,
    QUOTES,
    "javascript:window.hacked=1",
    "&lt;b&gt;&#60;",
    "日本語 é 👩‍🔬",
    "W" * 200,
)


def quoted(text: str) -> str:
    """The text as YAML writes it between double quotes."""
    letters = {"\\": "\\\\", '"': '\\"', "\u202e": "\\u202e"}
    return '"' + "".join(letters.get(letter, letter) for letter in text) + '"'


def hostile_text(fields: int = 0) -> str:
    """The contract with one field for each text, and as many plain ones as are asked for."""
    told = "".join(
        f"  - {{name: {quoted(text)}, type: string, unit: {quoted(text)}, semantics: {quoted(text)}, description: {quoted(text)}, "
        f"enum: [{quoted(text)}]}}\n"
        for text in EVERY
    )
    told += "".join(f"  - {{name: field_{number}, type: integer, min: 0}}\n" for number in range(fields))
    consumers = "".join(
        f"    - {{name: {quoted(text)}, contact: {quoted(text)}, relies_on: [{quoted(text)}]}}\n" for text in EVERY
    )
    return (
        'contract: hostile\nversion: "1.0.0"\nstatus: active\n'
        f"description: {quoted(ENDING + LONG + TURNED)}\npurpose: {quoted(HANDLER)}\ngrain: {quoted(SCRIPT)}\n"
        f"population: {quoted(ENDING)}\nowners:\n  producer: {{name: {quoted(HANDLER)}, contact: {quoted(ENDING)}}}\n"
        f"  consumers:\n{consumers}key: [{quoted(SCRIPT)}]\nfields:\n{told}"
        f'rules: [{{name: {quoted(SCRIPT)}, sql: "1 < 2", description: {quoted(ENDING)}}}]\n'
        f"unverified: [{{claim: {quoted(SCRIPT)}, evidence: {quoted(HANDLER)}}}]\n"
        f"changes: {{announce: {quoted(ENDING)}, migration: {quoted(HANDLER)}, approvals: [{quoted(SCRIPT)}]}}\n"
    )


def hostile_release(fields: int = 0) -> Release:
    """The contract as released, with a record that is no better."""
    text = hostile_text(fields)
    change = dict.fromkeys(("kind", "path", "what", "class", "reason", "hint"), ENDING) | {"consumers": list(EVERY)}
    return Release.of(
        parse_contract(text, "hostile.yaml"),
        text,
        released_at=release("1.0.0").released_at,
        released_by=HANDLER,
        changes=(change, change | {"class": "breaking"}),
        approvals=({"by": SCRIPT, "note": ENDING},),
        announcement=ENDING,
        note=HANDLER,
        supported_until={"0": day("2027-01-01")},
    )
