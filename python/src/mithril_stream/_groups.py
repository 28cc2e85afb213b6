"""Groups of records, from which record each duplicate resembles."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple


class Edge(NamedTuple):
    """A duplicate, the earlier record that it resembles most, and how much. Records are numbers."""

    duplicate: int
    original: int
    similarity: float


def joined(edges: Iterable[Edge]) -> dict[int, list[Edge]]:
    """Return the edges of each group, under the first record of it."""
    first: dict[int, int] = {}  # of the group of a record
    groups: dict[int, list[Edge]] = {}
    for edge in edges:  # an original is earlier than its duplicates, so its group is known
        root = first.get(edge.original, edge.original)
        first[edge.duplicate] = root
        groups.setdefault(root, []).append(edge)
    return groups


class Cluster(NamedTuple):
    """Records that resemble each other: the one that is kept, the others, and the mean similarity of each of these
    to the earlier record that it resembles most."""

    representative: Any
    duplicates: list[Any]
    avg_similarity: float


def clusters(edges: Iterable[Edge], names: Any = None, removed: Collection[int] = ()) -> list[Cluster]:
    """Return the groups in the order of their first records. names maps record numbers to what they are called. A group
    whose first record was removed is left out."""
    name = names if names is not None else (lambda record: record)
    found = list[Cluster]()
    for root, group in sorted(joined(edges).items()):
        there = [e for e in group if e.duplicate not in removed]
        if there and root not in removed:
            similarity = sum(e.similarity for e in there) / len(there)
            found.append(Cluster(name(root), [name(e.duplicate) for e in there], similarity))
    return found
