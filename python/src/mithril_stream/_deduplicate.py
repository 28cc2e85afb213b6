"""Near-duplicates of a table, in one call."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar, overload

from mithril_stream import _judge
from mithril_stream._answers import Answers, answers_of
from mithril_stream._choice import choice_of, grouped, sources_of
from mithril_stream._deduplicator import Deduplicator
from mithril_stream._groups import Edge
from mithril_stream._judge import Judge
from mithril_stream._long import warn_of_long
from mithril_stream._progress import reporting
from mithril_stream._settings import Keep, Memory, Method, arguments, keeps_samples, memory_of
from mithril_stream._tables import Table, table_of
from mithril_stream._texts import Block
from mithril_stream._within import blocks_of


class Rowed(Protocol):
    """What has rows: data frames, series, tables, datasets, lists and tuples."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: Any, /) -> Any: ...


OF_GROUPS = "keep, min_sources, repeat and return_groups"
Rows = TypeVar("Rows", bound=Rowed)


@overload
def deduplicate(
    data: Rows,
    text: str = ...,
    *,
    threshold: float | None = ...,
    num_permutations: int | None = ...,
    ngram_size: int | None = ...,
    memory: Memory | None = ...,
    max_memory: int | str | None = ...,
    keep: Keep = ...,
    count_by: str | None = ...,
    min_sources: int | None = ...,
    repeat: Mapping[int, int] | None = ...,
    return_groups: Literal[False] = ...,
    annotate: bool = ...,
    preset: str | None = ...,
    method: Method | None = ...,
    within: str | None = ...,
    index: str | os.PathLike[str] | None = ...,
    run: str | datetime.date | None = ...,
    progress: Any = ...,
    options: Sequence[str] = ...,
) -> Rows: ...


@overload
def deduplicate(
    data: Rows,
    text: str = ...,
    *,
    threshold: float | None = ...,
    num_permutations: int | None = ...,
    ngram_size: int | None = ...,
    memory: Memory | None = ...,
    max_memory: int | str | None = ...,
    keep: Keep = ...,
    count_by: str | None = ...,
    min_sources: int | None = ...,
    repeat: Mapping[int, int] | None = ...,
    return_groups: Literal[True],
    annotate: bool = ...,
    preset: str | None = ...,
    method: Method | None = ...,
    within: str | None = ...,
    index: str | os.PathLike[str] | None = ...,
    run: str | datetime.date | None = ...,
    progress: Any = ...,
    options: Sequence[str] = ...,
) -> tuple[Rows, list[int]]: ...


@overload
def deduplicate(
    data: Rows,
    text: str = ...,
    *,
    threshold: float | None = ...,
    num_permutations: int | None = ...,
    ngram_size: int | None = ...,
    memory: Memory | None = ...,
    max_memory: int | str | None = ...,
    keep: Keep = ...,
    count_by: str | None = ...,
    min_sources: int | None = ...,
    repeat: Mapping[int, int] | None = ...,
    return_groups: bool,
    annotate: bool = ...,
    preset: str | None = ...,
    method: Method | None = ...,
    within: str | None = ...,
    index: str | os.PathLike[str] | None = ...,
    run: str | datetime.date | None = ...,
    progress: Any = ...,
    options: Sequence[str] = ...,
) -> Rows | tuple[Rows, list[int]]: ...


def deduplicate(
    data: Any,
    text: str = "text",
    *,
    threshold: float | None = None,
    num_permutations: int | None = None,
    ngram_size: int | None = None,
    memory: Memory | None = None,
    max_memory: int | str | None = None,
    keep: Keep = "first",
    count_by: str | None = None,
    min_sources: int | None = None,
    repeat: Mapping[int, int] | None = None,
    return_groups: bool = False,
    annotate: bool = False,
    preset: str | None = None,
    method: Method | None = None,
    within: str | None = None,
    index: str | os.PathLike[str] | None = None,
    run: str | datetime.date | None = None,
    progress: Any = None,
    options: Sequence[str] = (),
) -> Any:
    """Remove near-duplicates from a table, and return one of the same type with its rows and index as they were.

    data: a pandas or polars data frame or series, a pyarrow table, a Hugging Face dataset, or a list of strings or
        dicts. None and NaN are rows without a text, which stay.
    text: the column, or the key of a dict, with the texts. A list of strings has none, nor has a series.
    threshold, ngram_size, preset, max_memory, method: as for Deduplicator.
    within: a column, such as "lang": rows are compared with those of the same value alone.
    memory: "bloom", "exact" or "auto", as for Deduplicator. Without it, rows are judged by the rule of the program's
        default, as in Spark and Ray, or by the exact memory: for preset="passages", and where originals must be known,
        as for keep, return_groups and annotate. With a method, memory="exact" remembers the parts themselves.
    keep: which one of a group stays: "first", "last", "longest", "shortest" (by bytes of the text in UTF-8), "fullest"
        (by different runs of three words, so that least is lost), or "none". A group is what a chain of duplicates and
        the earlier records that they resemble most joins.
    count_by, min_sources: a column, such as "source", and the number of its different values that a group must have,
        or else none of it stays. A row in no group has one, or none if its value is missing.
    repeat: how often the row that stays is returned, by the size of its group: with {1: 1, 2: 3, 100: 0} three times
        from 2 rows on, and not at all from 100 on. Groups smaller than all sizes count once.
    return_groups: return the table and a list beside it, with the number of the group of each row of data: the
        position of its first row.
    annotate: return all rows, with the columns of duplicates().
    index, run: a directory that remembers the rows, and what these rows are called, such as "2026-11-28" or a date.
        They are compared with those of all earlier runs. If your task fails before it has stored what is returned, run
        it again: the same rows under the same name give the same result, whatever was remembered since.
    progress: True, for a bar by tqdm; a tqdm bar; or a function that is called with the number of rows so far.
    """
    choice = choice_of(keep, count_by, min_sources, repeat)
    needs_groups = choice.needs_groups() or return_groups
    if annotate and needs_groups:
        raise ValueError(f"annotate returns all rows: leave {OF_GROUPS} out")
    check_indexed(index, run)
    if needs_groups and index is not None:
        raise ValueError(f"{OF_GROUPS} are about groups of these rows alone: leave index and run out")
    if memory is not None or not keeps_samples(options):  # which have a memory of their own
        is_exact = needs_groups or annotate or preset == "passages"  # as the program remembers passages
        memory = memory_of(memory, method, "exact" if is_exact else "bloom")
    if needs_groups and method:
        raise ValueError(f"{OF_GROUPS} do not go with method={method!r}: parts are in no single row")
    if needs_groups and memory not in ("exact", None):
        raise ValueError(f"{OF_GROUPS} need memory='exact', not {memory!r}: Bloom filters do not know which row was seen")
    args = arguments(threshold, num_permutations, ngram_size, memory, max_memory, method, options, preset, within)
    table = table_of(data, text)
    if index is not None:
        with Deduplicator(
            threshold, num_permutations, ngram_size, memory, method=method, preset=preset, within=within,
            max_memory=max_memory, index=index, run=run, options=options,
        ) as d:  # fmt: skip
            if annotate:
                return table.annotated(d._answers(data, text, progress))
            return table.select(d._kept(data, text, progress))
    sources = sources_of(table, count_by)
    kept, edges = rows_judged(table, args, plan(table, memory, method), within, progress, needs_groups or annotate)
    if annotate:
        return table.annotated(answers(table, kept, edges))
    if not needs_groups:
        return table.select(kept)
    unconfined = [arg for arg in args if not arg.startswith("--within=")]
    kept, groups = grouped(table, kept, edges, choice, sources, unconfined)
    return (table.select(kept), groups) if return_groups else table.select(kept)


def duplicates(
    data: Any,
    text: str = "text",
    *,
    threshold: float | None = None,
    num_permutations: int | None = None,
    ngram_size: int | None = None,
    memory: Memory | None = None,
    max_memory: int | str | None = None,
    preset: str | None = None,
    method: Method | None = None,
    within: str | None = None,
    index: str | os.PathLike[str] | None = None,
    run: str | datetime.date | None = None,
    progress: Any = None,
    options: Sequence[str] = (),
) -> Any:
    """Say of each row whether it is a duplicate: a table of the type of data with its index and the columns
    is_duplicate, duplicate_of (the position of the earlier row that it resembles most) and similarity; a list of dicts
    for a list. So df[~duplicates(df).is_duplicate] are the rows of a pandas data frame that stay.

    The settings are those of deduplicate. Without memory it is "exact"; with "bloom" or a method duplicate_of and
    similarity are not known. With index and run, duplicate_of is a number: how many rows the index had before the
    earlier one.
    """
    memory = memory_of(memory, method, "exact")
    check_indexed(index, run)
    args = arguments(threshold, num_permutations, ngram_size, memory, max_memory, method, options, preset, within)
    table = table_of(data, text)
    if index is not None:
        with Deduplicator(
            threshold, num_permutations, ngram_size, memory, method=method, preset=preset, within=within,
            max_memory=max_memory, index=index, run=run, options=options,
        ) as d:  # fmt: skip
            return d.duplicates(data, text=text, progress=progress)
    kept, edges = rows_judged(table, args, plan(table, memory, method), within, progress, True)
    return table.answer(answers(table, kept, edges))


def check_indexed(index: Any, run: Any) -> None:
    """Raise ValueError unless index and run are both given, or none."""
    if (index is None) != (run is None):
        raise ValueError('index and run go together, as in index="seen", run="2026-11-28": rows are remembered before '
                         "you can have stored them, so a call must be one that can be repeated")  # fmt: skip


def answers(table: Table, kept: Sequence[int], edges: Sequence[Edge]) -> Answers:
    originals = {e.duplicate: (e.original - 1, e.similarity) for e in edges if e.original}
    return answers_of(table.rows, kept, originals)


def plan(table: Table, memory: str | None, method: str | None) -> list[str]:
    """Return the option that says how many rows will come. A set of parts has no size to plan."""
    return [] if method and memory == "exact" else [f"--capacity={max(1000, table.rows)}"]


def rows_judged(
    table: Table, args: Sequence[str], planned: Sequence[str], within: str | None, progress: Any, with_edges: bool
) -> tuple[list[int], list[Edge]]:
    with reporting(progress, table.rows) as tell:
        judge = Judge([*planned, *args])
        try:
            return judged(judge, blocks_of(table, within), tell, with_edges)
        finally:
            judge.close()


def judged(
    judge: Judge, blocks: Iterable[Block], tell: Callable[[int], None], with_edges: bool
) -> tuple[list[int], list[Edge]]:
    """Return the positions of the rows that resemble no earlier one, and the duplicates if they are wanted."""
    edges, kept, long, count = list[Edge](), list[int](), list[int](), 0

    def deal(verdicts: bytes) -> None:
        nonlocal count
        kept.extend(_judge.kept_of(verdicts, count))
        if with_edges:
            edges.extend(_judge.duplicates_of(verdicts, count))
        long.extend(_judge.long_of(verdicts, count))
        count += len(verdicts) // _judge.VERDICT.size
        tell(len(verdicts) // _judge.VERDICT.size)

    judge.exchange(_judge.requests_of(_judge.ADD, blocks), deal)
    warn_of_long(len(long), min(long, default=None))
    return kept, edges
