"""What one partition takes in a process in which everything is loaded: the first one is left out, and the others are told at the median."""

import json
import statistics
import time
from collections.abc import Callable


def say(act: Callable[[int], object], count: int, rows: Callable[[], int]) -> None:
    """Does it for each partition, by its number, and prints the times in milliseconds and the rows that are published then."""
    wall, cpu = [], []
    for number in range(count):
        begin, spent = time.perf_counter(), time.process_time()
        act(number)
        wall.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - spent)
    rest = slice(1 if count > 1 else 0, None)
    times = {"wall_ms": statistics.median(wall[rest]) * 1000, "cpu_ms": statistics.median(cpu[rest]) * 1000}
    print(json.dumps({**times, "rows": rows()}))
