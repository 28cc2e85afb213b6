"""What a call has found."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from mithril_stream._groups import Cluster, Edge, clusters


class Match(NamedTuple):
    """The earlier document that another one resembles most. With Bloom filters, both are None."""

    duplicate_of: Any
    similarity: float | None


class Stats(NamedTuple):
    """Counts of a run, with the names that this field uses."""

    total_documents: int
    unique_documents: int
    duplicate_documents: int
    duplicate_ratio: float
    processing_time_secs: float
    peak_memory_bytes: int
    too_long_documents: int  # longer than --max-record: they are kept, and compared with nothing


class Result(NamedTuple):
    """What is kept and removed, and which documents resemble each other.

    keep, remove: positions in what was given, or, with id, ids.
    clusters: groups of documents, by their ids. One without an id is called by its number: how many documents the
        memory was given before it. Empty where originals are not known.
    """

    keep: list[Any]
    remove: list[Any]
    clusters: list[Cluster]
    stats: Stats

    @property
    def duplicate_ratio(self) -> float:
        """The share of duplicates, from 0 to 1."""
        return self.stats.duplicate_ratio


def file_result(stats_path: str, flags_path: str, originals_path: str | None) -> Result:
    """Read what a run of the program has left."""
    with open(stats_path, encoding="utf-8") as f:
        said = json.load(f)
    counts = {name: said[name] for name in Stats._fields if name in said}
    stats = Stats(**counts, too_long_documents=said.get("rejects", {}).get("too long", 0))
    with open(flags_path, encoding="ascii") as f:
        flags = f.read().split()
    numbers: dict[str, int] = {}
    names: list[Any] = []
    edges: list[Edge] = []

    def number(name: Any) -> int:
        key = json.dumps(name)
        if key not in numbers:
            numbers[key] = len(names)
            names.append(name)
        return numbers[key]

    if originals_path:
        with open(originals_path, encoding="utf-8") as f:
            for line in f:
                said = json.loads(line)
                if said["original"] is not None:  # one that Bloom filters have seen
                    original = number(said["original"])
                    edges.append(Edge(number(said["id"]), original, said["similarity"]))
    return Result(
        keep=[i for i, flag in enumerate(flags) if flag == "1"],
        remove=[i for i, flag in enumerate(flags) if flag == "0"],
        clusters=clusters(edges, names.__getitem__),
        stats=stats,
    )
