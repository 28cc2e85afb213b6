"""Connected components: which rows a chain of pairs joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import ray

from mithril_stream.ray._known import by_hash, found, known
from mithril_stream.ray._holders import starts_of
from mithril_stream.ray._order import Order, joined, ordinals, plain
from mithril_stream.ray._tasks import gather, start


def roots(edges: Sequence[Any], ranges: int) -> list[Any]:
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


def labelled(batch: Any, order: Order, tables: Sequence[Any]) -> Any:
    """Add to a batch the least position of the group of each row, its own where it is alone."""
    there = order.positions(batch)
    rows, groups = found(there, tables)
    which = np.arange(len(there))
    if groups is not None:
        which[rows] = len(there) + np.arange(len(rows))
        there = pa.concat_arrays([there, plain(groups.column("root"))])
    return batch.append_column("mithril_group", there.take(pa.array(which)))
