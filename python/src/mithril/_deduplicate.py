"""Near-duplicates of a table, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, get_args, overload

from mithril import _judge
from mithril._choice import grouped
from mithril._groups import Edge
from mithril._judge import Judge
from mithril._progress import reporting
from mithril._settings import Keep, Memory, Method, arguments, memory_of
from mithril._tables import Table, table_of

Rows = TypeVar("Rows")


@overload
def deduplicate(
    data: Rows,
    column: str = ...,
    *,
    threshold: float | None = ...,
    num_permutations: int | None = ...,
    ngram_size: int | None = ...,
    memory: Memory | None = ...,
    max_memory: int | str | None = ...,
    keep: Keep = ...,
    return_groups: Literal[False] = ...,
    method: Method | None = ...,
    progress: Any = ...,
    options: Sequence[str] = ...,
) -> Rows: ...


@overload
def deduplicate(
    data: Rows,
    column: str = ...,
    *,
    threshold: float | None = ...,
    num_permutations: int | None = ...,
    ngram_size: int | None = ...,
    memory: Memory | None = ...,
    max_memory: int | str | None = ...,
    keep: Keep = ...,
    return_groups: Literal[True],
    method: Method | None = ...,
    progress: Any = ...,
    options: Sequence[str] = ...,
) -> tuple[Rows, list[int]]: ...


@overload
def deduplicate(
    data: Rows,
    column: str = ...,
    *,
    threshold: float | None = ...,
    num_permutations: int | None = ...,
    ngram_size: int | None = ...,
    memory: Memory | None = ...,
    max_memory: int | str | None = ...,
    keep: Keep = ...,
    return_groups: bool,
    method: Method | None = ...,
    progress: Any = ...,
    options: Sequence[str] = ...,
) -> Rows | tuple[Rows, list[int]]: ...


def deduplicate(
    data: Any,
    column: str = "text",
    *,
    threshold: float | None = None,
    num_permutations: int | None = None,
    ngram_size: int | None = None,
    memory: Memory | None = None,
    max_memory: int | str | None = None,
    keep: Keep = "first",
    return_groups: bool = False,
    method: Method | None = None,
    progress: Any = None,
    options: Sequence[str] = (),
) -> Any:
    """Remove near-duplicates from a table, and return one of the same type with its rows and index as they were.

    data: a pandas or polars data frame or series, a pyarrow table, a Hugging Face dataset, or a list of strings or
        dicts. None and NaN are rows without a text, which stay.
    column: where the texts are. A list of strings has no columns, nor has a series.
    threshold, ngram_size, memory, max_memory, method: as for Deduplicator. With a method, memory="exact" remembers
        the parts themselves. keep and return_groups need the exact memory; the rows that stay are the
        same with and without them.
    keep: which one of a group stays: "first", "last", "longest", "shortest" (by characters of the text), or "none".
        A group is what a chain of duplicates and the earlier records that they resemble most joins.
    return_groups: return the table and a list beside it, with the number of the group of each row of data: the
        position of its first row.
    progress: True, for a bar by tqdm; a tqdm bar; or a function that is called with the number of rows so far.
    """
    if keep not in get_args(Keep):
        raise ValueError(f'keep is {keep!r}: give "first", "last", "longest", "shortest" or "none"')
    memory = memory_of(memory, method)
    needs_groups = keep != "first" or return_groups
    if needs_groups and method:
        raise ValueError(f"keep and return_groups do not go with method={method!r}: parts are in no single row")
    if needs_groups and memory != "exact":
        raise ValueError(f"keep and return_groups need memory='exact', not {memory!r}: Bloom filters do not know which "
                         "row was seen")  # fmt: skip
    args = arguments(threshold, num_permutations, ngram_size, memory, max_memory, method, options)
    table = table_of(data, column)
    with reporting(progress, table.rows) as tell:
        # a set of parts has no size to plan
        plan = [] if method and memory == "exact" else [f"--capacity={max(1000, table.rows)}"]
        judge = Judge([*plan, *args])
        try:
            kept, edges = judged(judge, table, tell, needs_groups)
        finally:
            judge.close()
    if not needs_groups:
        return table.select(kept)
    kept, groups = grouped(table, kept, edges, keep)
    return (table.select(kept), groups) if return_groups else table.select(kept)


def judged(
    judge: Judge, table: Table, tell: Callable[[int], None], with_edges: bool
) -> tuple[list[int], list[Edge]]:
    """Return the positions of the rows that resemble no earlier one, and the duplicates if they are wanted."""
    edges, kept, count = list[Edge](), list[int](), 0
    for block in judge.texts(_judge.ADD, table.blocks()):
        kept += _judge.kept_of(block, count)
        if with_edges:
            edges += _judge.duplicates_of(block, count)
        count += len(block) // _judge.VERDICT.size
        tell(len(block) // _judge.VERDICT.size)
    return kept, edges
