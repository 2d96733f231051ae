"""YAML text → one of the smaller files beside contracts, or every problem of the file at once, each as file:line:column."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from contract_core.contract.remaining import plain_path
from contract_core.contract.scalars import Term, yaml_word
from contract_core.contract.yaml_document import Document, Mark, load_document
from contract_core.errors import Problem, WrongUsageError

T = TypeVar("T", bound=Term)
Told = tuple[Mark, str, str]


def read_terms(model: type[T], text: bytes, source: str) -> T:
    """The file as `model`; `source` names it in messages. Raises WrongUsageError with all of its problems."""
    document = load_document(text)
    problems: list[Told] = [(mark, what, "") for mark, what, _ in document.problems]
    if not problems and not isinstance(document.value, dict):
        known = ", ".join(_attributes(model))
        problems = [(Mark(1, 1), f"the file is {yaml_word(document.value)}, a mapping is needed", f"known: {known}")]
    if not problems:
        try:
            return model.model_validate(document.value)
        except ValidationError as error:
            problems = [_told(document, model, item) for item in error.errors(include_url=False)]
    raise WrongUsageError(*_placed(source, problems))


def _placed(source: str, problems: list[Told]) -> Iterator[Problem]:
    for mark, what, hint in sorted(set(problems), key=lambda told: (told[0].line, told[0].column, told[1])):
        yield Problem(f"{source}:{mark.line}:{mark.column}", what, hint)


def _told(document: Document, model: type[BaseModel], error: Any) -> Told:  # noqa: ANN401 - pydantic's own errors
    path = plain_path(error["loc"])
    name, context = ".".join(map(str, path)), error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            known = _attributes(_model_at(model, path[:-1]))
            close = get_close_matches(str(path[-1]), known, n=1)
            nearest = f"did you mean '{close[0]}'? " if close else ""
            hint = f"{nearest}known: {', '.join(known)}"
            return document.key_mark(path), f"'{name}' is no attribute of the file", hint
        case "missing":
            holder = path[:-1]
            return (
                document.mark(holder),
                f"{'.'.join(map(str, holder)) or 'the file'} has no '{path[-1]}'",
                f"write {path[-1]}:",
            )
        case "enum" | "literal_error":
            known_words = f"one of: {context.get('expected', '')}".replace("'", "")
            return document.mark(path), f"{name}: is not one of the known words", known_words
        case "contract":
            return document.mark(path), f"{name}: {context.get('what', '')}", context.get("hint", "")
    return document.mark(path), f"{name}: is {yaml_word(error['input'])}, which does not fit here", ""


def _model_at(model: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel]:
    """The model of what stands at a path, as far as the annotations tell."""
    for part in path:
        if isinstance(part, str):
            found = [
                inner
                for name, info in model.model_fields.items()
                if part in (name, info.alias)
                for inner in _models_in(info.annotation)
            ]
            model = found[0] if found else model
    return model


def _models_in(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in getattr(annotation, "__args__", ()) for model in _models_in(argument)]


def _attributes(model: type[BaseModel]) -> list[str]:
    return [info.alias or name for name, info in model.model_fields.items()]
