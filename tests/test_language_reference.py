"""`docs/language.md` names every attribute and every rule label that there is, and its example is a contract."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from contract_core.contract.model import Contract
from contract_core.contract.parsing import parse_contract
from contract_core.validation.obligations import obligations_of

TEXT = (Path(__file__).parents[1] / "docs" / "language.md").read_text("utf-8")
EXAMPLE = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)[0]


def attributes(model: type[BaseModel], seen: frozenset[type] = frozenset()) -> set[str]:
    """Every attribute of a model and of the models inside it."""
    names: set[str] = set()
    for name, info in model.model_fields.items():
        names.add(info.alias or name)
        for inner in models_in(info.annotation):
            if inner not in seen:
                names |= attributes(inner, seen | {inner})
    return names


def models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in getattr(annotation, "__args__", ()) for model in models_in(argument)]


LATER = {"max_share"}


@pytest.mark.parametrize("name", sorted(attributes(Contract) - LATER))
def test_every_attribute_is_documented(name):
    assert re.search(rf"\b{name}\b", TEXT)


def test_every_reference_within_the_page_leads_to_a_chapter():
    chapters = {title.lower().replace(" ", "-") for title in re.findall(r"^## (.+)$", TEXT, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) - chapters == set()


def test_the_example_is_a_contract_and_its_rules_are_documented():
    rules = {obligation.rule for obligation in obligations_of(parse_contract(EXAMPLE, "docs/language.md"))}
    assert [rule for rule in sorted(rules) if f"`{rule}`" not in TEXT] == []
