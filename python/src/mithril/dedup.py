"""Remove near-duplicates from lists, data frames, files and streams of texts.

A text is a duplicate if it resembles any earlier one: by default, if the Jaccard similarity of their sets of five
neighbouring words is at least .85, as MinHash estimates it. Verdicts are those of the program mithril-stream.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mithril import _judge, _program, _tables
from mithril._groups import Cluster, Edge, clusters
from mithril._judge import Judge
from mithril._texts import block_of_one, blocks_of_iterable

__all__ = ["Cluster", "Deduplicator", "Match", "Result", "Stats", "deduplicate"]


class Match(NamedTuple):
    """The earlier document that another one resembles most. With Bloom filters, both are None."""

    duplicate_of: Any
    similarity: float | None


@dataclass
class Stats:
    """Counts of a run, with the names that this field uses."""

    total_documents: int = 0
    unique_documents: int = 0
    duplicate_documents: int = 0
    duplicate_ratio: float = 0.0
    processing_time_secs: float = 0.0
    peak_memory_bytes: int = 0


@dataclass
class Result:
    """What is kept and removed, by id or position, and which documents resemble each other."""

    keep: list[Any] = field(default_factory=list)
    remove: list[Any] = field(default_factory=list)
    clusters: list[Cluster] = field(default_factory=list)
    stats: Stats = field(default_factory=Stats)


class Deduplicator:
    """Remembers documents, and says which of them resemble earlier ones.

    threshold: Jaccard similarity from which on two documents are duplicates.
    num_permutations: slots of a MinHash signature; without it what the program takes, 128 for the exact memory.
    ngram_size: neighbouring words that make one element of a document's set.
    memory: "exact" knows the original of each duplicate, in some 330 bytes a document; "bloom" does not, in 40.
    index: a directory to keep the memory in. What was committed there is known again. Without it, an exact memory is
        kept in a temporary directory until it is saved.
    options: more options of `mithril-stream judge`, such as ["--tokenize", "uax29"].

    It may be used by several threads, which wait for each other, and by the process that made it. Close it, or use
    it in a with statement; else its child ends with this process.
    """

    def __init__(
        self,
        threshold: float = 0.85,
        num_permutations: int | None = None,
        ngram_size: int = 5,
        memory: str = "exact",
        *,
        index: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        if memory not in ("exact", "bloom"):
            raise ValueError(f'memory is {memory!r}: give "exact" or "bloom"')
        self._arguments = arguments(threshold, num_permutations, ngram_size, memory, options)
        self._is_exact = memory == "exact"
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        if self._is_exact and not index:
            self._temporary = tempfile.TemporaryDirectory(prefix="mithril-", ignore_cleanup_errors=True)
            index = os.path.join(self._temporary.name, "index")
        self._index = os.fspath(index) if index else None
        self._judge = Judge(self._arguments + (["--index", self._index] if self._index else []))
        self._before = self._records()  # what an index has from earlier
        self._stats, self._edges = Stats(), list[Edge]()
        self._given = 0

    # One document at a time.

    def add(self, doc: Any, id: Hashable = None) -> list[Any]:
        """Remember a document, and return the id of the earlier one that it resembles most, in a list; an empty list
        if there is none. Without an id it is called by its number, from 0. Bloom filters answer [None]."""
        began = time.perf_counter()
        self._given += 1
        name = None
        if self._is_exact:
            name = b"%d" % (self._given - 1) if id is None else json.dumps(id).encode()
        original, similarity, _, is_duplicate, _ = self._judge.one(_judge.ADD, block_of_one(text_of(doc)), name)
        self._stats.total_documents += 1
        self._stats.processing_time_secs += time.perf_counter() - began
        if not is_duplicate:
            return []
        self._stats.duplicate_documents += 1
        if not self._is_exact:
            return [None]
        self._edges.append(Edge(self._before + self._given, original, similarity))
        return self._names([original])

    def is_duplicate(self, doc: Any) -> Match | None:
        """Say what a document resembles, without remembering it."""
        original, similarity, _, is_duplicate, _ = self._judge.one(_judge.ASK, block_of_one(text_of(doc)))
        if not is_duplicate:
            return None
        if not self._is_exact:
            return Match(None, None)
        return Match(self._names([original])[0], similarity)

    def near(self, doc: Any, k: int = 10) -> list[Match]:
        """Return the most similar documents, the nearest first. It finds what shares a band with the document."""
        found = self._judge.json(_judge.NEAR, block_of_one(text_of(doc)), k)[0]
        return [Match(f["record"], f["similarity"]) for f in found]

    # Many documents.

    def deduplicate(
        self,
        docs: Iterable[Any],
        *,
        text_field: str = "text",
        id_field: str | None = None,
        progress: Any = None,
    ) -> Result:
        """Remember documents, which are strings or dicts, and say which to keep. Without id_field they are called by
        their numbers, from 0 for the first one that this object was given. progress is a tqdm bar, or a function that
        is called with the number of documents after each block of them."""
        names: list[Any] = []

        def texts() -> Iterator[Any]:
            for position, doc in enumerate(docs):
                names.append(doc[id_field] if id_field else self._given + position)
                yield text_of(doc, text_field)

        began = time.perf_counter()
        edges, count = list[Edge](), 0
        ids = (json.dumps(names[i]).encode() for i in range(1 << 62)) if self._is_exact else None
        kept = list[int]()
        for block in self._judge.texts(_judge.ADD, blocks_of_iterable(texts()), ids):
            kept += _judge.kept_of(block, count)
            edges += _judge.duplicates_of(block, count)
            count += len(block) // _judge.VERDICT.size
            _tables.report(progress, count, len(block) // _judge.VERDICT.size)
        removed = [e.duplicate for e in edges]
        edges = [e._replace(duplicate=self._before + self._given + e.duplicate + 1) for e in edges]
        self._given += count
        self._edges += edges if self._is_exact else []
        result = Result(
            keep=[names[i] for i in kept],
            remove=[names[i] for i in removed],
            clusters=self._clusters(edges) if self._is_exact else [],
            stats=self._stats_of(count, len(removed), time.perf_counter() - began),
        )
        self._stats.total_documents += count
        self._stats.duplicate_documents += len(removed)
        self._stats.processing_time_secs += result.stats.processing_time_secs
        return result

    def unique(self, docs: Iterable[Any], text_field: str = "text") -> Iterator[Any]:
        """Remember documents one after the other, and yield those that resemble no earlier one."""
        for doc in docs:
            if not self.add(doc if isinstance(doc, str) else text_of(doc, text_field)):
                yield doc

    def deduplicate_file(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        text_field: str = "text",
        output: str | os.PathLike[str] = "unique.jsonl",
        *,
        id_field: str | None = None,
    ) -> Result:
        """Filter files as the program does, whatever their format and compression, into another one. It compares
        them with each other, and with the index if one was given; not with what add was told."""
        paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
        with tempfile.TemporaryDirectory(prefix="mithril-") as scratch:
            stats, flags = os.path.join(scratch, "stats"), os.path.join(scratch, "flags")
            originals = os.path.join(scratch, "originals.jsonl")
            args = [*self._arguments, "-q", "--stats", stats, "--flags", flags, "-o", os.fspath(output)]
            args += ["--field", text_field]
            if self._is_exact:
                args += ["--originals", originals] + (["--id", id_field] if id_field else [])
            if self._index and not self._temporary:
                raise ValueError("an index that is open here cannot be given to a run over files: close this object, "
                                 "and make one without index")  # fmt: skip
            _program.run([*args, "--", *(os.fspath(path) for path in paths)])
            return file_result(stats, flags, originals if self._is_exact else None)

    # What is remembered.

    def clusters(self) -> list[Cluster]:
        """Return the groups of all documents that were added here, in the order of their first ones. The first is
        the representative. They need the exact memory."""
        return self._clusters(self._edges)

    @property
    def stats(self) -> Stats:
        """Counts of all documents that were added here."""
        s = self._stats
        return self._stats_of(s.total_documents, s.duplicate_documents, s.processing_time_secs)

    def save(self, directory: str | os.PathLike[str] | None = None) -> None:
        """Commit the index, and copy it to a directory that does not exist yet, if one is given. The program reads it,
        too: `mithril-stream --memory exact --index DIR`, with the same options."""
        if self._index is None:
            raise ValueError("Bloom filters without index= are in memory only: give index=DIR when you make the object")
        if directory is None and self._temporary:
            raise ValueError("give the directory to save to")
        self._judge.ask(_judge.COMMIT)
        if directory is not None:
            shutil.copytree(self._index, os.fspath(directory))

    @classmethod
    def load(cls, directory: str | os.PathLike[str], **settings: Any) -> Deduplicator:
        """Open an index that save, or the program, has left in a directory. The settings must be those that it was
        made with; what differs is named in the error."""
        if not os.path.isdir(directory):
            raise FileNotFoundError(f"{os.fspath(directory)}: there is no index")
        return cls(index=directory, **settings)

    def close(self) -> None:
        """End the child. What was not saved is forgotten."""
        if not self._judge.is_mine():
            return
        self._judge.close()
        if self._temporary:
            self._temporary.cleanup()

    def __enter__(self) -> Deduplicator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_judge"):
            self.close()

    def _names(self, records: Sequence[int]) -> list[Any]:
        return list(self._judge.json(_judge.NAMES, records=records))

    def _clusters(self, edges: Sequence[Edge]) -> list[Cluster]:
        if not self._is_exact:
            raise ValueError("Bloom filters do not know which document was seen: use memory='exact'")
        numbers = sorted({n for e in edges for n in (e.duplicate, e.original)})
        names = dict[int, Any]()
        for i in range(0, len(numbers), 1 << 16):
            part = numbers[i : i + (1 << 16)]
            names.update(zip(part, self._names(part), strict=True))
        return clusters(edges, names.__getitem__)

    def _records(self) -> int:
        return int(self._judge.json(_judge.STATS)["records"]) if self._is_exact else 0

    def _stats_of(self, total: int, duplicates: int, seconds: float) -> Stats:
        child = int(self._judge.json(_judge.STATS)["peak_memory_bytes"])
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
        return Stats(total, total - duplicates, duplicates, duplicates / total if total else 0.0, seconds, own + child)


def arguments(
    threshold: float, num_permutations: int | None, ngram_size: int, memory: str, options: Sequence[str]
) -> list[str]:
    """Return the options of the program that these settings stand for."""
    args = ["--threshold", str(threshold), "--shingle-size", str(ngram_size), "--memory", memory]
    if num_permutations is not None:
        args += ["--num-perm", str(num_permutations)]
    return [*args, *options]


def text_of(doc: Any, text_field: str = "text") -> Any:
    """Return the text of a document: itself, if it is a string, or a value of a dict."""
    return doc if doc is None or isinstance(doc, (str, bytes)) else doc[text_field]


def file_result(stats_path: str, flags_path: str, originals_path: str | None) -> Result:
    """Read what a run of the program has left."""
    with open(stats_path, encoding="utf-8") as f:
        said = json.load(f)
    stats = Stats(**{name: said[name] for name in Stats.__dataclass_fields__})
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
                original = number(said["original"])
                edges.append(Edge(number(said["id"]), original, said["similarity"]))
    return Result(
        keep=[i for i, flag in enumerate(flags) if flag == "1"],
        remove=[i for i, flag in enumerate(flags) if flag == "0"],
        clusters=clusters(edges, names.__getitem__),
        stats=stats,
    )


def deduplicate(
    data: Any,
    column: str = "text",
    *,
    threshold: float = 0.85,
    num_permutations: int | None = None,
    ngram_size: int = 5,
    memory: str | None = None,
    keep: str = "first",
    return_groups: bool = False,
    progress: Any = None,
    options: Sequence[str] = (),
) -> Any:
    """Remove near-duplicates from a table, and return one of the same type with its rows and index as they were.

    data: a pandas or polars data frame, a pyarrow table, a Hugging Face dataset, or a list of strings or dicts.
    column: where the texts are. A list of strings has no columns.
    memory: "bloom" (the default where nothing else is asked for) or "exact", which keep and return_groups need.
    keep: which one of a group stays: "first", "last", "longest", "shortest" (by characters of the text), or "none".
        A group is what a chain of duplicates and the earlier records that they resemble most joins.
    return_groups: return the table and a list beside it, with the number of the group of each row of data: the
        position of its first row.
    progress: a tqdm bar, or a function that is called with the number of rows so far.
    """
    if keep not in ("first", "last", "longest", "shortest", "none"):
        raise ValueError(f'keep is {keep!r}: give "first", "last", "longest", "shortest" or "none"')
    needs_groups = keep != "first" or return_groups
    memory = memory or ("exact" if needs_groups else "bloom")
    if needs_groups and memory != "exact":
        raise ValueError("keep and return_groups need memory='exact': Bloom filters do not know which row was seen")
    table = _tables.table_of(data, column)
    judge = Judge(
        arguments(threshold, num_permutations, ngram_size, memory, ["--capacity", str(max(1000, table.rows)), *options])
    )
    try:
        kept, edges = _tables.judged(judge, table, progress, needs_groups)
    finally:
        judge.close()
    if not needs_groups:
        return table.select(kept)
    kept, groups = _tables.grouped(table, kept, edges, keep)
    return (table.select(kept), groups) if return_groups else table.select(kept)
