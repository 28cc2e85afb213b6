"""Settings, and the options of the program that they become."""

from __future__ import annotations

import datetime
import numbers
import os
import re
from collections.abc import Sequence
from typing import Any, Literal

Memory = Literal["exact", "auto", "bloom"]
Method = Literal["ccnet", "dolma", "dolma-ngram", "dclm", "bloom-ngrams"]
Keep = Literal["first", "last", "longest", "shortest", "fullest", "none"]

MEMORIES = ("exact", "auto", "bloom")


def memory_of(memory: Memory | None, method: str | None, default: Memory) -> Memory:
    """Return the memory that is meant: where none is named, the default, or with a method, which knows parts of
    documents and no originals, filters."""
    if memory is None:
        return "bloom" if method else default
    if memory not in MEMORIES:
        raise ValueError(f'memory must be "exact", "auto" or "bloom", got {memory!r}')
    return memory


def arguments(
    threshold: float | None,
    num_permutations: int | None,
    ngram_size: int | None,
    memory: str | None,
    max_memory: int | str | None,
    method: str | None,
    options: Sequence[str],
    preset: str | None = None,
    within: str | None = None,
) -> list[str]:
    """Return the options of the program. Raises TypeError or ValueError for what no program would take; whether the
    rest makes sense is for the program to say. Without a memory it is the program's default."""
    options = strings(options)
    refuse_given(options)
    check_within(within)
    check_share("threshold", threshold)
    check_count("num_permutations", num_permutations)
    check_count("ngram_size", ngram_size)
    if isinstance(max_memory, bool) or not isinstance(max_memory, (int, str, type(None))):
        raise TypeError(f'max_memory must be a number of bytes or a string such as "4GiB", got {max_memory!r}')
    args = [] if memory is None else [f"--memory={memory}"]
    if preset is not None:
        args.append(f"--preset={preset}")
    if method is not None:
        args.append(f"--method={method}")
    if threshold is not None:
        args.append(f"--{'overlap' if method else 'threshold'}={threshold}")
    if ngram_size is not None:
        args.append(f"--shingle-size={ngram_size}")
    if num_permutations is not None:
        args.append(f"--num-perm={num_permutations}")
    if within is not None:
        args.append(f"--within={within}")
    if max_memory is not None:
        args.append(f"--max-memory={max_memory}")
    elif memory == "auto":
        raise ValueError('memory="auto" needs max_memory, as in max_memory="4GiB": up to there it is exact')
    return [*args, *options]


def strings(options: Sequence[str]) -> list[str]:
    if isinstance(options, str):
        raise TypeError(f"options is one string: give a list, as in {options.split() or ['--tokenize', 'uax29']!r}")
    return [*map(str, options)]


# Options that change what is sent to the program, or what comes back, and what to do in their place.
ARGUMENTS = {
    "--index": "give index= to a Deduplicator, or index= and run= to deduplicate or duplicates",
    "--run": "give run=, where it is taken",
    "--within": "give within=, where it is taken",
    "--method": "give method=, which also says what threshold and ngram_size are",
    "--listen": "start mithril-stream judge --listen yourself, and ask it by a Client",
}


def refuse_given(options: Sequence[str]) -> None:
    """Refuse options that are arguments here."""
    for option in strings(options):
        name = option.split("=")[0]
        if name in ARGUMENTS:
            raise ValueError(f"options has {name}: {ARGUMENTS[name]}")


def run_of(run: str | datetime.date | None, index: Any) -> str | None:
    """Return the name of a run, which may be a day. Raises TypeError or ValueError for what is none."""
    if run is None:
        return None
    if isinstance(run, datetime.date) and not isinstance(run, datetime.datetime):
        run = run.isoformat()
    if not isinstance(run, str):
        raise TypeError(f'run must be a name, such as "2026-11-28", that is the same when the task is run again, got {run!r}')
    if not run:
        raise ValueError('run is empty: give a name, such as "2026-11-28"')
    if index is None:
        raise ValueError(f"run={run!r} needs index=: that is where its verdicts are kept")
    return run


def check_within(within: Any) -> None:
    if within is not None and (not isinstance(within, str) or not within):
        raise TypeError(f"within must be the name of a column, got {within!r}")


def keeps_samples(options: Sequence[str]) -> bool:
    """Say whether options name a sketch with a memory of its own, instead of one of MinHash."""
    words = [word for option in strings(options) for word in option.split("=", 1)]
    return any(name == "--sketch" and value == "fracminhash" for name, value in zip(words, words[1:]))


def check_share(name: str, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number between 0 and 1, got {value!r}")
    if not 0 < float(value) <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")


def check_count(name: str, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, numbers.Integral)):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if int(value) < 1:
        raise ValueError(f"{name} must be at least 1, got {value!r}")


def check_path(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be a path, got {value!r}")


# What a setting is called in the messages of the program, with or without dashes before it.
FLAGS = {
    "--threshold": "threshold",
    "--overlap": "threshold",
    "--num-perm": "num_permutations",
    "num-perm": "num_permutations",
    "--shingle-size": "ngram_size",
    "shingle-size": "ngram_size",
    "--max-memory": "max_memory",
    "max-memory": "max_memory",
    "--preset": "preset",
    "--method": "method",
    "--memory": "memory",
    "--index": "index",
    "--run": "run",
    "--within": "within",
}


def in_terms_of_python(message: str) -> str:
    """Return what the program says of wrong settings, with the names that they have here."""
    message = re.sub(r" \(see mithril-stream[^)]*\)$", "", message)
    return re.sub(r"(--)?[a-z]+(-[a-z]+)*", lambda flag: FLAGS.get(flag[0], flag[0]), message)
