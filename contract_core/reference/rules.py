"""The rule catalogue: for each rule what it promises, where it is enforced, how to ask for it, how a breach reads and what to do."""

from collections.abc import Iterator, Mapping
from typing import Any

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.publication.published_schema import promised_types
from contract_core.reference.marks import AS_IT_IS, code, row
from contract_core.reference.rule_examples import EXAMPLES, Broken, Example
from contract_core.rendering.enforcement import OnTarget, enforcement_document
from contract_core.rendering.next_steps import step_for
from contract_core.rendering.promises import promise_words
from contract_core.rendering.reports import message
from contract_core.validation.obligations import Obligation, obligations_of
from contract_core.validation.report import Finding, Outcome
from contract_core.validation.sql import target_rules

_INTRODUCTION = """\
Every rule by its label. A report, the ledger, the metrics and Dagster name a broken promise by its id, and the last words of the id
tell the rule. What breaks each rule is said in [the language](../language.md#rule-labels), and what becomes of the delivery under
[enforcement](../language.md#enforcement). `severity` is the one
that holds where the contract states none. Numbers in the messages are examples."""
_TARGETS = {
    "constraint": "a constraint",
    "type": "the type of the column",
    "informational": "no: information only",
    "none": "no",
}


def rules_page() -> str:
    """The whole page."""
    return "\n".join([*_head(), *(line for rule, example in EXAMPLES.items() for line in _section(rule, example))])


def _head() -> Iterator[str]:
    yield from ("# Rules", "", AS_IT_IS, "", _INTRODUCTION, "")
    yield row("id, in the example below", "promise", "layer", "severity", "on the published table too")
    yield row("---", "---", "---", "---", "---")
    for rule, example in EXAMPLES.items():
        contract = parse_contract(example.text, rule)
        for broken in example.broken:
            found = _obligation(contract, broken.id)
            yield row(
                f"[{code(broken.id)}](#{rule})",
                promise_words(found.promise).replace("|", "\\|"),
                found.layer.value,
                code(found.severity.value),
                _TARGETS[_target(contract, broken.id)["target"]],
            )
    yield ""


def _section(rule: str, example: Example) -> Iterator[str]:
    contract = parse_contract(example.text, rule)
    yield from (f"## {rule}", "")
    yield from ("```yaml", example.terms.rstrip(), "```", "")
    for broken in example.broken:
        yield from (f"{code(broken.id)}:", "", *_breach(contract, rule, broken), "")


def _breach(contract: Contract, rule: str, broken: Broken) -> Iterator[str]:
    obligation, target = _obligation(contract, broken.id), _target(contract, broken.id)
    finding = Finding(obligation, Outcome.BREACHED, broken.breaches, broken.reason, broken.details)
    yield f"- **Message**: {code(message(finding))}"
    yield f"- **To do**: {step_for(broken.id, rule)}."
    yield f"- **Enforced**: by the gate, before publication{_on_the_table(target['target'], target['why_not'])}."


def _on_the_table(kind: str, why_not: str | None) -> str:
    match kind:
        case "constraint":
            return ", and by a constraint of the published table"
        case "type":
            return ", and by the type of the published column"
        case "informational":
            return "; on the published table it is information only"
        case _:
            return f"; not by the published table: {why_not}"


def _obligation(contract: Contract, identity: str) -> Obligation:
    return next(found for found in obligations_of(contract) if found.id == identity)


def _target(contract: Contract, identity: str) -> Mapping[str, Any]:
    rules = {
        rule.obligation.id: OnTarget(rule.name if rule.predicate is not None else None, rule.why_not)
        for rule in target_rules(contract, promised_types(contract, {}))
    }
    stated = enforcement_document(contract, rules)["obligations"]
    found: Mapping[str, Any] = next(item for item in stated if item["id"] == identity)
    return found
