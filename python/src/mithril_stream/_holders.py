"""Which rows hold which keys: what one task does with its part of the keys.

Each block of rows is split by ranges of keys, and `holders` looks at one range of all blocks, and answers each block
which of its keys others have too, and which rows hold them (mithril_stream._votes). So a key goes there and back, and no
row meets the rows of another block.
"""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mithril_stream._keys import keys_of_words
from mithril_stream._positions import joined, ordinals, plain
from mithril_stream._votes import HOLDERS


class Members(NamedTuple):
    """Which rows of a block have which of its keys. Rows are in the order of their positions, keys by their value."""

    positions: Any  # of the rows, an Arrow array
    rows: Any  # of the first key, then of the second, …, by number
    starts: Any  # where in rows those of a key begin; the last is the end
    bounds: Any  # where among the keys those of a range begin
    wholes: Any  # which keys are made of all others of a row


def starts_of(*columns: Any) -> Any:
    """Return where runs of equal values begin in columns that are sorted."""
    n = len(columns[0])
    new = np.zeros(n, bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.nonzero(new)[0]


def lengths_of(starts: Any, end: int) -> Any:
    """Return the lengths of runs that begin at starts."""
    return np.diff(np.append(starts, end))


def numbers_in(starts: Any, end: int) -> Any:
    """Return for each place the number that it has in its run."""
    return np.arange(end) - np.repeat(starts, lengths_of(starts, end))


def range_bounds(sorted_words: Any, ranges: int) -> Any:
    """Return where each of equal ranges of 64-bit words begins in a sorted array, and where the last ends."""
    width = (1 << 64) // ranges
    limits = np.array([i * width for i in range(1, ranges)], "<u8")
    return np.concatenate([[0], np.searchsorted(sorted_words, limits), [len(sorted_words)]]).astype("<i8")


def by_range(keys: Any, positions: Any, ranges: int) -> list[Any]:
    """Split sorted keys, and the positions that have them, into a table for each range."""
    table = pa.table([pa.array(keys), positions], names=["key", "position"])
    bounds = range_bounds(keys, ranges)
    return [table.slice(a, b - a) for a, b in zip(bounds, bounds[1:])]


def split(block: Any, bands: int, ranges: int) -> list[Any]:
    """Return the keys of a block, a table for each range: a key, and a position that has it, for the first HOLDERS of
    the block. After them the members."""
    positions, words = rows_of(block, bands)
    return split_keys(positions, keys_of_words(words), ranges)


def split_keys(positions: Any, keys: Any, ranges: int) -> list[Any]:
    """Split the keys of rows, as many of each, whose positions are sorted."""
    of_each, keys = keys.shape[1], keys.reshape(-1)
    order = np.argsort(keys, kind="stable")
    keys, rows = keys[order], (order // of_each).astype("<i4")
    starts = starts_of(keys)
    sent = numbers_in(starts, len(keys)) < HOLDERS
    parts = by_range(keys[sent], positions.take(pa.array(rows[sent])), ranges)
    ends, keys = np.append(starts, len(keys)).astype("<i4"), keys[starts]
    return [*parts, Members(positions, rows, ends, range_bounds(keys, ranges), (keys & np.uint64(1)) == 1)]


def rows_of(block: Any, bands: int) -> tuple[Any, Any]:
    """Return the positions of the rows of a block that have keys, sorted, and their keys."""
    if not block.num_rows:
        return pa.array([], pa.int64()), np.empty((0, bands, 2), "<u8")
    block = block.filter(block.column("keys").is_valid())
    block = block.take(pa.array(np.argsort(ordinals(plain(block.column("position"))), kind="stable")))
    keys = plain(block.column("keys"))
    words = np.frombuffer(keys.buffers()[1] or b"", "<u8", len(keys) * bands * 2, keys.offset * bands * 16)
    return plain(block.column("position")), words.reshape(-1, bands, 2)


def met_only(members: Members, reply: Any) -> tuple[Members, Any]:
    """Drop from the members of a block the keys and rows that a reply does not mention."""
    keys, number = np.unique(reply.column("key").to_numpy(), return_inverse=True)
    lengths = np.diff(members.starts)[keys]
    ends = np.append(0, np.cumsum(lengths))
    place = np.arange(ends[-1]) + np.repeat(members.starts[keys] - ends[:-1], lengths)
    there, rows = np.unique(members.rows[place], return_inverse=True)
    positions = members.positions.take(pa.array(there))
    bounds = np.array([0, len(keys)])
    met = Members(positions, rows.astype("<i4"), ends.astype("<i4"), bounds, members.wholes[keys])
    return met, pa.table([pa.array(number.astype("<i4")), reply.column("position")], names=["key", "position"])


class Held(NamedTuple):
    """Which rows of a range hold which keys."""

    keys: Any  # sorted
    positions: Any  # of the rows, those of a key in their order


def held_in(parts: Sequence[Any], alone: bool = False) -> Held:
    """Return the first rows with each key of a range that several have; with alone, of all keys."""
    table = joined(parts)
    keys = table.column("key").to_numpy()
    order = np.argsort(keys, kind="stable")
    starts = starts_of(keys[order])
    if not alone:
        lengths = lengths_of(starts, len(order))
        order = order[np.repeat(lengths > 1, lengths)]  # what is left is little, mostly
    positions = plain(table.column("position").take(pa.array(order)))
    keys = keys[order]
    by = np.lexsort((ordinals(positions), keys))
    by = by[numbers_in(starts_of(keys[by]), len(by)) < HOLDERS]
    return Held(keys[by], positions.take(pa.array(by)))


def holders(blocks: int, *parts: Any) -> list[Any]:
    """Return for each block which rows hold which keys of its part of a range: a table of the number of the key in the
    part, and a position. Parts after those of the blocks have keys of earlier days, which ask nothing."""
    held = held_in(parts)
    tables = []
    for part in parts[:blocks]:
        own = part.column("key").to_numpy()
        own = own[starts_of(own)]
        begin, end = (np.searchsorted(held.keys, own, side=side) for side in ("left", "right"))
        lengths = end - begin
        number = np.repeat(np.arange(len(own)), lengths)
        at = np.arange(len(number)) + np.repeat(begin - (np.cumsum(lengths) - lengths), lengths)
        columns = [pa.array(number.astype("<i4")), held.positions.take(pa.array(at))]
        tables.append(pa.table(columns, names=["key", "position"]))
    return tables
