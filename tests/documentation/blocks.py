"""Pages of Markdown → what stands in their fences and hidden notes, in order."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
_BLOCK = re.compile(
    r"^```(?P<language>[\w-]*)(?P<options>[^\n`]*)\n(?P<text>.*?)^```$"
    r"|^<!-- (?P<note>run|today)\s(?P<said>.*?)-->$",
    re.MULTILINE | re.DOTALL,
)
_TITLE = re.compile(r' title="(in )?([^"]+)"')


@dataclass(frozen=True, slots=True)
class Block:
    """One fence, or one hidden note, which readers of the page do not see.

    `file` is the name of its title; `is_part` where the title says that it stands in a file among other things.
    """

    kind: str
    text: str
    line: int
    file: str = ""
    is_part: bool = False


def blocks_of(page: str) -> list[Block]:
    """Every block of a page below `docs`."""
    text = (DOCS / page).read_text("utf-8")
    return [_block(match, text.count("\n", 0, match.start()) + 1) for match in _BLOCK.finditer(text)]


def _block(match: re.Match[str], line: int) -> Block:
    if match["note"]:
        return Block(match["note"], match["said"].strip(), line)
    title = _TITLE.fullmatch(match["options"].rstrip())
    assert title or not match["options"].strip(), f'line {line}: the only option of a fence is title="FILE"'
    return Block(match["language"], match["text"], line, title[2] if title else "", bool(title and title[1]))


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Each command of a console block with what is shown below it."""
    pieces = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not pieces[0], f"line {block.line}: a console block begins with '$ '"
    return [(command, shown) for command, _, shown in (piece.partition("\n") for piece in pieces[1:])]


def agrees(shown: str, found: str) -> bool:
    """True where the texts are equal, with … for anything within a word, and a line of … alone for any lines."""
    lines = shown.splitlines(keepends=True)
    patterns = [r"(?:[^\n]*\n)*?" if line == "…\n" else re.escape(line).replace("…", r"\S*") for line in lines]
    return re.fullmatch("".join(patterns), found) is not None
