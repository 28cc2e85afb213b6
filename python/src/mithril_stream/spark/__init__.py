"""Near-duplicates of a Spark data frame, with the verdicts of `mithril-stream`.

    unique = mithril_stream.spark.deduplicate(df, text="text", order="id")

A row is a duplicate if enough of its bands have an earlier row with the same key. That is a minimum of each key and a
join: an engine that exists gives exactly what the filter gives, and no cluster of our own is needed. The keys are made
by the program itself, on the executors, so they are those of the pipe to the bit. docs/spark.md has the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mithril_stream._keys import check_day
from mithril_stream._settings import renamed
from mithril_stream.spark import _components, _days, _verdicts
from mithril_stream.spark._kept import kept
from mithril_stream.spark._order import Order
from mithril_stream.spark._sketch import Sketching

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["deduplicate", "groups", "sketch"]


@renamed(memory="index")
def deduplicate(
    df: DataFrame,
    text: str = "text",
    *,
    order: str | Sequence[str],
    threshold: float | None = None,
    preset: str | None = None,
    options: Sequence[str] = (),
    annotate: bool = False,
    index: str | None = None,
    day: str | None = None,
    check_order: bool = True,
) -> DataFrame:
    """Return the rows of df that no earlier row resembles; all rows, and what is known of them, if annotate is set.

    order names the columns by which rows are earlier or later. Together they must tell every row from all others, and
    not be null; a single column of integers, dates or timestamps is the fastest. text names the column of strings.
    Rows without a text are kept.

    options are further options of `mithril-stream judge` that say how texts are compared, such as ["--votes", "1"].
    The default is that of the filter: 8 of 32 bands.

    annotate adds the columns mithril_duplicate (boolean), mithril_duplicate_of (the order of the earlier row that is
    the first with most of the bands; a struct, if order has several columns), mithril_duplicate_day and
    mithril_similarity (an estimate from the bands that both rows are known to share, a lower bound).

    index is a directory, of any file system that Spark writes, with the keys of earlier days. day is the name of this
    one; days are earlier or later as their names are, as in 2026-11-22. The rows are also compared with earlier days,
    and their keys are added when all is done. A day that is given again is done again, with the same result.

    Raises ValueError if two rows have the same order, and check_order is set.
    """
    check_day(index, day)
    by = Order(df, order)
    if check_order:
        by.check(df)
    sketching = Sketching(df.sparkSession, threshold, preset, options)
    entries = sketching.entries(df, text, by).persist()
    try:
        earlier = _days.earlier(df.sparkSession, index, day) if index is not None and day is not None else None
        firsts = _verdicts.firsts(entries)
        if index is not None:
            firsts = firsts.persist()
        duplicates = kept(_verdicts.duplicates(entries, _verdicts.shared(firsts), sketching, earlier))
        if index is not None and day is not None:
            _days.add(firsts, earlier, index, day)
            firsts.unpersist()
    finally:
        entries.unpersist()
    return _verdicts.apply(df, by, duplicates, annotate, sketching)


def groups(
    df: DataFrame,
    text: str = "text",
    *,
    order: str | Sequence[str],
    threshold: float | None = None,
    preset: str | None = None,
    options: Sequence[str] = (),
    check_order: bool = True,
) -> DataFrame:
    """Return df with the column mithril_group: the order of the first row of the group of each row.

    A row is joined to the earlier one that is the first with most of its bands, if these are as many as make a
    duplicate; a group is what a chain of such pairs joins.
    """
    by = Order(df, order)
    if check_order:
        by.check(df)
    sketching = Sketching(df.sparkSession, threshold, preset, options)
    entries = sketching.entries(df, text, by).persist()
    try:
        shared = _verdicts.shared(_verdicts.firsts(entries))
        edges = kept(_verdicts.pairs(entries, shared, sketching.rule.votes))
    finally:
        entries.unpersist()
    return _components.label(df, by, edges)


def sketch(
    df: DataFrame,
    text: str = "text",
    *,
    threshold: float | None = None,
    preset: str | None = None,
    options: Sequence[str] = (),
) -> DataFrame:
    """Return df with the column mithril_keys: the band keys of each row, an array of 16 bytes each, the high 64 bits
    first and each half big-endian; null where there is nothing to compare."""
    return Sketching(df.sparkSession, threshold, preset, options).keys(df, text)
