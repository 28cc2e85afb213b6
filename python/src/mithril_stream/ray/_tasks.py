"""Functions that run on the nodes, and the blocks between them.

Blocks are split and gathered by tasks, and not by the hash shuffle of Ray Data: that one gathers in actors, and what an
actor has gathered is lost with its node. What a task has made is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import ray

if TYPE_CHECKING:
    from ray.data import Dataset


@ray.remote(max_retries=-1)  # as Ray Data has it: nodes may be taken away any number of times
def call(function: Callable[..., Sequence[Any]], returns: int, *args: Any) -> Any:
    made = function(*args)
    return made[0] if returns == 1 else tuple(made)


def start(function: Callable[..., Sequence[Any]], *args: Any, returns: int = 1) -> list[Any]:
    """Start a function that returns a list of values, and return references to them. A reference among its
    arguments is replaced by its value."""
    made: Any = call.options(num_returns=returns, name=function.__name__).remote(function, returns, *args)
    return [made] if returns == 1 else list(made)


def gather(
    split: Sequence[Sequence[Any]], function: Callable[..., Sequence[Any]], *args: Any, returns: int = 1
) -> list[list[Any]]:
    """Start a function for each part of blocks that were split into as many parts: with that part of each block."""
    return [start(function, *args, *parts, returns=returns) for parts in zip(*split)]


def of_blocks(ds: Dataset, function: Any, *args: Any) -> Dataset:
    """Return what a function makes of each block of a dataset, a table of Arrow or several."""
    return ds.map_batches(function, fn_args=args, batch_size=None, batch_format="pyarrow", zero_copy_batch=True)
