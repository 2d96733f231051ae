"""The marks of Markdown that the written pages are made of."""

AS_IT_IS = "<!-- Written from the code by `make reference`; edit the code and not this page. -->"


def code(text: str) -> str:
    """The text as code; in a table, a bar must not end the cell."""
    return f"`{text.replace('|', chr(92) + '|')}`" if "`" not in text else text.replace("|", "\\|")


def row(*cells: str) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"
