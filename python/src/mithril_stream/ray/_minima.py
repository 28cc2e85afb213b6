"""The first row with each key, and the votes that follow: what one task does with its part of the keys.

Each block of rows is split by ranges of keys, `minima` looks at one range of all blocks, and answers each block which
of its keys others have too; `votes` counts the answers in the block. So a key goes there and back, and no row meets
the rows of another block.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mithril_stream._keys import halves
from mithril_stream.ray._order import joined, ordinals, plain


class Members(NamedTuple):
    """Which rows of a block have which of its keys. Rows are in the order of their positions, keys by their value."""

    positions: Any  # of the rows, an Arrow array
    rows: Any  # of the first key, then of the second, …, by number
    starts: Any  # where in rows those of a key begin; the last is the end
    bounds: Any  # where among the keys those of a range begin


def by_value(high: Any, low: Any) -> Any:
    """Return the order of keys by their value, equal ones as they stand.

    Numbers are sorted several times as fast as their order is found. So the order is put into the lowest bits of the
    high words, and keys that are equal but for these bits, very few, are sorted again.
    """
    mask = np.uint64((1 << max(len(high) - 1, 1).bit_length()) - 1)
    packed = (high & ~mask) | np.arange(len(high), dtype="<u8")
    packed.sort()
    order = (packed & mask).astype("<i8")
    tied = (packed[1:] ^ packed[:-1]) <= mask
    there = np.nonzero(tied)[0]
    a, b = order[there], order[there + 1]
    wrong = np.zeros(len(high), bool)  # a range of equal upper bits in which keys differ
    differ = there[(high[a] != high[b]) | (low[a] != low[b])]
    if len(differ):
        of = np.cumsum(np.concatenate([[True], ~tied]))
        wrong = np.isin(of, of[differ])
        some = order[wrong]
        order[wrong] = some[np.lexsort((some, low[some], high[some]))]
    return order


def starts_of(*columns: Any) -> Any:
    """Return where runs of equal values begin in columns that are sorted."""
    n = len(columns[0])
    new = np.zeros(n, bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.nonzero(new)[0]


def runs_of(high: Any, low: Any) -> tuple[Any, Any]:
    """Return the order of keys by their value, and the number of each key in it."""
    order = by_value(high, low)
    starts = starts_of(high[order], low[order])
    return order, np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))


def range_bounds(sorted_words: Any, ranges: int) -> Any:
    """Return where each of so many ranges of 64-bit words begins among sorted ones, and where the last ends."""
    width = (1 << 64) // ranges
    limits = np.array([i * width for i in range(1, ranges)], "<u8")
    return np.concatenate([[0], np.searchsorted(sorted_words, limits), [len(sorted_words)]]).astype("<i8")


def split(block: Any, bands: int, ranges: int) -> list[Any]:
    """Return the keys of a block, a table for each range: a key, the first position that has it, and whether another
    one does. After them the members."""
    positions, words = rows_of(block, bands)
    high, low = halves(words)
    order = by_value(high, low)
    high, low, rows = high[order], low[order], (order // bands).astype("<i4")
    starts = starts_of(high, low)
    ends = np.append(starts, len(rows))
    high, low = high[starts], low[starts]
    bounds = range_bounds(high, ranges)
    parts = []
    for a, b in zip(bounds, bounds[1:]):
        first = positions.take(pa.array(rows[starts[a:b]]))
        several = np.diff(ends[a : b + 1]) > 1
        columns = [pa.array(high[a:b]), pa.array(low[a:b]), first, pa.array(several)]
        parts.append(pa.table(columns, names=["high", "low", "first", "several"]))
    return [*parts, Members(positions, rows, ends.astype("<i4"), bounds)]


def rows_of(block: Any, bands: int) -> tuple[Any, Any]:
    """Return the positions of the rows of a block that have keys, sorted, and their keys."""
    if not block.num_rows:
        return pa.array([], pa.int64()), np.empty((0, bands, 2), "<u8")
    block = block.filter(block.column("keys").is_valid())
    block = block.take(pa.array(np.argsort(ordinals(plain(block.column("position"))), kind="stable")))
    keys = plain(block.column("keys"))
    words = np.frombuffer(keys.buffers()[1] or b"", "<u8", len(keys) * bands * 2, keys.offset * bands * 16)
    return plain(block.column("position")), words.reshape(-1, bands, 2)


def minima(blocks: int, *parts: Any) -> list[Any]:
    """Return for each block which keys of its part of a range have an earlier row, by number, and the position of the
    first of them. Parts after those of the blocks have keys of earlier days, which ask nothing."""
    counts = [part.num_rows for part in parts[:blocks]]
    table = joined(parts)
    high, low, several = (table.column(name).to_numpy() for name in ("high", "low", "several"))
    order, run = runs_of(high, low)
    shared = np.bincount(run, several[order] + 1)[run] > 1
    order, run = order[shared], run[shared]  # what is left is little, mostly
    firsts = plain(table.column("first").take(pa.array(order)))
    least = np.lexsort((ordinals(firsts), run))
    starts = starts_of(run)
    first = np.repeat(least[starts], np.diff(np.append(starts, len(run))))
    at = order[least]  # in the same order as first: by key, and then by position
    asked = (first != least) | several[at]  # the very first one has its answer, unless others of its block ask
    return answers(at[asked], firsts.take(pa.array(first[asked])), counts)


def answers(at: Any, first: Any, counts: Sequence[int]) -> list[Any]:
    """Return for each block a table of its keys, and the first position of each."""
    order = np.argsort(at, kind="stable")
    at, first = at[order], first.take(pa.array(order))
    ends = np.cumsum(counts)
    bounds = np.concatenate([[0], np.searchsorted(at, ends)])
    return [
        pa.table([pa.array((at[a:b] - end + n).astype("<i4")), first.slice(a, b - a)], names=["key", "first"])
        for a, b, end, n in zip(bounds, bounds[1:], ends, counts)
    ]


class Votes(NamedTuple):
    """How many bands each row shares with each earlier one that is the first with them: pairs, by row and then from
    the earliest."""

    positions: Any  # of all rows of the block
    firsts: Any  # of all answers
    row: Any  # of each pair, by number
    first: Any
    shared: Any


def votes(members: Members, *replies: Any) -> Votes:
    """Count the answers that a block has got."""
    numbered = [np.asarray(reply.column("key")) + start for reply, start in zip(replies, members.bounds)]
    key = np.concatenate(numbered).astype("<i8")
    firsts = plain(joined(replies).column("first"))
    lengths = np.diff(members.starts)[key]
    answer = np.repeat(np.arange(len(key)), lengths)
    skipped = np.repeat(members.starts[key] - (np.cumsum(lengths) - lengths), lengths)
    row = members.rows[skipped + np.arange(len(answer))]
    both = ordinals(pa.concat_arrays([members.positions, firsts])) if len(firsts) else np.zeros(0, "<i8")
    of_row, of_first = both[: len(members.positions)][row], both[len(members.positions) :][answer]
    earlier = of_first < of_row
    row, answer, of_first = row[earlier], answer[earlier], of_first[earlier]
    order = np.lexsort((of_first, row))
    row, answer = row[order], answer[order]
    starts = starts_of(row, of_first[order])
    return Votes(members.positions, firsts, row[starts], answer[starts], np.diff(np.append(starts, len(row))))


def duplicates(enough: int, members: Members, *replies: Any) -> list[Any]:
    """Return the rows of a block that have votes enough: the position, the earlier row with most of them, of equals
    the earliest, and how many bands both share."""
    v = votes(members, *replies)
    starts = starts_of(v.row)
    total = np.add.reduceat(v.shared, starts) if len(starts) else starts
    best = np.lexsort((np.arange(len(v.row)), -v.shared, v.row))[starts]
    return [chosen(v, best[total >= enough])]


def pairs(enough: int, members: Members, *replies: Any) -> list[Any]:
    """Return the pairs of a row of a block and an earlier one, from which it has votes enough."""
    v = votes(members, *replies)
    return [chosen(v, np.nonzero(v.shared >= enough)[0])]


def chosen(v: Votes, some: Any) -> Any:
    columns = [v.positions.take(pa.array(v.row[some])), v.firsts.take(pa.array(v.first[some]))]
    return pa.table([*columns, pa.array(v.shared[some])], names=["position", "first", "shared"])
