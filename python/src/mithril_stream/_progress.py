"""Telling how far a call has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def reporting(progress: Any, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give a function to be told how many more texts are through. progress is what the user has given: a tqdm bar, or
    whatever has update; a function of the number so far; True, for a bar of our own; or nothing."""
    bar = None
    if progress is True:
        progress = bar_class()
    if isinstance(progress, type) and hasattr(progress, "update"):
        progress = bar = progress(total=total, unit=" rows")
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if hasattr(progress, "update"):
            progress.update(more)
        elif progress is not None:
            progress(done)

    if progress is False:
        progress = None
    if progress is not None and not hasattr(progress, "update") and not callable(progress):
        raise TypeError(f"progress is {progress!r}: give True, a tqdm bar, or a function of the number of rows so far")
    try:
        yield tell
    finally:
        if bar is not None:
            bar.close()


def bar_class() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ModuleNotFoundError(
            "progress=True draws a bar by tqdm, which is not installed: pip install tqdm, or give a function of the "
            "number of rows so far"
        ) from None
    return tqdm
