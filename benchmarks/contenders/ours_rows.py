"""contract-gate with the rules about single rows alone."""

from functools import partial

from benchmarks.contenders.answer import say
from benchmarks.contenders.ours import count

if __name__ == "__main__":
    say(partial(count, key=(), unique=()))
