"""Near-duplicates of a dataset of Ray Data, with the verdicts of `mithril-stream`.

    unique = mithril_stream.ray.deduplicate(ds, text="text", order="id")

A row is a duplicate if enough of its bands vote for one earlier row (mithril_stream._votes). The keys are made by the
program itself, on the nodes, so they are the pipe's to the bit, and tasks count the votes. docs/recipes/ray.md has the
rest.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from mithril_stream._keys import Rule, check_linkage, day_of, order_columns, rule_of
from mithril_stream.ray import _components, _leaders, _verdicts
from mithril_stream.ray._checks import check_dataset, check_text, check_types, check_within
from mithril_stream.ray._days import Days
from mithril_stream.ray._known import collected, ranges_of
from mithril_stream.ray._order import Order
from mithril_stream.ray._sketch import keys_of
from mithril_stream.ray._tasks import of_blocks

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["deduplicate", "groups", "sketch"]


def deduplicate(
    ds: Dataset,
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
) -> Dataset:
    """Return the rows of ds that no earlier row resembles; all rows, and what is known of them, if annotate is set.

    order names the columns by which rows are earlier or later. Together they must tell every row from all others, and
    not be null; a single column of integers, dates or timestamps is the fastest. text names the column of strings.
    Rows without a text are kept.

    options are further options of `mithril-stream judge` that say how texts are compared, such as ["--votes", "1"].
    The default is the rule of the filter: 8 of 32 bands.

    memory="exact" compares pairs that share a key by their sets of shingles, as the program does: a row is a duplicate
    if an earlier one has the similarity of the threshold, and the original is the most similar one. ds is read once
    more then.

    within names a column: rows are compared only with those that have the same value there, as with the program's
    --within. Rows without a value are compared with each other.

    annotate adds the columns mithril_duplicate (boolean), mithril_duplicate_of (the order of the earlier row with most
    votes; a struct, if order has several columns), mithril_duplicate_day and mithril_similarity (an estimate from the
    votes; with memory="exact" the similarity).

    index is a directory, of any file system that pyarrow knows and all nodes reach, with the keys of earlier days.
    day is the name of this one, or its date; days are earlier or later as their names are, as in 2026-11-22. The
    rows are also compared with earlier days, and their keys are added when all is done. A day that is given again
    is done again, with the same result; other rows for it are refused with a ValueError.

    part names rows of the day that came later, as in "b". They are compared with the day and with its parts of lesser
    names, too, and add to it. A part is given again as a day is.

    ds is read twice: for the verdicts, which are known when this returns, and for the rows that are returned. If its
    rows have other ids or texts then, reading the result fails.

    Raises ValueError if two rows have the same order, and check_order is set.
    """
    check_dataset(ds)
    day = day_of(index, day, part)
    rule = rule_of(threshold, preset, options, within, memory)
    days = Days(index, day, rule.keys) if index is not None and day is not None else None
    entries = keyed(ds, text, order, rule, check_order, day)
    if entries is None:
        return ds
    keys = entries.split(days)
    judged = entries.judged(keys, days, best=True)
    tables = collected(judged.pairs, ranges_of(entries.rows))
    if days is not None:
        entries.save(keys, judged, days)
    if annotate:
        return of_blocks(ds, _verdicts.annotated, entries.again(), tables, entries.rule)
    return of_blocks(ds, _verdicts.unique, entries.again(), tables)


def groups(
    ds: Dataset,
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
) -> Dataset:
    """Return ds with the column mithril_group: the order of the first row of the group of each row.

    A row is joined with every row of which it is a duplicate; a group is what a chain of such pairs joins. With
    linkage="leader" all rows of a group are duplicates of the first one, its leader: a row is joined with the first
    leader of which it is a duplicate, and is one itself if there is none.
    """
    check_dataset(ds)
    check_linkage(linkage)
    entries = keyed(ds, text, order, rule_of(threshold, preset, options, within, memory), check_order)
    if entries is None:
        return ds
    pairs = entries.judged(entries.split(), None, best=False).pairs
    ranges = ranges_of(entries.rows)
    if linkage == "leader":
        return of_blocks(ds, _leaders.labelled, entries.again(), _leaders.leaders(pairs, ranges))
    return of_blocks(ds, _components.labelled, entries.again(), _components.groups_of(pairs, ranges))


def sketch(
    ds: Dataset,
    text: str = "text",
    *,
    threshold: float | None = None,
    preset: str | None = None,
    options: Sequence[str] = (),
    within: str | None = None,
) -> Dataset:
    """Return ds with the column mithril_keys: the band keys of each row, a list of 16 bytes each, the high 64 bits
    first and each half big-endian; null where there is nothing to compare."""
    check_dataset(ds)
    rule, schema = rule_of(threshold, preset, options, within), ds.schema()
    check_text(schema, text)
    check_within(schema, rule.within)
    return of_blocks(ds, keys_of, rule, text)


def keyed(
    ds: Dataset, text: str, order: str | Sequence[str], rule: Rule, check_order: bool, day: str | None = None
) -> _verdicts.Entries | None:
    """Return the positions and the keys of all rows, or None if there is no row."""
    schema = ds.schema()
    if schema is None:
        return None
    check_text(schema, text)
    check_within(schema, rule.within)
    columns = order_columns(order, schema.names)
    check_types(schema, columns)
    entries = _verdicts.Entries(ds, rule, text, Order(columns, day))
    if not entries.rows:
        return None
    if check_order:
        entries.check()
    return entries
