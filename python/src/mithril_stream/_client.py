"""A client of a memory that several programs share."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from mithril_stream import _judge, _tables
from mithril_stream._connection import Connection
from mithril_stream._documents import encode_id, text_of, value_of
from mithril_stream._judge import answering
from mithril_stream._long import warn_of_long
from mithril_stream._results import Match
from mithril_stream._settings import check_count
from mithril_stream._texts import block_of_one
from mithril_stream._within import blocks_of_texts, confined, values_of

FEW_DOCS = 1024  # that are read before they are judged


class Client:
    """Asks a `mithril-stream judge --listen ADDRESS`, whose memory it shares with other clients: processes or machines.

    address: what --listen was given: unix:PATH, a path with a slash, or HOST:PORT.

    Documents, add, add_many, is_duplicate, in and near work as in Deduplicator; the options of the program decide what
    a duplicate is. Clients may give any ids, which are not checked. What was added is remembered even if the client
    dies before it hears so: to lose nothing, ask whether a document is known, store it if not, and only then add it.

    In a with statement what all clients have added is committed at the end, unless an exception ends it, if the program
    has an index; save commits at any time. Threads may share a client; a forked process must make its own, as one that
    it is pickled for does.
    """

    def __init__(self, address: str | os.PathLike[str]) -> None:
        self._address = os.fspath(address)
        self._judge = Connection(self._address)
        shared = self._said()["shared"]
        self._names, self._within, self._commits = shared["memory"] != "bloom", shared.get("within"), shared["commits"]

    @answering
    def add(self, doc: Any, id: Hashable = None) -> list[Any]:
        """Remember a document, and return the id of the earlier one that it resembles most, in a list that is empty if
        the text resembles none."""
        return self._add([text_of(doc)], None if id is None else [id], values_of([doc], self._within), None)[0]

    @answering
    def add_many(self, docs: Iterable[Any], *, text: str = "text", id: str | None = None) -> list[list[Any]]:
        """Remember documents, and return what add returns, for each. Up to 1024 at a time are judged as a whole, if
        they have at most 4 MiB."""
        found = list[list[Any]]()
        for batch in _tables.batches_of(_tables.iterable_of(docs), FEW_DOCS):
            texts = [text_of(doc, text, len(found) + i) for i, doc in enumerate(batch)]
            ids = [value_of(doc, id, len(found) + i) for i, doc in enumerate(batch)] if id else None
            found += self._add(texts, ids, values_of(batch, self._within, len(found)), len(found))
        return found

    def _add(
        self, texts: Sequence[Any], ids: Sequence[Any] | None, values: Sequence[Any] | None, row: int | None
    ) -> list[list[Any]]:
        names = iter([encode_id(id, row) for id in ids]) if ids is not None and self._names else None
        found: list[Any] = []  # not list[Any](), which takes 2 µs
        self._judge.exchange(
            _judge.requests_of(_judge.ALIKE, blocks_of_texts(texts, values, row), names),
            lambda reply: found.extend(json.loads(reply)),
        )
        long = [i for i, of in enumerate(found) if of is None]
        warn_of_long(len(long), None if row is None or not long else row + long[0])
        return [[f["record"] for f in of or ()] for of in found]

    @answering
    def is_duplicate(self, doc: Any) -> Match | None:
        """Say which document another one resembles most, without remembering it."""
        block = confined(block_of_one(text_of(doc)), values_of([doc], self._within), None)
        original, similarity, _, is_duplicate, problem = _judge.VERDICT.unpack(self._judge.ask(_judge.ASK, block))
        warn_of_long(int(problem == _judge.TOO_LONG), None)
        if not is_duplicate:
            return None
        if not original:
            return Match(None, None)
        return Match(self._judge.json(_judge.NAMES, records=[original])[0], similarity)

    def __contains__(self, doc: Any) -> bool:
        """Say whether a document resembles one that is remembered."""
        return self.is_duplicate(doc) is not None

    @answering
    def near(self, doc: Any, k: int = 10) -> list[Match]:
        """Return the k most similar documents, the nearest first; of copies the first."""
        check_count("k", k)
        return self._matches(_judge.NEAR, doc, k)

    @answering
    def similar(self, doc: Any, limit: int | None = None) -> list[Match]:
        """Return all documents that make another one a duplicate, or as many as limit says, the nearest first; of
        copies the first."""
        check_count("limit", limit)
        return self._matches(_judge.SIMILAR, doc, limit or 0)

    def _matches(self, kind: int, doc: Any, most: int) -> list[Match]:
        if not self._names:
            raise ValueError("the program has Bloom filters, which do not know which document was seen")
        block = confined(block_of_one(text_of(doc)), values_of([doc], self._within), None)
        (found,) = self._judge.json(kind, block, min(most, 0xFFFFFFFF))
        warn_of_long(int(found is None), None)
        return [Match(f["record"], f["similarity"]) for f in found or ()]

    @answering
    def save(self) -> None:
        """Commit what all clients have added to the index."""
        if not self._commits:
            raise ValueError("the program has no index that could be committed to")
        self._judge.ask(_judge.COMMIT)

    def __len__(self) -> int:
        """Return how many documents were remembered, over the life of the index."""
        return int(self._said()["records"])

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__}({self._address!r})>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._address,)

    def close(self) -> None:
        """End the connection. What was added stays in the memory of the program."""
        self._judge.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None and self._commits:
                self.save()
        finally:
            self.close()

    def _said(self) -> Any:
        return self._judge.json(_judge.STATS)
