"""An object that remembers documents."""

from __future__ import annotations

import itertools
import json
import os
import resource
import tempfile
import threading
import time
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from mithril import _judge, _program, _tables
from mithril._documents import encode_id, name_of, text_of
from mithril._groups import Cluster, Edge, clusters
from mithril._progress import reporting
from mithril._remembering import Remembering
from mithril._results import Match, Result, Stats, file_result
from mithril._texts import Block, block_of_one


class Deduplicator(Remembering):
    """Remembers documents, and says which of them resemble earlier ones.

    threshold: Jaccard similarity from which on two documents are duplicates; 0.85 without it. With a method the share
        of a document that was seen; without it what the method takes.
    num_permutations: slots of a MinHash signature; without it what the program takes, 128 for the exact memory.
    ngram_size: neighbouring words that make one element of a document's set, or an n-gram of a method; 5 without it,
        or what the method takes.
    memory: "exact" knows the originals of each duplicate, in some 330 bytes a document; "bloom" does not, in 40; "auto"
        is exact up to max_memory, and goes on with Bloom filters of all that was seen. Without it exact; with a method
        bloom, which is all that can be kept.
    max_memory: what the memory may take, as in "4GiB" or a number of bytes. An exact one goes on in files.
    method: judge by parts that any documents before had, such as "dclm" or "dolma-ngram" (docs/overlap.md). Then no
        originals are known.
    index: a directory to keep the memory in. What was committed there is known again. Without it, the memory is kept
        in a temporary directory until it is saved.
    options: more options of `mithril-stream judge`, such as ["--tokenize", "uax29"].

    In a with statement what was added is committed to index at the end, unless an exception ends it; save commits at
    any time. A document is a string, or a dict with the text. Without an id it is called by its number: how many the
    memory was given before it, over the life of its index.

    It may be used by several threads, which wait for each other, and by the process that made it. Close it, or use
    it in a with statement; else its child ends with this process.
    """

    # One document at a time.

    def add(self, doc: Any, id: Hashable = None) -> list[Any]:
        """Remember a document, and return the ids of all earlier ones that it resembles, the nearest first; an empty
        list if there are none. Of documents that are copies of each other it is the first. What Bloom filters have
        seen has no id: [None]."""
        with self._alone():
            found = self._add(text_of(doc), id)
        return [f["record"] for f in found]

    def _add(self, text: Any, id: Hashable = None) -> list[Any]:
        began = time.perf_counter()
        name = None
        if self._memory != "bloom":
            name = b"%d" % self._given if id is None else encode_id(id)
        reply = self._judge.one(_judge.ALIKE, block_of_one(text), name)
        self._given += 1
        self._documents += 1
        found = []
        if reply != b"[[]]":
            found = json.loads(reply)[0]
            self._duplicates += 1
            self._edges += [Edge(self._given, f["number"], f["similarity"]) for f in found[:1] if f["number"]]
        self._seconds += time.perf_counter() - began
        return found

    def is_duplicate(self, doc: Any) -> Match | None:
        """Say which document another one resembles most, without remembering it."""
        block = block_of_one(text_of(doc))
        with self._alone():
            verdict = self._judge.one(_judge.ASK, block)
            original, similarity, _, is_duplicate, _ = _judge.VERDICT.unpack(verdict)
            if not is_duplicate:
                return None
            return Match(self._names([original])[0], similarity) if original else Match(None, None)

    def __contains__(self, doc: Any) -> bool:
        """Say whether a document resembles one that is remembered."""
        return self.is_duplicate(doc) is not None

    def near(self, doc: Any, k: int = 10) -> list[Match]:
        """Return the most similar documents, the nearest first. It finds what shares a band with the document."""
        block = block_of_one(text_of(doc))
        with self._alone():
            self._require_originals()
            found = self._judge.json(_judge.NEAR, block, k)[0]
        return [Match(f["record"], f["similarity"]) for f in found]

    def unique(self, docs: Iterable[Any], text_field: str = "text") -> Iterator[Any]:
        """Remember documents one after the other, and yield those that resemble no earlier one."""
        docs = _tables.iterable_of(docs)

        def new() -> Iterator[Any]:
            for row, doc in enumerate(docs):
                text = text_of(doc, text_field, row)
                with self._alone():
                    found = self._add(text)
                if not found:
                    yield doc

        return new()

    # Many documents.

    def deduplicate(
        self,
        docs: Any,
        *,
        text_field: str = "text",
        id_field: str | None = None,
        progress: Any = None,
    ) -> Result:
        """Remember documents, and say which to keep: an iterable of strings or dicts, or a table that
        mithril.dedup.deduplicate takes. They are compared with all that is remembered, and with each other.

        With id_field they have ids, and the result says which to keep by these; else by the positions in docs.
        progress is True, for a bar by tqdm, a bar, or a function that is called with the number of documents so far.

        A table or a list is looked through before any of it is remembered. Of an iterable with something that is no
        document, what came before that may be remembered."""
        table = _tables.documents_of(docs, text_field, id_field)
        table.check()
        ids = table.ids if isinstance(table, _tables.Stream) else table.values(id_field) if id_field else []
        encoded = [encode_id(id, row) for row, id in enumerate(ids)]
        with self._alone(), reporting(progress, table.rows or None) as tell:
            began, first = time.perf_counter(), self._given
            names: Iterator[bytes] | None = None
            if self._memory != "bloom" and id_field is None:
                names = (b"%d" % number for number in itertools.count(first))
            elif self._memory != "bloom":
                names = iter(encoded) if encoded else (encode_id(ids[row], row) for row in itertools.count())
            kept, edges = list[int](), list[Edge]()
            for block in self._judge.texts(_judge.ADD, self._read(table.blocks()), names):
                kept += _judge.kept_of(block, self._given - first)
                more = list(_judge.duplicates_of(block, self._given + 1))
                edges += more
                self._count(len(block) // _judge.VERDICT.size, more)
                tell(len(block) // _judge.VERDICT.size)
            seconds = time.perf_counter() - began
            self._seconds += seconds
            removed = [edge.duplicate - first - 1 for edge in edges]
            return Result(
                keep=[ids[i] for i in kept] if id_field else kept,
                remove=[ids[i] for i in removed] if id_field else removed,
                clusters=self._clusters(edges) if self._knows_originals() else [],
                stats=self._stats_of(self._given - first, len(removed), seconds),
            )

    def _read(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Read documents in the thread that sends them."""
        self._reader = threading.get_ident()
        try:
            yield from blocks
        finally:
            self._reader = None

    def _count(self, documents: int, duplicates: list[Edge]) -> None:
        """Note what a block of documents was."""
        self._given += documents
        self._documents += documents
        self._duplicates += len(duplicates)
        self._edges += [edge for edge in duplicates if edge.original]

    def deduplicate_file(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        text_field: str = "text",
        output: str | os.PathLike[str] = "unique.jsonl",
        *,
        id_field: str | None = None,
        overwrite: bool = False,
    ) -> Result:
        """Filter files as the program does, whatever their format and compression, into another one. Their records
        are compared with all that is remembered, and with each other, and are remembered.

        What was added before is committed to the index, as by save, and so are the records. Files that the index has
        taken in before get the verdicts of then. The output of an earlier call is written over only with overwrite.
        The result names records by their positions in files, and clusters by id_field, or else by file and number."""
        paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
        with self._alone(), tempfile.TemporaryDirectory(prefix="mithril-") as scratch:
            stats, flags = os.path.join(scratch, "stats"), os.path.join(scratch, "flags")
            originals = os.path.join(scratch, "originals.jsonl") if self._memory != "bloom" else None
            args = [*self._arguments, "-q", f"--stats={stats}", f"--flags={flags}", f"--output={os.fspath(output)}"]
            if text_field != "text":  # to leave it out is the same way of reading as that of the program alone
                args.append(f"--field={text_field}")
            if overwrite:
                args.append("--overwrite")
            if originals:
                args += [f"--originals={originals}"] + ([f"--id={id_field}"] if id_field else [])
            self._commit()
            self._judge.close()  # an index is open once
            try:
                _program.run([*args, "--", *(os.fspath(path) for path in paths)])
            finally:
                self._open()
            result = file_result(stats, flags, originals)
            self._documents += result.stats.total_documents
            self._duplicates += result.stats.duplicate_documents
            self._seconds += result.stats.processing_time_secs
            return result

    # Fewer documents.

    def remove(self, *ids: Hashable) -> None:
        """Forget the documents that have these ids: no answer has them any more, and one that resembles them alone counts
        as new. Of documents that are copies of each other the first is remembered, and with it all are forgotten.

        What was added before is committed to the index, as by save. Raises ValueError if the memory never had some of
        the ids; the others are forgotten nevertheless. It reads the index again: give many ids at once."""
        if self._method:
            raise ValueError(f"with method={self._method!r} documents have parts in common, which cannot be forgotten")
        if self._memory != "exact":
            raise ValueError(f"memory={self._memory!r} cannot forget a document alone: use memory='exact'")
        if self._index is None or self._asks_only:
            raise ValueError("with --read-only nothing is remembered that could be removed")
        if not ids:
            return
        encoded = [encode_id(id) for id in ids]
        with self._alone():
            self._commit()
            wanted = {name_of(id) for id in map(json.loads, encoded)}
            numbers = sorted({n for e in self._edges for n in (e.duplicate, e.original)})
            removed = {n for n, id in zip(numbers, self._all_names(numbers), strict=True) if name_of(id) in wanted}
            self._judge.close()  # an index is open once
            try:
                args = ["index", "delete", self._index, "--ids=-"]
                missing = _program.run(args, accepted=(0, 3), given=b"\n".join(encoded))
                self._removed |= removed
            finally:
                self._open()
        if missing:
            raise ValueError(missing)

    # What was found.

    def clusters(self) -> list[Cluster]:
        """Return the groups of all documents that were added here, but for those of files, in the order of their
        first ones. The first is the representative. They need a memory that knows originals."""
        with self._alone():
            self._require_originals()
            return self._clusters(self._edges)

    @property
    def stats(self) -> Stats:
        """Counts of all documents that were added here."""
        with self._alone():
            return self._stats_of(self._documents, self._duplicates, self._seconds)

    def _clusters(self, edges: Sequence[Edge]) -> list[Cluster]:
        numbers = sorted({n for e in edges for n in (e.duplicate, e.original)})
        names = dict(zip(numbers, self._all_names(numbers), strict=True))
        return clusters(edges, names.__getitem__, self._removed)

    def _stats_of(self, total: int, duplicates: int, seconds: float) -> Stats:
        child = int(self._said()["peak_memory_bytes"])
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
        return Stats(total, total - duplicates, duplicates, duplicates / total if total else 0.0, seconds, own + child)
