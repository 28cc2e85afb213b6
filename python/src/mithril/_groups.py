"""Groups of records, from which record each duplicate resembles."""

from __future__ import annotations

from collections.abc import Iterable
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


def clusters(edges: Iterable[Edge], names: Any = None) -> list[Cluster]:
    """Return the groups in the order of their first records. names maps record numbers to what they are called."""
    name = names if names is not None else (lambda record: record)
    return [
        Cluster(name(root), [name(e.duplicate) for e in group], sum(e.similarity for e in group) / len(group))
        for root, group in sorted(joined(edges).items())
    ]
