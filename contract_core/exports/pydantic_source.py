"""A contract as Python source of a pydantic model for one row: strict, with the rules of every field inside."""

from collections.abc import Sequence

from contract_core.contract.model import Contract, Field
from contract_core.exports.exported import Exported
from contract_core.exports.left_out import beyond_one_record, only_warns, sentences
from contract_core.exports.pydantic_types import annotation, partly_judged, why_not
from contract_core.exports.pydantic_validators import HELPERS
from contract_core.exports.source_text import (
    Code,
    call,
    class_name,
    heading,
    laid_out,
    names_in,
    python_names,
    text_literal,
)
from contract_core.validation.obligations import Obligation

RESERVED = frozenset(
    {"bool", "bytes", "datetime", "decimal", "dict", "float", "int", "list", "object", "pydantic", "str", "typing",
     "construct", "copy", "from_orm", "json", "model_computed_fields", "model_config", "model_construct", "model_copy",
     "model_dump", "model_dump_json", "model_extra", "model_fields", "model_fields_set", "model_json_schema",
     "model_parametrized_name", "model_post_init", "model_rebuild", "model_validate", "model_validate_json",
     "model_validate_strings", "parse_file", "parse_obj", "parse_raw", "schema", "schema_json",
     "update_forward_refs", "validate"}
)  # fmt: skip
"""What the body of a model uses, and what every pydantic model has of its own."""
_MODULES = ("datetime", "decimal", "typing")
_EXTRA = {"reject": "forbid", "ignore": "ignore", "keep": "allow"}
_CARRIED = frozenset({"fields.description", "fields.semantics"})


def pydantic_source(contract: Contract) -> Exported:
    """A module with one model, named after the contract; a field whose name Python does not take has an alias."""
    fields = "".join(f"{line}\n" for line in _fields(contract))
    used = names_in(fields)
    helpers = "".join(f"\n{source}" for name, source in HELPERS.items() if name in used)
    text = (
        f"{heading(contract, 'pydantic')}\n{_imports(used)}{helpers}\n\n"
        f"class {class_name(contract, 'Row')}(pydantic.BaseModel):\n"
        f'    """One row of {contract.name} {contract.version}."""\n\n'
        f"{_config(contract)}\n\n{fields}"
    )
    return Exported(text, sentences(contract, lambda item: _why(item, contract), _CARRIED, partly_judged(contract)))


def _why(obligation: Obligation, contract: Contract) -> str:
    if obligation.rule == "row_rule":
        return "a condition in SQL has no counterpart in a model"
    return beyond_one_record(obligation) or only_warns(obligation) or why_not(obligation, contract)


def _imports(used: frozenset[str]) -> str:
    standard = "".join(f"import {module}\n" for module in _MODULES if module in used)
    return f"{standard}\nimport pydantic\n" if standard else "import pydantic\n"


def _config(contract: Contract) -> str:
    settings: dict[str, Code] = {
        "strict": "True",
        "extra": text_literal(_EXTRA[contract.extra_fields]),
        "protected_namespaces": "()",
        "hide_input_in_errors": "True",
    }
    return laid_out("model_config = ", call("pydantic.ConfigDict", **settings), indent=4)


def _fields(contract: Contract) -> Sequence[str]:
    names = python_names(contract.field_names, RESERVED)
    return [_field(names[field.name], field, contract) for field in contract.fields]


def _field(name: str, field: Field, contract: Contract) -> str:
    alias: dict[str, Code] = {} if name == field.name else {"alias": text_literal(field.name)}
    words = "\n".join(text for text in (field.description, field.semantics) if text)
    described: dict[str, Code] = {"description": text_literal(words)} if words else {}
    default = "" if field.required else " = None"
    return laid_out(f"{name}: ", annotation(field, contract, {**alias, **described}), default, indent=4)
