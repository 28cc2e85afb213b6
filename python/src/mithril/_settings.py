"""Settings, as the options of the program that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Memory = Literal["exact", "auto", "bloom"]
Method = Literal["ccnet", "dolma", "dolma-ngram", "dclm", "bloom-ngrams"]
Keep = Literal["first", "last", "longest", "shortest", "none"]

MEMORIES = ("exact", "auto", "bloom")


def memory_of(memory: Memory | None, method: str | None) -> Memory:
    """Return the memory that is meant where none is named. With a method, which knows parts of documents and no
    originals, it is filters."""
    if memory is None:
        return "bloom" if method else "exact"
    if memory not in MEMORIES:
        raise ValueError(f'memory is {memory!r}: give "exact", "auto" or "bloom"')
    return memory


def arguments(
    threshold: float | None,
    num_permutations: int | None,
    ngram_size: int | None,
    memory: str,
    max_memory: int | str | None,
    method: str | None,
    options: Sequence[str],
) -> list[str]:
    """Return the options of the program. Whether they make sense is for it to say."""
    if isinstance(options, str):
        raise TypeError(f"options is one string: give a list, as in {options.split() or ['--tokenize', 'uax29']!r}")
    options = [*map(str, options)]
    if any(option.split("=")[0] == "--method" for option in options):
        raise ValueError("options has --method: give method=, which also says what threshold and ngram_size are")
    args = [f"--memory={memory}"]
    if method is None:
        args.append(f"--threshold={0.85 if threshold is None else threshold}")
        args.append(f"--shingle-size={5 if ngram_size is None else ngram_size}")
    else:
        args.append(f"--method={method}")
        if threshold is not None:
            args.append(f"--overlap={threshold}")
        if ngram_size is not None:
            args.append(f"--shingle-size={ngram_size}")
    if num_permutations is not None:
        args.append(f"--num-perm={num_permutations}")
    if max_memory is not None:
        args.append(f"--max-memory={max_memory}")
    elif memory == "auto":
        raise ValueError('memory="auto" needs max_memory, as in max_memory="4GiB": up to there it is exact')
    return [*args, *options]
