"""Which rows are duplicates by their sets (mithril_stream._sets): pairs of a row and an earlier holder of one of its keys
are compared where the row is."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from mithril_stream._counts import in_order
from mithril_stream._holders import starts_of
from mithril_stream._judge import Judge
from mithril_stream._keys import Rule
from mithril_stream._known import Tables, by_hash, found
from mithril_stream._positions import plain
from mithril_stream._sets import sets_of, similarities
from mithril_stream.ray._again import Again

ROWS_AT_ONCE = 4096  # whose sets are made at a time


def needed(pairs: Any, ranges: int) -> list[Any]:
    """Split the positions of pairs, each once, by their hashes."""
    both = pa.concat_arrays([plain(pairs.column("position")), plain(pairs.column("first"))])
    (order,) = in_order(both)
    once = np.unique(order, return_index=True)[1]
    return by_hash(pa.table([both.take(pa.array(once))], names=["position"]), ranges)


def sets_in(batch: Any, rule: Rule, text: str, again: Again, tables: Tables | None) -> Iterator[Any]:
    """Yield the positions and the sets of those rows of a batch that tables know, or of all."""
    there = again.positions(batch)
    rows = np.arange(len(there)) if tables is None else found(there, tables)[0]
    rows.sort()
    judge = Judge(rule.args)
    try:
        for start in range(0, max(len(rows), 1), ROWS_AT_ONCE):
            some = pa.array(rows[start : start + ROWS_AT_ONCE])
            part = batch.take(some)
            values = None if rule.within is None else part.column(rule.within)
            made = sets_of(judge, rule, part.column(text), values)
            yield pa.table([there.take(some), made], names=["position", "set"]).filter(made.is_valid())
    finally:
        judge.close()


def compared(rule: Rule, pairs: Any, tables: Tables) -> list[Any]:
    """Return the pairs that are similar enough: a row, the earlier one, and how similar they are. tables have the sets of
    all rows that are in a pair."""
    both = pa.concat_arrays([plain(pairs.column("position")), plain(pairs.column("first"))])
    (order,) = in_order(both)
    _, once, number = np.unique(order, return_index=True, return_inverse=True)
    rows, known = found(both.take(pa.array(once)), tables)
    if known is None:
        return [pairs.append_column("votes", pa.array([], pa.float64()))]
    at = np.empty(len(once), "<i8")
    at[rows] = np.arange(len(rows))
    n = pairs.num_rows
    judge = Judge(rule.args)
    try:
        similarity, enough = similarities(judge, plain(known.column("set")), at[number[:n]], at[number[n:]])
    finally:
        judge.close()
    return [pairs.append_column("votes", pa.array(similarity)).filter(pa.array(enough))]


def nearest(rule: Rule, pairs: Any, tables: Tables) -> list[Any]:
    """Return the most similar of the pairs of each row, of several alike that with the earliest."""
    (table,) = compared(rule, pairs, tables)
    row, first = in_order(plain(table.column("position")), plain(table.column("first")))
    by = np.lexsort((first, -table.column("votes").to_numpy(), row))
    return [table.take(pa.array(by[starts_of(row[by])]))]
