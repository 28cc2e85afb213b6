"""An object that remembers documents."""

from __future__ import annotations

import itertools
import json
import os
import resource
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mithril_stream import _judge, _program, _tables
from mithril_stream._answers import Answers, answers_of
from mithril_stream._documents import encode_id, name_of, text_of, value_of
from mithril_stream._groups import Cluster, Edge, clusters
from mithril_stream._judge import answering
from mithril_stream._kinds import full_name
from mithril_stream._long import warn_of_long
from mithril_stream._progress import reporting
from mithril_stream._remembering import Remembering
from mithril_stream._results import Found, Match, Result, Stats, file_result
from mithril_stream._settings import check_count
from mithril_stream._temporary import scratch_directory
from mithril_stream._texts import Block, block_of_one
from mithril_stream._within import blocks_of, blocks_of_texts, confined, values_of

if TYPE_CHECKING:
    from mithril_stream._unseen import Unseen


Document = TypeVar("Document")
ALL = 0xFFFFFFFF  # the most that can be asked for
FEW_DOCS = 1024  # that are read before they are judged


def paths_of(files: Any) -> list[str]:
    """Return the paths of one file or of several. Raises TypeError for anything else, and ValueError for no file."""
    paths = [files] if isinstance(files, (str, os.PathLike)) else files if isinstance(files, Sequence) else None
    if paths is None or not all(isinstance(path, (str, os.PathLike)) for path in paths):
        raise TypeError(f"files must be a path or a list of paths, got {full_name(files)}; deduplicate takes tables")
    if not paths:
        raise ValueError("files is empty: give at least one path")
    return [os.fspath(path) for path in paths]


def most_of(kind: int, most: int | None) -> int:
    """Return how many documents are asked for, as the program wants it: 0 are all that are similar."""
    return min(most or (0 if kind == _judge.SIMILAR else ALL), ALL)


class Judged(NamedTuple):
    """What was found of documents that were given at once."""

    table: _tables.Table
    first: int  # how many the memory was given before
    rows: int
    ids: list[Any]
    kept: list[int]
    edges: list[Edge]
    long: list[int]  # positions of texts that are too long
    seconds: float


class Deduplicator(Remembering):
    """Remembers documents, and says which of them resemble earlier ones.

    threshold: Jaccard similarity from which on two documents are duplicates; without it .85, or what the preset takes.
        With a method the share of a document that was seen; without it what the method takes.
    num_permutations: slots of a MinHash signature; without it what the program takes, 64 for the exact memory.
    ngram_size: neighbouring words that make one element of a document's set, or an n-gram of a method; 5 without it,
        or what the preset or the method takes.
    preset: a published recipe, such as "fineweb" (docs/reference/text.md).
    memory: "exact" knows the originals of each duplicate, in some 330 bytes a document; "bloom" does not, in 40; "auto"
        is exact up to max_memory, and continues with Bloom filters of all that was seen. Without it exact; with a method
        bloom, which is all that can be kept.
    max_memory: what the memory may take, as in "4GiB" or a number of bytes. An exact one goes on in files.
    method: judge by parts that any documents before had, such as "dclm" or "dolma-ngram" (docs/reference/overlap.md). Then no
        originals are known.
    within: a field, such as "lang": documents, which are dicts then, are compared with those of the same value alone.
    index: a directory to keep the memory in. What was committed there is known again. Without it, the memory is kept
        in a temporary directory until it is saved.
    run: what the documents that this object remembers are called together, such as "2026-11-28" or a date. If a task
        fails after they were committed to index, run it again: the same documents in the same order get the same
        verdicts under the same name, whatever was remembered since, and the index stays as it is. Other documents are
        a MithrilError, at the latest when they are committed.
    options: more options of `mithril-stream judge`, such as ["--tokenize", "uax29"].

    In a with statement what was added is committed to index at the end, unless an exception ends it; save commits at
    any time. A document is a string, or a dict with the text. Without an id it is called by its number: how many the
    memory was given before it, over the life of its index. No id may be given twice.

    It may be used by several threads, which wait for each other, and by the process that made it. Close it, or use
    it in a with statement; else its child ends with this process.
    """

    # One document at a time.

    @answering
    def add(self, doc: Any, id: Hashable = None) -> list[Any]:
        """Remember a document, and return the id of the earlier one that it resembles most, in a list that is empty if
        it resembles none. Of several equal documents the first is returned. Bloom filters keep no ids: they return
        [None] for a duplicate. similar finds all that a document resembles."""
        with self._alone():
            values = values_of([doc], self._within)
            return self._add([text_of(doc)], None if id is None else [id], values, None)[0]

    @answering
    def add_many(self, docs: Iterable[Any], *, text: str = "text", id: str | None = None) -> list[list[Any]]:
        """Remember documents, and return what add returns, for each. It takes a fraction of the time."""
        found = list[list[Any]]()
        for batch in _tables.batches_of(_tables.iterable_of(docs), FEW_DOCS):
            texts = [text_of(doc, text, len(found) + i) for i, doc in enumerate(batch)]
            ids = [value_of(doc, id, len(found) + i) for i, doc in enumerate(batch)] if id else None
            values = values_of(batch, self._within, len(found))
            with self._alone():
                found += self._add(texts, ids, values, len(found))
        return found

    def _add(
        self, texts: Sequence[Any], ids: Sequence[Any] | None, values: Sequence[Any] | None, row: int | None
    ) -> list[list[Any]]:
        """Remember a few texts. row is the place of the first one in what was given."""
        self._require_open_run()
        found: list[list[Any]] = []  # not list[list[Any]](), which takes 2 µs
        long: list[int] = []

        def deal(reply: bytes) -> None:
            alike = json.loads(reply)
            long.extend([len(found) + i for i, of in enumerate(alike) if of is None])
            self._count(len(alike), [
                Edge(self._given + i, of[0]["number"], of[0]["similarity"]) for i, of in enumerate(alike, 1) if of
            ])  # fmt: skip
            found.extend([[f["record"] for f in of or ()] for of in alike])

        names = self._names_for(len(texts), ids, row)
        self._remember(_judge.ALIKE, blocks_of_texts(texts, values, row), names, deal)
        if ids is not None:
            self._ids.settle()
        self._note_long(long, row)
        return found

    def _remember(
        self, kind: int, blocks: Iterable[Block], names: Iterator[bytes] | None, deal: Callable[[bytes], object]
    ) -> None:
        """Remember texts, and deal with each reply about some of them."""
        began = time.perf_counter()
        self._judge.exchange(_judge.requests_of(kind, blocks, names), deal)
        self._seconds += time.perf_counter() - began

    def _names_for(self, texts: int, ids: Sequence[Any] | None, row: int | None = 0) -> Iterator[bytes] | None:
        """Return what the next texts are called, or None if the memory knows no names."""
        if ids is None:
            return self._numbers(self._given)
        self._ids.learn(self._names_kept)
        encoded = self._ids.claim(ids, row)
        return iter(encoded) if self._memory != "bloom" else None

    @answering
    def is_duplicate(self, doc: Any) -> Match | None:
        """Say which document another one resembles most, without remembering it."""
        self._require_no_run("no document is asked about without being remembered, which could not be repeated")
        block = confined(block_of_one(text_of(doc)), values_of([doc], self._within), None)
        with self._alone():
            verdict = self._judge.ask(_judge.ASK, block)
            original, similarity, _, is_duplicate, problem = _judge.VERDICT.unpack(verdict)
            warn_of_long(int(problem == _judge.TOO_LONG), None)
            if not is_duplicate:
                return None
            return Match(self._names([original])[0], similarity) if original else Match(None, None)

    def __contains__(self, doc: Any) -> bool:
        """Say whether a document resembles one that is remembered."""
        return self.is_duplicate(doc) is not None

    @answering
    def near(self, doc: Any, k: int = 10) -> list[Match]:
        """Return the k most similar documents, the nearest first. It finds what shares a band with the document."""
        check_count("k", k)
        return self._matches(_judge.NEAR, doc, k)

    @answering
    def similar(self, doc: Any, limit: int | None = None) -> list[Match]:
        """Return all documents that make another one a duplicate, or as many as limit says, the nearest first. Where
        very many resemble it, all that are remembered are gone through."""
        check_count("limit", limit)
        return self._matches(_judge.SIMILAR, doc, limit)

    def _matches(self, kind: int, doc: Any, most: int | None) -> list[Match]:
        """Ask which documents are like one, with those that are copies of these."""
        self._require_no_run("no document is asked about without being remembered, which could not be repeated")
        with self._alone():
            self._require_originals()
            matches: list[Match] = []
            for found in self._neighbours(kind, doc, most):
                matches.append(Match(found["record"], found["similarity"]))
                copies = self._copies.get(found["number"], ())
                names = self._judge.json(_judge.NAMES, argument=1, records=copies) if copies else []
                matches += [Match(name, found["similarity"]) for name in names if name is not None]
            return matches[:most]

    def _neighbours(self, kind: int, doc: Any, most: int | None) -> list[Any]:
        """Return which documents are like one, as the program says it: the first of those that are copies."""
        block = confined(block_of_one(text_of(doc)), values_of([doc], self._within), None)
        (found,) = self._judge.json(kind, block, most_of(kind, most))
        warn_of_long(int(found is None), None)
        return found or []

    def unique(self, docs: Iterable[Document], text: str = "text", *, batch_size: int = 256) -> Iterator[Document]:
        """Remember documents, and yield those that resemble no earlier one.

        batch_size documents are read and remembered before the first of them is yielded: one at a time takes three
        times as long, and is for what must not wait for more, or may be stopped before its end."""
        check_count("batch_size", batch_size)
        docs = _tables.iterable_of(docs)

        def new() -> Iterator[Document]:
            row = 0
            for batch in _tables.batches_of(docs, batch_size):
                texts = [text_of(doc, text, row + i) for i, doc in enumerate(batch)]
                values = values_of(batch, self._within, row)
                with self._alone():
                    kept = self._withhold(texts, values, row)
                row += len(batch)
                for i in kept:
                    self._withheld -= 1; yield batch[i]  # noqa: E702 (an exception between them would lose it)

        return new()

    @answering
    def _withhold(self, texts: Sequence[Any], values: Sequence[Any] | None, row: int) -> list[int]:
        """Do what _fresh does for documents that are yet to be yielded."""
        kept = self._fresh(texts, values, row)
        self._withheld += len(kept)
        return kept

    def _fresh(self, texts: Sequence[Any], values: Sequence[Any] | None = None, row: int = 0) -> list[int]:
        """Remember a few texts, and return the positions of those that resemble no earlier one."""
        self._require_open_run()
        first = self._given
        fresh: list[int] = []
        long: list[int] = []

        def deal(verdicts: bytes) -> None:
            fresh.extend(_judge.kept_of(verdicts, self._given - first))
            long.extend(_judge.long_of(verdicts, self._given - first))
            self._count(len(verdicts) // _judge.VERDICT.size, list(_judge.duplicates_of(verdicts, self._given + 1)))

        self._remember(_judge.ADD, blocks_of_texts(texts, values, row), self._numbers(first), deal)
        self._note_long(long, row)
        return fresh

    def unseen(self, text: str = "text") -> Unseen:
        """Return a function that remembers documents and says of each whether it is new, as a bool or a list of them:
        dataset.filter(d.unseen(), batched=True). It can be pickled: processes that have a copy ask this one."""
        if self._within is not None:
            raise ValueError("unseen() is asked about texts alone: with within= use unique()")
        self._require_no_run("documents need an order, which unseen() leaves to timing: use unique() or deduplicate()")
        from mithril_stream._unseen import Server, Unseen  # which takes a while to import

        with self._alone():
            if self._held.server is None:
                self._held.server = Server(weakref.WeakMethod(self._ask_unseen))
            return Unseen(self._ask_unseen, self._held.server, text)

    @answering
    def _ask_unseen(self, texts: Sequence[Any]) -> list[bool]:
        answers: list[bool] = []
        for start in range(0, len(texts), FEW_DOCS):
            part = texts[start : start + FEW_DOCS]
            with self._alone():
                kept = set(self._fresh(part))
            answers += [i in kept for i in range(len(part))]
        return answers

    # Many documents.

    @answering
    def deduplicate(
        self,
        docs: Any,
        *,
        text: str = "text",
        id: str | None = None,
        progress: Any = None,
    ) -> Result:
        """Remember documents, and say which to keep: an iterable of strings or dicts, or a table that
        mithril_stream.dedup.deduplicate takes. They are compared with all that is remembered, and with each other.

        With id, the name of a field, they have ids, and the result says which to keep by these; else by the positions
        in docs. progress is True, for a bar by tqdm, a bar, or a function that is called with the number of documents
        so far.

        A table or a list is looked through before any of it is remembered. Of an iterable with something that is no
        document, what came before that may be remembered."""
        judged = self._judged(docs, text, id, progress)
        duplicates = [(edge.duplicate - judged.first - 1, edge) for edge in judged.edges]
        with self._alone():
            stats = self._stats_of(judged.rows, len(duplicates), judged.seconds, len(judged.long))
            names = dict[int, Any]()
            if self._knows_originals():
                names = self._names_in(judged.edges)
            else:  # those of before max_memory was reached have no names any more
                duplicates = [(i, edge._replace(original=0)) for i, edge in duplicates]
            ids, threshold = judged.ids if id else None, self._said().get("threshold")
            return Found(ids, judged.kept, duplicates, names.__getitem__, threshold).result(stats)

    @answering
    def duplicates(self, docs: Any, *, text: str = "text", id: str | None = None, progress: Any = None) -> Any:
        """Remember documents, and say of each whether it is a duplicate: a table of the type of docs, and with its
        index, with the columns is_duplicate, duplicate_of (the id of the earlier document that it resembles most) and
        similarity; a list of dicts for a list or an iterable. It takes what deduplicate takes."""
        table, answers = self._told(docs, text, id, progress)
        return table.answer(answers)

    @answering
    def _kept(self, docs: Any, text: str, progress: Any) -> list[int]:
        """Remember documents, and return the positions of those to keep."""
        return self._judged(docs, text, None, progress).kept

    @answering
    def _answers(self, docs: Any, text: str, progress: Any) -> Answers:
        """Remember documents, and return what is known of each."""
        return self._told(docs, text, None, progress)[1]

    def _told(self, docs: Any, text: str, id: str | None, progress: Any) -> tuple[_tables.Table, Answers]:
        """Remember documents, and return the table that has them, and what is known of each. It is no answer yet: what
        is done with it before the caller has it may be interrupted, too."""
        judged = self._judged(docs, text, id, progress)
        numbers = sorted({e.original for e in judged.edges if e.original})
        with self._alone():
            names = dict(zip(numbers, self._all_names(numbers), strict=True))
        originals = {
            e.duplicate - judged.first - 1: (names[e.original], e.similarity) for e in judged.edges if e.original
        }
        return judged.table, answers_of(judged.rows, judged.kept, originals)

    def _judged(self, docs: Any, text: str, id: str | None, progress: Any) -> Judged:
        """Remember all documents of a table or an iterable."""
        table = _tables.documents_of(docs, text, id)
        table.check()
        blocks = blocks_of(table, self._within)
        is_stream = isinstance(table, _tables.Stream)
        ids = table.ids if isinstance(table, _tables.Stream) else table.values(id) if id else []
        with self._alone(), reporting(progress, table.rows or None) as tell:
            self._require_open_run()
            began, first = time.perf_counter(), self._given
            names = self._names_of(ids, is_stream) if id else self._numbers(first)
            kept, edges, long = list[int](), list[Edge](), list[int]()

            def deal(verdicts: bytes) -> None:
                kept.extend(_judge.kept_of(verdicts, self._given - first))
                long.extend(_judge.long_of(verdicts, self._given - first))
                more = list(_judge.duplicates_of(verdicts, self._given + 1))
                edges.extend(more)
                self._count(len(verdicts) // _judge.VERDICT.size, more)
                tell(len(verdicts) // _judge.VERDICT.size)

            self._reading = threading.get_ident(), blocks
            self._remember(_judge.ADD, blocks, names, deal)
            if id:
                self._ids.settle()
            seconds = time.perf_counter() - began
            self._note_long(long, 0)
            return Judged(table, first, self._given - first, ids, kept, edges, long, seconds)

    def _names_of(self, ids: list[Any], is_stream: bool) -> Iterator[bytes] | None:
        """Return what documents with these ids are called: those of an iterable come with the documents."""
        self._ids.learn(self._names_kept)
        if is_stream:
            encoded = (self._ids.claim(ids[row : row + 1], row)[0] for row in itertools.count())
            return encoded if self._memory != "bloom" else None
        claimed = iter(self._ids.claim(ids))
        return claimed if self._memory != "bloom" else None

    def _numbers(self, first: int) -> Iterator[bytes] | None:
        if self._memory == "bloom":
            return None
        self._ids.number()
        return (b"%d" % number for number in itertools.count(first))

    def _note_long(self, long: Sequence[int], row: int | None) -> None:
        """Count documents that are too long, and warn of them. row is the place of the first document."""
        self._long += len(long)
        if long:
            warn_of_long(len(long), None if row is None else row + long[0])

    def _count(self, documents: int, duplicates: list[Edge]) -> None:
        """Note what a block of documents was."""
        self._given += documents
        self._documents += documents
        self._duplicates += len(duplicates)
        for edge in duplicates:
            if edge.original:
                self._edges.append(edge)
                if edge.similarity == 1 and self._names_copies:
                    self._copies.setdefault(edge.original, []).append(edge.duplicate)

    @answering
    def deduplicate_file(
        self,
        files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        text: str = "text",
        output: str | os.PathLike[str] = "unique.jsonl",
        *,
        id: str | None = None,
        overwrite: bool = False,
    ) -> Result:
        """Filter files as the program does, whatever their format and compression, into another one. Their records
        are compared with all that is remembered, and with each other, and are remembered.

        What was added before is committed to the index, as by save, and so are the records. Files that the index has
        taken in before get the verdicts of then if they go to the same output; elsewhere all of their records are
        duplicates. The output of an earlier call is written over only with overwrite.
        The result names records by their positions in files, and clusters by id, or else by file and number."""
        self._require_no_run("no files are filtered, which are known by their contents when they come again")
        paths = paths_of(files)
        with self._alone(), scratch_directory() as scratch:
            stats, flags = os.path.join(scratch, "stats"), os.path.join(scratch, "flags")
            originals = os.path.join(scratch, "originals.jsonl") if self._memory != "bloom" else None
            args = [*self._arguments, "-q", f"--stats={stats}", f"--flags={flags}", f"--output={os.fspath(output)}"]
            if text != "text":  # to leave it out is the same way of reading as that of the program alone
                args.append(f"--field={text}")
            if overwrite:
                args.append("--overwrite")
            if originals:
                args += [f"--originals={originals}"] + ([f"--id={id}"] if id else [])
            self._commit()
            self._judge.close()  # an index is open once
            try:
                _program.run([*args, "--", *paths])
            finally:
                self._open()
            result = file_result(stats, flags, originals, self._said().get("threshold"))
            self._long += result.stats.too_long_documents
            warn_of_long(result.stats.too_long_documents, None)
            self._documents += result.stats.total_documents
            self._duplicates += result.stats.duplicate_documents
            self._seconds += result.stats.processing_time_secs
            return result

    # Fewer documents.

    @answering
    def remove(self, *ids: Hashable) -> None:
        """Forget the documents that have these ids: no answer has them any more, and one that resembles them alone counts
        as new. Of documents that are copies of each other the first is remembered, and with it all are forgotten.

        What was added before is committed to the index, as by save. Raises ValueError if the memory never had some of
        the ids; the others are forgotten nevertheless. It reads the index again: give many ids at once."""
        self._require_no_run("nothing is forgotten")
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
                self._ids.release(ids)
            finally:
                self._open()
        if missing:
            raise ValueError(missing)

    # What was found.

    @answering
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
            return self._stats_of(self._documents, self._duplicates, self._seconds, self._long)

    def _clusters(self, edges: Sequence[Edge]) -> list[Cluster]:
        return clusters(edges, self._names_in(edges).__getitem__, self._removed)

    def _names_in(self, edges: Sequence[Edge]) -> dict[int, Any]:
        """Return what the documents of edges are called, by their numbers."""
        numbers = sorted({n for e in edges for n in (e.duplicate, e.original)})
        return dict(zip(numbers, self._all_names(numbers), strict=True))

    def _stats_of(self, total: int, duplicates: int, seconds: float, long: int) -> Stats:
        child = int(self._said()["peak_memory_bytes"])
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
        ratio = duplicates / total if total else 0.0
        return Stats(total, total - duplicates, duplicates, ratio, seconds, own + child, long)
