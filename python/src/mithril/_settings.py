"""Settings, as the options of the program that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Memory = Literal["exact", "auto", "bloom"]
Keep = Literal["first", "last", "longest", "shortest", "none"]

MEMORIES = ("exact", "auto", "bloom")


def arguments(
    threshold: float,
    num_permutations: int | None,
    ngram_size: int,
    memory: str,
    max_memory: int | str | None,
    options: Sequence[str],
) -> list[str]:
    """Return the options of the program. Whether they make sense is for it to say."""
    if isinstance(options, str):
        raise TypeError(f"options is one string: give a list, as in {options.split() or ['--tokenize', 'uax29']!r}")
    if memory not in MEMORIES:
        raise ValueError(f'memory is {memory!r}: give "exact", "auto" or "bloom"')
    args = [f"--threshold={threshold}", f"--shingle-size={ngram_size}", f"--memory={memory}"]
    if num_permutations is not None:
        args.append(f"--num-perm={num_permutations}")
    if max_memory is not None:
        args.append(f"--max-memory={max_memory}")
    elif memory == "auto":
        raise ValueError('memory="auto" needs max_memory, as in max_memory="4GiB": up to there it is exact')
    return [*args, *map(str, options)]
