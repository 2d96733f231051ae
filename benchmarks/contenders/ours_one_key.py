"""contract-gate with one unique column and without the key of two."""

from functools import partial

from benchmarks.contenders.answer import say
from benchmarks.contenders.ours import count

if __name__ == "__main__":
    say(partial(count, key=()))
