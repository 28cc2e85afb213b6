"""Groups whose rows all resemble the first one, the leader, as `mithril-stream groups --linkage leader` makes them."""

# Types of pyarrow and pyspark leave out what is made when they are imported.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import ray

from mithril_stream._counts import in_order
from mithril_stream._holders import starts_of
from mithril_stream._known import Tables, by_hash, found
from mithril_stream._positions import joined, ordinals, plain
from mithril_stream.ray._again import Again
from mithril_stream.ray._components import replaced
from mithril_stream.ray._known import collected, known
from mithril_stream.ray._tasks import start

FEW = 1 << 20  # pairs that one task decides on, since a chain of rows takes a round for every other row


def leaders(pairs: Sequence[Any], ranges: int) -> Tables:
    """Return the leader of each row that follows one, as known tables: the row, and its leader. pairs are tables of a row
    and an earlier one, all those of a row in one table.

    A row is a leader if it resembles no earlier leader, and follows the first one otherwise (Hartigan: Clustering
    Algorithms, 1975, chapter 3). In each round the rows without an earlier one that is undecided become leaders, and
    those that resemble them follow.
    """
    undecided, some = list(pairs), []
    while sum(ray.get([start(count, table)[0] for table in undecided])) > FEW:
        waiting = known([start(named, table, "position", ranges, returns=ranges) for table in undecided])
        made = [start(decided, table, waiting, ranges, returns=2 * ranges) for table in undecided]
        followers = known([parts[ranges:] for parts in made])
        undecided = [start(rest, table, waiting, followers)[0] for table in undecided]
        some += [parts[:ranges] for parts in made]
    some.append(start(of_few, ranges, *undecided, returns=ranges))
    lead = known(some)
    return collected([start(first_leaders, table, lead)[0] for table in pairs], ranges)


def count(table: Any) -> list[Any]:
    return [table.num_rows]


def named(pairs: Any, column: str, ranges: int) -> list[Any]:
    """Split the positions of a column by their hashes, each once."""
    return of_each(plain(pairs.column(column)), ranges)


def of_each(positions: Any, ranges: int) -> list[Any]:
    once = np.unique(ordinals(positions), return_index=True)[1] if len(positions) else np.zeros(0, "<i8")
    return by_hash(pa.table([positions.take(pa.array(once))], names=["position"]), ranges)


def among(positions: Any, tables: Tables) -> Any:
    """Say of each position whether known tables have it."""
    there = np.zeros(len(positions), bool)
    there[found(positions, tables)[0]] = True
    return there


def decided(pairs: Any, waiting: Tables, ranges: int) -> list[Any]:
    """Return the earlier rows of pairs that wait for no other, which lead, and the rows that follow them, both split by
    their hashes."""
    new = pa.array(~among(plain(pairs.column("first")), waiting))
    return [*of_each(plain(pairs.column("first")).filter(new), ranges),
            *of_each(plain(pairs.column("position")).filter(new), ranges)]  # fmt: skip


def rest(pairs: Any, waiting: Tables, followers: Tables) -> list[Any]:
    """Return the pairs of rows that are undecided."""
    first = plain(pairs.column("first"))
    left = among(first, waiting) & ~among(first, followers) & ~among(plain(pairs.column("position")), followers)
    return [pairs.filter(pa.array(left))]


def of_few(ranges: int, *tables: Any) -> list[Any]:
    """Return the leaders among the earlier rows of pairs, split by their hashes."""
    table = joined([table.select(["position", "first"]) for table in tables])
    later, earlier = plain(table.column("position")), plain(table.column("first"))
    rows, number = np.unique(np.concatenate(in_order(later, earlier)), return_inverse=True)
    a, b = number[: len(later)], number[len(later) :]
    order, follows = np.argsort(a, kind="stable"), np.zeros(len(rows), bool)
    starts = starts_of(a[order])
    for begin, end in zip(starts, np.append(starts[1:], len(a))):
        follows[a[order[begin]]] = not follows[b[order[begin:end]]].all()
    return of_each(earlier.filter(pa.array(~follows[b])), ranges)


def first_leaders(pairs: Any, lead: Tables) -> list[Any]:
    """Return the first of the earlier rows of each row that leads."""
    pairs = pairs.select(["position", "first"]).filter(pa.array(among(plain(pairs.column("first")), lead)))
    row, first = in_order(plain(pairs.column("position")), plain(pairs.column("first")))
    by = np.lexsort((first, row))
    return [pairs.take(pa.array(by[starts_of(row[by])]))]


def labelled(batch: Any, again: Again, followers: Tables) -> Any:
    """Add to a batch the leader of each row: itself, if it follows none."""
    return batch.append_column("mithril_group", replaced(again.positions(batch), followers, "first"))
