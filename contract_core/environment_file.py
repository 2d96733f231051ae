"""A YAML file that names environments → the `Environment` of this process, or every problem of the file at once.

The file says where things are and who acts. What a delivery must keep stands in contracts alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from os.path import realpath
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from contract_core.contract.scalars import NamedText, Term, Text, refuse, yaml_word
from contract_core.contract.yaml_document import MAX_BYTES, Document, Mark, Value, load_document
from contract_core.contract.yaml_document import Path as Place
from contract_core.environment import CHOSEN, CONFIG, FOLDERS, ROOT, Environment, refuse_unknown, told_unknown
from contract_core.errors import Problem, WrongUsageError

FILE = Path("environments.yaml")
NAMES = ("dev", "test", "acceptance", "production")
_LONG = {"development": "dev"}
_EXAMPLE = "write environments: {dev: {root: data}}"
_HINTS = {  # of the YAML reader, which otherwise reads contracts
    "write contract:, version: and fields:": _EXAMPLE,
    "write one contract per file": "write all environments into one document",
}
_OWN = ("candidates", "published", "quarantine", "ledger", "registry")
"""The folders that the gate writes: no two environments share one. Contracts and landing are read, and may be shared."""

Told = tuple[Mark, str, str]


def _folder(value: object) -> object:
    if isinstance(value, str) and (value.startswith("~") or "://" in value or "$" in value):
        refuse("is more than a plain path", "write the path of a local folder in full: no ~, no $VARIABLE, no URL")
    if isinstance(value, str) and not value.isprintable():
        refuse("holds characters that cannot be seen", "write the path of a local folder")
    return value


def _catalog(value: object) -> object:
    if isinstance(value, str) and not (value.replace("_", "").replace("-", "").isalnum() and value.isascii()):
        refuse("cannot begin the key of an asset", "write letters, digits, _ and - only")
    return value


Folder = Annotated[NamedText, BeforeValidator(_folder)]
Catalog = Annotated[NamedText, BeforeValidator(_catalog)]


class Identities(Term):
    """Who acts: the user that publishes, the group that reads what is published."""

    publisher: NamedText = ""
    readers: NamedText = ""


class Terms(Term):
    """All that one environment can say. An empty text stands for what it does not say."""

    root: Folder
    contracts: Folder = ""
    landing: Folder = ""
    candidates: Folder = ""
    published: Folder = ""
    quarantine: Folder = ""
    ledger: Folder = ""
    registry: Folder = ""
    catalog: Catalog = ""
    identities: Identities = Identities()
    channels: dict[Text, NamedText] = Field(default={}, validate_default=False)


def find_environment(variables: Mapping[str, str], root: Path | None = None) -> Environment:
    """The environment of a process: the one that CONTRACT_GATE_ENV names in environments.yaml or in the file CONTRACT_GATE_CONFIG.

    Without a file, or with a root and without that name, the usual folders below the root, else ./data. Raises
    WrongUsageError where there is a file and nothing says which of its environments is meant.
    """
    refuse_unknown(variables)
    path, chosen = _file(variables, root), variables.get(CHOSEN)
    if path is None:
        return Environment.of(variables, root)
    environments = read_environments(path)
    known = ", ".join(environments)
    if not chosen:
        raise WrongUsageError(Problem(CHOSEN, f"is not set, and {path} has {known}", "set it to one of them"))
    environment = environments.get(_LONG.get(chosen, chosen))
    if environment is None:
        close = get_close_matches(chosen, environments, n=1, cutoff=0.4)
        hint = f"did you mean '{close[0]}'?" if close else "set it to one of them, or add it to the file"
        raise WrongUsageError(Problem(CHOSEN, f"no environment '{chosen}'; {path} has {known}", hint))
    return Environment.of(variables, root, environment)


def _file(variables: Mapping[str, str], root: Path | None) -> Path | None:
    """The file that is named, else the one in the working directory where it is there and something is left to say."""
    if variables.get(CONFIG):
        return Path(variables[CONFIG])
    is_placed = root is not None or bool(variables.get(ROOT))
    return FILE if FILE.exists() and (variables.get(CHOSEN) or not is_placed) else None


def read_environments(path: Path) -> dict[str, Environment]:
    """The environments of a file by their names, in its order. Raises WrongUsageError with all problems of the file."""
    document = load_document(_text(path))
    problems = [(mark, what, _HINTS.get(hint, hint)) for mark, what, hint in document.problems]
    terms: dict[str, Terms] = {}
    if document.value is not None or not problems:
        problems += _problems_of_the_whole(document)
        for key, value in _stated(document).items():
            try:
                terms[key] = Terms.model_validate(value)
            except ValidationError as error:
                problems += [_told(document, ("environments", key), item) for item in error.errors(include_url=False)]
    environments = {key: _environment(key, stated, path.parent) for key, stated in terms.items()}
    problems += _shared(document, environments)
    if problems:
        raise WrongUsageError(*_placed(path, problems))
    return {_LONG.get(key, key): environment for key, environment in environments.items()}


def _text(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        what = f"the file of environments cannot be read: {error.strerror or type(error).__name__}"
        raise WrongUsageError(
            Problem(str(path), what, f"check the path and your rights; {CONFIG} names another file")
        ) from None


def _placed(path: Path, problems: list[Told]) -> Iterator[Problem]:
    for mark, what, hint in sorted(set(problems), key=lambda told: (told[0].line, told[0].column, told[1])):
        yield Problem(f"{path}:{mark.line}:{mark.column}", what, hint)


def _stated(document: Document) -> dict[str, Value]:
    """What stands below `environments`, under names that an environment can have."""
    whole = document.value if isinstance(document.value, dict) else {}
    listed = whole.get("environments")
    names = (*NAMES, *_LONG)
    return {key: value for key, value in listed.items() if key in names} if isinstance(listed, dict) else {}


def _problems_of_the_whole(document: Document) -> Iterator[Told]:
    whole = document.value
    if not isinstance(whole, dict):
        yield Mark(1, 1), f"the file is {yaml_word(whole)}, a mapping is needed", _EXAMPLE
        return
    for key in whole.keys() - {"environments"}:
        yield document.key_mark((key,)), *told_unknown(key, f"'{key}' is no attribute of the file", ["environments"])
    listed = whole.get("environments")
    if not isinstance(listed, dict) or not listed:
        found = "missing" if "environments" not in whole else "empty" if listed == {} else yaml_word(listed)
        what = f"environments: is {found}, a mapping of environments is needed"
        yield document.mark(("environments",)), what, _EXAMPLE
        return
    for key in listed.keys() - {*NAMES, *_LONG}:
        yield document.key_mark(("environments", key)), *told_unknown(key, f"'{key}' is no environment", NAMES)
    for long, short in _LONG.items():
        if long in listed and short in listed:
            what = f"'{long}' is the same as '{short}', which stands here too"
            yield document.key_mark(("environments", long)), what, "keep one"


def _told(document: Document, holder: Place, error: Any) -> Told:  # noqa: ANN401 - pydantic's own errors
    path = (*holder, *error["loc"])
    name, above, last = ".".join(map(str, path)), ".".join(map(str, path[:-1])), str(path[-1])
    match error["type"]:
        case "extra_forbidden":
            known = Identities.model_fields if path[-2] == "identities" else Terms.model_fields
            what, hint = told_unknown(last, f"'{last}' is no attribute of '{above}'", known)
            return document.key_mark(path), what, hint
        case "missing":
            return document.key_mark(path[:-1]), f"'{above}' has no '{last}'", f"write {last}:"
        case "model_type":
            what = f"{name}: is {yaml_word(error['input'])}, a mapping is needed"
            return document.mark(path), what, "write {name: value, …}"
        case _:
            context = error.get("ctx", {})
            return document.mark(path), f"{name}: {context.get('what', error['msg'])}", context.get("hint", "")


def _environment(key: str, terms: Terms, folder: Path) -> Environment:
    """Relative paths are relative to the file."""
    moved = {name: folder / place for name in FOLDERS if (place := getattr(terms, name))}
    return replace(
        Environment.at(folder / terms.root),
        **moved,
        name=_LONG.get(key, key),
        catalog=terms.catalog or None,
        publisher=terms.identities.publisher or None,
        readers=terms.identities.readers or None,
        channels=tuple(terms.channels.items()),
    )


def _shared(document: Document, environments: Mapping[str, Environment]) -> Iterator[Told]:
    """Folders that two environments would write: what one decides would count in the other."""
    for (first, one), (second, other) in combinations(environments.items(), 2):
        common = [name for name in _OWN if realpath(getattr(one, name)) == realpath(getattr(other, name))]
        if common:
            what = f"environments.{second} has the same folders as environments.{first}: {', '.join(common)}"
            yield document.key_mark(("environments", second)), what, "give each environment folders of its own"
