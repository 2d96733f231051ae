"""The same counts as plain SQL in DuckDB: one pass for the rows, one grouping for each key."""

from collections.abc import Mapping
from pathlib import Path

import duckdb

from benchmarks.contenders.answer import say

_ROWS = r"""
SELECT count(*) FILTER (WHERE order_id IS NULL) AS "order_id.null",
       count(*) FILTER (WHERE shop IS NULL) AS "shop.null",
       count(*) FILTER (WHERE ticket IS NULL) AS "ticket.null",
       count(*) FILTER (WHERE sku IS NULL) AS "sku.null",
       count(*) FILTER (WHERE status IS NULL) AS "status.null",
       count(*) FILTER (WHERE quantity IS NULL) AS "quantity.null",
       count(*) FILTER (WHERE NOT regexp_full_match(email, '[a-z0-9._]+@[a-z0-9.-]+\.[a-z]{2,}')) AS "email.pattern",
       count(*) FILTER (WHERE NOT regexp_full_match(sku, '[A-Z]{3}-[0-9]{5}')) AS "sku.pattern",
       count(*) FILTER (WHERE status NOT IN ('open', 'paid', 'sent', 'returned', 'closed')) AS "status.enum",
       count(*) FILTER (WHERE quantity NOT BETWEEN 1 AND 1000) AS "quantity.range",
       count(*) FILTER (WHERE price NOT BETWEEN 0 AND 100000) AS "price.range",
       count(*) FILTER (WHERE length(note) > 60) AS "note.length",
       count(*) FILTER (WHERE regexp_full_match(note, '\s*')) AS "note.blank",
       count(*) FILTER (WHERE ordered_on NOT BETWEEN DATE '2024-01-01' AND DATE '2025-12-31') AS "ordered_on.range"
FROM read_parquet($1)
"""
_KEY = "SELECT coalesce(sum(size), 0) FROM (SELECT count(*) AS size FROM read_parquet($1) GROUP BY {by} HAVING count(*) > 1)"


def count(path: Path) -> Mapping[str, int]:
    """Two nulls in a key are equal, as GROUP BY has it."""
    connection = duckdb.connect()
    answer = connection.execute(_ROWS, [str(path)])
    names = [column[0] for column in answer.description or ()]
    found = dict(zip(names, answer.fetchone() or (), strict=True))
    keys = {"order_id.unique": "order_id", "key": "shop, ticket"}
    for rule, by in keys.items():
        (found[rule],) = connection.execute(_KEY.format(by=by), [str(path)]).fetchone() or (0,)
    return found


if __name__ == "__main__":
    say(count)
