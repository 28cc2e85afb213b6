"""Settings, as the options of the program that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Memory = Literal["exact", "auto", "bloom"]
Keep = Literal["first", "last", "longest", "shortest", "none"]

# What each memory has as its limit: where exact goes on with files, auto with Bloom filters, and filters in files are
# read from there.
LIMIT = {"exact": "--max-memory", "auto": "--memory-limit", "bloom": "--memory-limit"}


def arguments(
    threshold: float,
    num_permutations: int | None,
    ngram_size: int,
    memory: str,
    memory_limit: int | str | None,
    options: Sequence[str],
) -> list[str]:
    """Return the options of the program. Whether they make sense is for it to say."""
    if isinstance(options, str):
        raise TypeError(f"options is one string: give a list, as in {options.split() or ['--tokenize', 'uax29']!r}")
    if memory not in LIMIT:
        raise ValueError(f'memory is {memory!r}: give "exact", "auto" or "bloom"')
    args = [f"--threshold={threshold}", f"--shingle-size={ngram_size}", f"--memory={memory}"]
    if num_permutations is not None:
        args.append(f"--num-perm={num_permutations}")
    if memory_limit is not None:
        args.append(f"{LIMIT[memory]}={memory_limit}")
    elif memory == "auto":
        raise ValueError('memory="auto" needs memory_limit, as in memory_limit="4GiB": up to there it is exact')
    return [*args, *map(str, options)]
