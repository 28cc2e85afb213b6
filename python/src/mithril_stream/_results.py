"""What a call has found."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from mithril_stream._groups import Cluster, Edge, clusters
from mithril_stream._settings import check_count, check_share


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


class Found(NamedTuple):
    """What a result was made of. The similarity of an edge is the duplicate's similarity to the earlier document that
    it resembles most: at a higher threshold the document would stay."""

    ids: Sequence[Any] | None  # of all documents; without them they are called by their positions
    kept: list[int]  # positions
    duplicates: list[tuple[int, Edge]]  # by their positions
    names: Callable[[int], Any]  # what records are called, by the numbers that edges have
    threshold: float | None  # that was asked for, if it is one of similarities

    def result(self, stats: Stats) -> Result:
        name = self.ids.__getitem__ if self.ids is not None else int
        edges = [edge for _, edge in self.duplicates]
        made = Result(
            keep=[name(i) for i in self.kept],
            remove=[name(i) for i, _ in self.duplicates],
            clusters=clusters(edges, self.names) if self.knows_originals() else [],
            stats=stats,
        )
        made.found = self
        return made

    def knows_originals(self) -> bool:
        return all(edge.original for _, edge in self.duplicates)

    def at(self, threshold: float) -> Found:
        """Return what would have been found with a higher threshold."""
        least = struct.unpack("<f", struct.pack("<f", threshold))[0]  # similarities have 32 bits
        freed = [i for i, edge in self.duplicates if edge.similarity < least]
        return self._replace(
            kept=sorted(self.kept + freed),
            duplicates=[(i, edge) for i, edge in self.duplicates if edge.similarity >= least],
            threshold=threshold,
        )


class Counts(NamedTuple):
    keep: list[Any]
    remove: list[Any]
    clusters: list[Cluster]
    stats: Stats


class Result(Counts):
    """What is kept and removed, and which documents resemble each other.

    keep, remove: positions in what was given, or, with id, ids.
    clusters: groups of documents, by their ids. One without an id is called by its number: how many documents the
        memory was given before it. Empty where originals are not known.
    """

    found: Found | None = None  # None if originals are not known

    def at(self, threshold: float) -> Result:
        """Return what a higher threshold would have kept and removed, without comparing documents again: one that is
        less similar than that to each earlier document stays. Raises ValueError if similarities are not known, and for
        a threshold below the result's own, since such pairs were not looked for. stats stay as they are, except for the
        numbers of documents."""
        check_share("threshold", threshold)
        if self.found is None or self.found.threshold is None or not self.found.knows_originals():
            raise ValueError("Jaccard similarities are not known: use memory='exact', without a method")
        if threshold < self.found.threshold:
            raise ValueError(f"documents less similar than {self.found.threshold} were not looked for: deduplicate with "
                             f"threshold={threshold}, from which at() goes up")  # fmt: skip
        found = self.found.at(threshold)
        total, unique = self.stats.total_documents, len(found.kept)
        return found.result(self.stats._replace(
            unique_documents=unique, duplicate_documents=total - unique,
            duplicate_ratio=(total - unique) / total if total else 0.0,
        ))  # fmt: skip

    def representatives(self, k: int | None = None) -> list[Any]:
        """Return the first document of each group of similar ones, or of the k largest groups. The largest groups come
        first."""
        check_count("k", k)
        if self.found is None or not self.found.knows_originals():
            raise ValueError("groups are not known: use memory='exact', without a method")
        return [c.representative for c in sorted(self.clusters, key=lambda c: -len(c.duplicates))[:k]]

    @property
    def duplicate_ratio(self) -> float:
        """The share of duplicates, from 0 to 1."""
        return self.stats.duplicate_ratio


def file_result(stats_path: str, flags_path: str, originals_path: str | None, threshold: float | None) -> Result:
    """Read what a run of the program has left."""
    with open(stats_path, encoding="utf-8") as f:
        said = json.load(f)
    counts = {name: said[name] for name in Stats._fields if name in said}
    stats = Stats(**counts, too_long_documents=said.get("rejects", {}).get("too long", 0))
    with open(flags_path, encoding="ascii") as f:
        flags = f.read().split()
    numbers: dict[str, int] = {}
    names: list[Any] = [None]  # number 0 is no record
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
                if said["original"] is not None:
                    original = number(said["original"])
                    edges.append(Edge(number(said["id"]), original, said["similarity"]))
    keep, remove = ([i for i, flag in enumerate(flags) if flag == kind] for kind in "10")
    if len(edges) == len(remove):
        return Found(None, keep, list(zip(remove, edges, strict=True)), names.__getitem__, threshold).result(stats)
    # Bloom filters have seen some
    return Result(keep, remove, clusters(edges, names.__getitem__), stats)
