"""What every contender says: rows that break each rule, as one line of JSON."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

RULES = (
    "order_id.null", "shop.null", "ticket.null", "sku.null", "status.null", "quantity.null", "email.pattern", "sku.pattern",
    "status.enum", "quantity.range", "price.range", "note.length", "note.blank", "ordered_on.range", "order_id.unique", "key",
)  # fmt: skip
"""By rule the rows that break it; for uniqueness all rows whose value stands more than once. A null breaks `null` alone."""


def say(count: Callable[[Path], Mapping[str, int]]) -> None:
    """Answer for the file that the command line names."""
    print(json.dumps({rule: int(found) for rule, found in count(Path(sys.argv[1])).items()}, sort_keys=True))
