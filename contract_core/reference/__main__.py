"""`python -m contract_core.reference FOLDER` writes the pages into a folder."""

import sys
from pathlib import Path

from contract_core.reference.attributes import attributes_page
from contract_core.reference.commands import commands_page
from contract_core.reference.rules import rules_page

PAGES = {"attributes.md": attributes_page, "commands.md": commands_page, "rules.md": rules_page}


def main(folder: Path) -> None:
    """Write each page whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(f"{page().rstrip()}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
