"""`docs/requirements.md` and the tests say the same: every row has tests, and those name it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = [
    (match["row"], re.findall(r"`([^`]+\.py)`", match["tests"]))
    for match in re.finditer(
        r"^\| (?P<row>S\d-\d{3}) \|.*\|(?P<tests>[^|]*)\|$", (ROOT / "docs/requirements.md").read_text(), re.MULTILINE
    )
]
RANGE = re.compile(r"(S\d)-(\d{3})\s?(?:…|–|-|to)\s?(?:S\d-)?(\d{3})")


def named_in(file: str) -> set[str]:
    """The rows that a test file names, one by one or as a range."""
    text = (ROOT / "tests" / file).read_text()
    spans = (
        f"{family}-{number:03d}"
        for family, low, high in RANGE.findall(text)
        for number in range(int(low), int(high) + 1)
    )
    return set(re.findall(r"S\d-\d{3}", text)) | set(spans)


def test_every_row_has_tests():
    assert [row for row, files in ROWS if not files] == []
    assert len(ROWS) == len({row for row, _ in ROWS}) >= 96


def test_every_test_names_its_row():
    assert [(row, file) for row, files in ROWS for file in files if row not in named_in(file)] == []
