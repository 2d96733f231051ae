"""How far Polars may read ahead of what is done with the rows: by itself it holds dozens of row groups in memory."""

import os

import polars as pl

_GROUPS = ("POLARS_ROW_GROUP_PREFETCH_SIZE", "POLARS_RECORD_BATCH_PREFETCH_SIZE")
_CHUNKS = "POLARS_CSV_CHUNK_PREFETCH_LIMIT"


def read_little_ahead() -> None:
    """From now on in this process; what whoever runs it has set himself stays. Polars 2.1 has no other way to say it.

    One row group for each thread and the next one: with fewer, threads wait for rows, and a judgement takes a third longer.
    """
    for name in _GROUPS:
        os.environ.setdefault(name, f"{pl.thread_pool_size() + 1}")
    os.environ.setdefault(_CHUNKS, "2")
