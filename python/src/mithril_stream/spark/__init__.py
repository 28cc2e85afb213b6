"""Near-duplicates of a Spark data frame, with the verdicts of `mithril-stream`.

    unique = mithril_stream.spark.deduplicate(df, text="text", order="id")

A row is a duplicate if enough of its bands vote for one earlier row (mithril_stream._votes). That takes groupings and
joins: an engine that exists decides nearly as the filter does, and no cluster of our own is needed. The keys are made by
the program itself, on the executors, so they equal those of the pipe bit for bit. docs/recipes/spark.md has the rest.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from mithril_stream._keys import check_linkage, day_of
from mithril_stream.spark import _compared, _components, _days, _leaders, _verdicts
from mithril_stream.spark._checks import check_frame, check_text
from mithril_stream.spark._kept import Cache
from mithril_stream.spark._order import POSITION, Order
from mithril_stream.spark._sketch import Sketching

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["deduplicate", "groups", "release", "sketch"]


def deduplicate(
    df: DataFrame,
    text: str = "text",
    *,
    order: str | Sequence[str],
    threshold: float | None = None,
    preset: str | None = None,
    options: Sequence[str] = (),
    memory: Literal["bloom", "exact"] = "bloom",
    within: str | None = None,
    annotate: bool = False,
    index: str | None = None,
    day: str | datetime.date | None = None,
    part: str | None = None,
    check_order: bool = True,
) -> DataFrame:
    """Return the rows of df that no earlier row resembles; all rows, and what is known of them, if annotate is set.

    order names the columns by which rows are earlier or later. Together they must tell every row from all others, and
    not be null; a single column of integers, dates or timestamps is the fastest. text names the column of strings.
    Rows without a text are kept.

    options are further options of `mithril-stream judge` that say how texts are compared, such as ["--votes", "1"].
    The default is that of the filter: 8 of 32 bands.

    memory="exact" compares pairs that share a key by their sets of shingles, as the program does: a row is a duplicate
    if an earlier one has the similarity of the threshold, and the original is the most similar one.

    within names a column: rows are compared only with those that have the same value there, as with the program's
    --within. Rows without a value are compared with each other.

    annotate adds the columns mithril_duplicate (boolean), mithril_duplicate_of (the order of the earlier row with most
    votes; a struct, if order has several columns), mithril_duplicate_day and mithril_similarity (an estimate from the
    votes; with memory="exact" the similarity).

    index is a directory, of any file system that Spark writes, with the keys of earlier days. day is the name of
    this one, or its date; days are earlier or later as their names are, as in 2026-11-22. The rows are also
    compared with earlier days, and their keys are added when all is done. A day that is given again is done again,
    with the same result; other rows for it are refused with a ValueError.

    part names rows of the day that came later, as in "b". They are compared with the day and with its parts of lesser
    names, too, and add to it. A part is given again as a day is.

    The verdicts stay cached, 24 bytes a duplicate, until the session ends or release is called with the result.

    Raises ValueError if two rows have the same order, and check_order is set.
    """
    day = day_of(index, day, part)
    by = looked_at(df, text, order)
    sketching = Sketching(df, threshold, preset, options, within, memory)
    if index is not None:
        _days.check(df.sparkSession, index, sketching.rule.keys)
    if check_order:
        by.check(df)
    cache = Cache()
    try:
        rule, earlier, sets = sketching.rule, None, None
        if index is not None and day is not None:
            earlier = _days.earlier(df.sparkSession, index, day, rule.exact)
        judged = _verdicts.Judged(sketching.texts(df, text, by), rule, cache, earlier)
        if rule.exact:
            sets, pairs = compared(df, text, by, sketching, judged)
            pairs = _verdicts.most_voted(pairs)
        else:
            pairs = judged.pairs(best=True)
        duplicates = cache.kept(pairs)
        if index is not None and day is not None:
            _days.keep(df.sparkSession, index, rule.keys)
            _days.keep_rows(df.sparkSession, index, day, *judged.digest())
            _days.add(index, day, judged.of_today(), None if rule.exact else judged.supporting(), sets)
    except BaseException:
        cache.release()
        raise
    cache.release(duplicates)
    return owner_of(cache, _verdicts.apply(df, by, duplicates, annotate, sketching, day))


def groups(
    df: DataFrame,
    text: str = "text",
    *,
    order: str | Sequence[str],
    threshold: float | None = None,
    preset: str | None = None,
    options: Sequence[str] = (),
    memory: Literal["bloom", "exact"] = "bloom",
    within: str | None = None,
    linkage: Literal["single", "leader"] = "single",
    check_order: bool = True,
) -> DataFrame:
    """Return df with the column mithril_group: the order of the first row of the group of each row.

    A row is joined with every row of which it is a duplicate; a group is what a chain of such pairs joins. With
    linkage="leader" all rows of a group are duplicates of the first one, its leader: a row is joined with the first
    leader of which it is a duplicate, and is one itself if there is none.
    """
    from pyspark.sql import functions as f

    check_linkage(linkage)
    by = looked_at(df, text, order)
    sketching = Sketching(df, threshold, preset, options, within, memory)
    if check_order:
        by.check(df)
    cache = Cache()
    try:
        judged = _verdicts.Judged(sketching.texts(df, text, by), sketching.rule, cache)
        exact = sketching.rule.exact
        pairs = compared(df, text, by, sketching, judged)[1] if exact else judged.pairs(best=False)
        edges = cache.kept(pairs.select(f.col(POSITION).alias("a"), f.col("at").alias("b")))
        join = _leaders.leaders if linkage == "leader" else _components.roots
        return owner_of(cache, _components.label(df, by, join(edges, cache)))
    except BaseException:
        cache.release()
        raise


def compared(
    df: DataFrame, text: str, by: Order, sketching: Sketching, judged: _verdicts.Judged
) -> tuple[DataFrame, DataFrame]:
    """Return the sets of rows, of all if later days need them, and the pairs that these make duplicates."""
    from pyspark.sql import functions as f

    cache = judged.cache
    candidates = cache.kept(judged.with_holders())
    wanted = None
    if judged.earlier is None:
        wanted = candidates.select(POSITION).union(candidates.select(f.col("at"))).distinct()
    sets = cache.persisted(_compared.of_rows(df, text, by, sketching, wanted))
    return sets, _compared.pairs(candidates, sets, sketching.rule, judged.earlier, cache)


def release(result: DataFrame) -> None:
    """Have Spark forget the verdicts that a result of deduplicate or groups needs: 24 bytes a duplicate. Later uses of
    the result compute them again. Nothing else that is cached is touched."""
    cache = getattr(result, CACHE, None)
    if cache is None:
        raise ValueError("the data frame is not what deduplicate or groups has returned: frames made of that one need it")
    cache.release()


CACHE = "_mithril_cache"


def owner_of(cache: Cache, result: DataFrame) -> DataFrame:
    setattr(result, CACHE, cache)
    return result


def looked_at(df: DataFrame, text: str, order: str | Sequence[str]) -> Order:
    """Return the order of a data frame. Raises TypeError or ValueError if it is not one whose rows can be judged,
    before Spark does anything."""
    check_frame(df)
    check_text(df, text)
    return Order(df, order)


def sketch(
    df: DataFrame,
    text: str = "text",
    *,
    threshold: float | None = None,
    preset: str | None = None,
    options: Sequence[str] = (),
    within: str | None = None,
) -> DataFrame:
    """Return df with the column mithril_keys: the band keys of each row, an array of 16 bytes each, the high 64 bits
    first and each half big-endian; null where there is nothing to compare."""
    check_frame(df)
    check_text(df, text)
    return Sketching(df, threshold, preset, options, within).keys(df, text)
