"""How far Polars may read ahead of what is done with the rows: by itself it holds dozens of row groups in memory."""

import os
from collections.abc import Mapping

_LIMITS: Mapping[str, str] = {
    "POLARS_ROW_GROUP_PREFETCH_SIZE": "1",
    "POLARS_RECORD_BATCH_PREFETCH_SIZE": "1",
    "POLARS_CSV_CHUNK_PREFETCH_LIMIT": "2",
}


def read_little_ahead() -> None:
    """From now on in this process; what whoever runs it has set himself stays. Polars 2.1 has no other way to say it."""
    for name, limit in _LIMITS.items():
        os.environ.setdefault(name, limit)
