"""Connected components: which rows a chain of pairs joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import ray

from mithril_stream._holders import starts_of
from mithril_stream._known import Tables, by_hash, found
from mithril_stream._positions import joined, ordinals, plain
from mithril_stream.ray._again import Again
from mithril_stream.ray._known import collected, known
from mithril_stream.ray._tasks import gather, start


def roots(edges: Sequence[Any], ranges: int) -> Tables:
    """Return the least node of the component of each node but that one, as known tables: the node, and its root. Edges
    are tables of two nodes.

    Large-star and small-star in turns, until nothing changes (Kiveris et al.: Connected Components in MapReduce and
    Beyond, SoCC 2014): every round is two groupings, and their number grows with the logarithm of the nodes.
    """
    split = [start(both_ways, table, ranges, returns=ranges) for table in edges]
    while True:
        large = gather(split, large_star, ranges, returns=ranges + 1)
        small = gather([parts[:-1] for parts in large], small_star, ranges, returns=ranges + 1)
        split = [parts[:-1] for parts in small]
        if not any(ray.get([parts[-1] for parts in large + small])):
            return known([parts[:-1] for parts in large])


class Groups(NamedTuple):
    """Which rows a chain of pairs joins, as known tables."""

    leaves: Tables  # a row that is in one pair alone, and the earlier row of that
    roots: Tables  # of the other rows, each but the first of its group: the row, and that first one


def groups_of(pairs: Sequence[Any], ranges: int) -> Groups:
    """Find the groups of pairs, tables of a row and an earlier one. Most rows are leaves: one row may have a tenth of
    all, which would meet in one task if they took part in the rounds."""
    named = known([start(named_in, table, ranges, returns=ranges) for table in pairs])
    divided = [start(divided_by, table, named, returns=2) for table in pairs]
    leaves = collected([of_leaves for of_leaves, _ in divided], ranges)
    return Groups(leaves, roots([others for _, others in divided], ranges))


def named_in(pairs: Any, ranges: int) -> list[Any]:
    """Split the earlier rows of pairs by their hashes, each once."""
    first = plain(pairs.column("first"))
    once = np.unique(ordinals(first), return_index=True)[1] if len(first) else np.zeros(0, "<i8")
    return by_hash(pa.table([first.take(pa.array(once))], names=["position"]), ranges)


def divided_by(pairs: Any, named: Tables) -> list[Any]:
    """Return the pairs of rows that are in no other one, and the other pairs."""
    pairs = pairs.select(["position", "first"])
    there = plain(pairs.column("position"))
    is_leaf = np.ones(len(there), bool)
    is_leaf[found(there, named)[0]] = False
    if len(there):
        _, of, times = np.unique(ordinals(there), return_inverse=True, return_counts=True)
        is_leaf &= times[of] == 1
    return [pairs.filter(pa.array(is_leaf)), pairs.filter(pa.array(~is_leaf))]


def both_ways(edges: Any, ranges: int) -> list[Any]:
    """Split edges by their nodes, each edge to both."""
    a, b = plain(edges.column(0)), plain(edges.column(1))
    return by_hash(edges_of(pa.concat_arrays([a, b]), pa.concat_arrays([b, a])), ranges)


def edges_of(a: Any, b: Any) -> Any:
    return pa.table([a, b], names=["position", "root"])


def large_star(ranges: int, *parts: Any) -> list[Any]:
    """Join the neighbours of each node that are greater than it to the least of all. Returns the edges, split by the
    greater node, and whether one is new."""
    nodes, of, a, b, least = neighbours(parts)
    least = np.where(of[least] < of[a], least, a)
    greater = of[b] > of[a]
    made = edges_of(nodes.take(pa.array(b[greater])), nodes.take(pa.array(least[greater])))
    return [*by_hash(made, ranges), bool(np.any(of[least[greater]] != of[a[greater]]))]


def small_star(ranges: int, *parts: Any) -> list[Any]:
    """Join the neighbours of each node that are less than it, and itself, to the least of them. Each edge leads from a
    node to a lesser one. Returns the edges, split both ways, and whether one is new."""
    nodes, of, a, b, least = neighbours(parts)
    other = of[b] != of[least]
    greater = np.where(other, b, a)
    made = edges_of(nodes.take(pa.array(greater)), nodes.take(pa.array(least)))
    return [*both_ways(made, ranges), bool(np.any(other))]


def neighbours(parts: Sequence[Any]) -> tuple[Any, Any, Any, Any, Any]:
    """Return nodes and their order, and of each edge a node, its neighbour, and its least neighbour, by number. Edges
    are sorted by the node, and no two are equal."""
    table = joined(parts)
    n = table.num_rows
    nodes = pa.concat_arrays([plain(table.column("position")), plain(table.column("root"))])
    of = ordinals(nodes)
    order = np.lexsort((of[n:], of[:n]))
    order = order[starts_of(of[order], of[order + n])]
    starts = starts_of(of[order])
    least = np.repeat(order[starts] + n, np.diff(np.append(starts, len(order))))
    return nodes, of, order, order + n, least


def labelled(batch: Any, again: Again, groups: Groups) -> Any:
    """Add to a batch the least position of the group of each row, its own where it is alone."""
    there = again.positions(batch)
    there = replaced(replaced(there, groups.leaves, "first"), groups.roots, "root")
    return batch.append_column("mithril_group", there)


def replaced(there: Any, tables: Tables, column: str) -> Any:
    """Return positions, those that tables know replaced by what a column has of them."""
    rows, others = found(there, tables)
    if others is None:
        return there
    which = np.arange(len(there))
    which[rows] = len(there) + np.arange(len(rows))
    return pa.concat_arrays([there, plain(others.column(column))]).take(pa.array(which))
