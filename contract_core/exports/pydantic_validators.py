"""The source of the functions that a generated pydantic model needs beside it: what its own constraints cannot say."""

from contract_core.exports.source_text import text_literal
from contract_core.exports.white_space import WHITE_SPACE

HELPERS = {
    "_WHITE_SPACE": f"""\
_WHITE_SPACE = (
    {text_literal(WHITE_SPACE["unicode"][:12])}
    {text_literal(WHITE_SPACE["unicode"][12:])}
)
""",
    "_one_of": '''\

def _one_of(*allowed: object) -> pydantic.AfterValidator:
    """Takes the listed values alone."""

    def judged(value: object) -> object:
        if value is not None and value not in allowed:
            raise ValueError("is not one of the allowed values")
        return value

    return pydantic.AfterValidator(judged)
''',
    "_not_blank": '''\

def _not_blank(white_space: str) -> pydantic.AfterValidator:
    """Takes texts that hold more than white space."""

    def judged(value: str | None) -> str | None:
        if value is not None and not value.strip(white_space):
            raise ValueError("is blank")
        return value

    return pydantic.AfterValidator(judged)
''',
    "_trimmed": '''\

def _trimmed(white_space: str) -> pydantic.AfterValidator:
    """Takes texts without outer white space."""

    def judged(value: str | None) -> str | None:
        if value is not None and value.strip(white_space) != value:
            raise ValueError("has outer white space")
        return value

    return pydantic.AfterValidator(judged)
''',
}
"""What a generated module defines where a field uses it."""
