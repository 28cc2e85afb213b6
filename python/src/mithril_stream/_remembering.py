"""What an object that remembers documents is made of: a child, and the index that it has."""

from __future__ import annotations

import datetime
import os
import shutil
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mithril_stream import _judge
from mithril_stream._groups import Edge
from mithril_stream._ids import Ids
from mithril_stream._judge import Judge
from mithril_stream._program import MithrilError
from mithril_stream._settings import Memory, Method, arguments, check_path, keeps_samples, memory_of, run_of
from mithril_stream._within import field_of
from mithril_stream._temporary import remove, temporary_directory

if TYPE_CHECKING:
    from mithril_stream._unseen import Server

Self = TypeVar("Self", bound="Remembering")


_writers: weakref.WeakValueDictionary[str, Remembering] = weakref.WeakValueDictionary()  # by the path of their index


class Held:
    """What is to be given back when an object goes, whether it was closed or not."""

    judge: Judge | None = None
    temporary: str | None = None  # a directory
    server: Server | None = None  # which other processes ask

    def release(self) -> None:
        """End the child and the server, and remove the directory. A process that was forked has none of them."""
        if self.judge is None or not self.judge.is_mine():
            return
        if self.server is not None:
            self.server.close()
            self.server = None
        self.judge.close()
        if self.temporary is not None:
            remove(self.temporary)


class Remembering:
    """A child with an index, which lives as long as the object, and is asked by one thread at a time."""

    _judge: Judge
    _given: int  # the number of documents, with an exact memory

    def __init__(
        self,
        threshold: float | None = None,
        num_permutations: int | None = None,
        ngram_size: int | None = None,
        memory: Memory | None = None,
        *,
        method: Method | None = None,
        preset: str | None = None,
        within: str | None = None,
        max_memory: int | str | None = None,
        index: str | os.PathLike[str] | None = None,
        run: str | datetime.date | None = None,
        options: Sequence[str] = (),
    ) -> None:
        check_path("index", index)
        self._run = run_of(run, index)
        self._memory, self._method = memory_of(memory, method, "exact"), method
        if method and self._memory == "exact":
            raise ValueError(f"exact parts of method={method!r} cannot be kept, as an object does: leave memory out")
        self._arguments = arguments(
            threshold, num_permutations, ngram_size, self._memory, max_memory, method, options, preset, within
        )
        self._threshold, self._preset, self._within = threshold, preset, within
        self._held = Held()
        # Not __del__: when Python ends, what that needs may be gone before it is called.
        weakref.finalize(self, Held.release, self._held)
        self._asks_only = "--read-only" in self._arguments
        if not index and not self._asks_only:
            self._held.temporary = temporary_directory()
            index = os.path.join(self._held.temporary, "index")
        self._index = absolute(index) if index else None
        if self._index:
            self._arguments.insert(0, f"--index={self._index}")
        if self._run is not None:
            self._arguments.append(f"--run={self._run}")
        self._is_over = False  # the run was committed
        self._lock = threading.RLock()
        self._reading: tuple[int, Any] = 0, None  # the thread that reads documents, and the generator that they come from
        self._edges = list[Edge]()
        self._removed = set[int]()  # of the records of edges
        self._copies = dict[int, list[int]]()  # documents that are copies of another one, by its number
        self._names_copies = not keeps_samples(options)  # what is contained in another one is no copy of it
        self._documents, self._duplicates, self._long, self._seconds = 0, 0, 0, 0.0
        self._is_entered = False  # in a with statement
        self._withheld = 0  # documents that are remembered, and that unique has not yielded
        self._open()
        has_names = self._given and self._memory == "exact" and not self._asks_only
        last = self._names([self._given])[0] if has_names else None
        self._ids = Ids(self._given, last)

    def _open(self) -> None:
        """Start a child, and find what the index has. An index is written to by one program at a time: another object of
        this process that has it, as when a cell of a notebook is run again, gives way unless it is in a with statement,
        which would end without what it has added."""
        if self._index and not self._asks_only:
            earlier = _writers.get(at := os.path.realpath(self._index))
            if earlier is not None and earlier is not self and earlier._judge.is_mine():
                if earlier._is_entered:
                    raise MithrilError(f"{self._index}: another object of this process writes to the index, in a with "
                                       "statement: let that end first, or ask that object")  # fmt: skip
                earlier._judge.give_way()
            _writers[at] = self
        self._judge = self._held.judge = Judge(self._arguments)
        said = self._said()
        if self._within is None and "within" in said:  # the index was made with it
            self._within = field_of(said["within"])
        run = said.get("run", {"repeats": False})
        self._given = int(run["before"] if run["repeats"] else said["records"])

    def _alone(self) -> threading.RLock:
        """Return the lock. What waits for a document must not wait for itself."""
        thread, blocks = self._reading
        if getattr(blocks, "gi_running", False) and thread == threading.get_ident():
            raise RuntimeError("documents are read one after the other, and the object that reads them is asked by what "
                               "yields them: give a list of them, or ask another object")  # fmt: skip
        return self._lock

    def _require_no_run(self, what: str) -> None:
        """Refuse what a run that is repeated would not do as it did the first time."""
        if self._run is not None:
            raise ValueError(f"with run= {what}: ask another object, without run=")

    def _require_open_run(self) -> None:
        """Refuse documents after the end of the run."""
        if self._is_over:
            raise ValueError(f"the run {self._run!r} was committed: make another object for further documents")

    def __len__(self) -> int:
        """Return how many documents were remembered, over the life of the index, also those that were removed since;
        with the option --read-only, how many the indexes have that are asked.
        Bloom filters count copies once, and with a method parts of documents in their place."""
        with self._alone():
            return int(self._said()["records"])

    def __repr__(self) -> str:
        settings = [f"memory={self._memory!r}"]
        settings += [f"method={self._method!r}"] if self._method else []
        settings += [f"preset={self._preset!r}"] if self._preset else []
        settings += [f"within={self._within!r}"] if self._within else []
        if self._threshold is not None or not self._method and not self._preset:
            settings.append(f"threshold={0.85 if self._threshold is None else self._threshold!r}")
        settings += [f"index={self._index!r}"] if self._index and not self._held.temporary else []
        settings += [f"run={self._run!r}"] if self._run is not None else []
        state = "closed" if self._judge.is_closed() else f"{self._given} {'parts' if self._method else 'documents'}"
        return f"<{type(self).__name__}({', '.join(settings)}): {state}>"

    def __bool__(self) -> bool:
        """An object that remembers nothing yet is one, too."""
        return True

    def save(self, directory: str | os.PathLike[str] | None = None) -> None:
        """Commit the index, and copy it to a directory that does not exist yet, if one is given. The program reads it,
        too: `mithril-stream --memory exact --index DIR`, with the same options."""
        if directory is None and self._held.temporary:
            raise ValueError("give the directory to save to")
        if self._index is None or self._asks_only:
            raise ValueError("with --read-only nothing is remembered that could be saved")
        with self._alone():
            self._commit()
            if directory is not None:
                shutil.copytree(self._index, os.fspath(directory))

    @classmethod
    def load(cls: type[Self], directory: str | os.PathLike[str], **settings: Any) -> Self:
        """Open an index that save, or the program, has left in a directory. The settings must be those that it was
        made with; what differs is named in the error."""
        if not os.path.isdir(directory) and absolute(directory).startswith("/"):
            raise FileNotFoundError(f"{os.fspath(directory)}: there is no index")
        return cls(index=directory, **settings)

    def close(self) -> None:
        """End the child. What was not committed is forgotten."""
        self._is_entered = False
        self._held.release()

    def __enter__(self: Self) -> Self:
        self._is_entered = True
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None and not self._held.temporary and self._judge.is_mine() and not self._judge.is_closed():
                with self._alone():
                    self._commit()
        finally:
            self.close()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a Deduplicator has a child process, and can be neither pickled nor copied: give other processes its "
            "unseen(), which asks this one; or save(DIRECTORY) it, and Deduplicator.load(DIRECTORY) elsewhere"
        )

    def _commit(self) -> None:
        """Make durable what is remembered, if anything is."""
        if self._withheld:
            raise ValueError(f"unique() was stopped before it had yielded {self._withheld} documents that are remembered, "
                             "so they would be lost: let it come to its end, or give it batch_size=1")  # fmt: skip
        self._judge.check()
        if not self._asks_only:
            self._judge.ask(_judge.COMMIT)
            self._is_over = self._run is not None

    def _said(self) -> Any:
        return self._judge.json(_judge.STATS)

    def _names(self, records: Sequence[int]) -> list[Any]:
        return list(self._judge.json(_judge.NAMES, records=records))

    def _names_kept(self) -> Iterator[Any]:
        """Return what all documents are called that the index has, with None for those that were removed."""
        if self._given and not self._asks_only and self._knows_originals():
            for first in range(1, self._given + 1, 1 << 16):
                records = range(first, min(first + (1 << 16), self._given + 1))
                yield from self._judge.json(_judge.NAMES, argument=1, records=records)

    def _all_names(self, records: Sequence[int]) -> Iterator[Any]:
        for i in range(0, len(records), 1 << 16):
            yield from self._names(records[i : i + (1 << 16)])

    def _knows_originals(self) -> bool:
        return self._memory == "exact" or self._memory == "auto" and "bloom_from" not in self._said()

    def _require_originals(self) -> None:
        if self._method:
            raise ValueError(f"with method={self._method!r} parts of documents are known, which are in no single one")
        if self._memory == "bloom":
            raise ValueError("Bloom filters do not know which document was seen: use memory='exact'")
        if not self._knows_originals():
            raise ValueError(
                f"max_memory was reached, and from document {self._said()['bloom_from'] - 1} on Bloom filters "
                "judge, which do not know which one was seen: give a higher limit, or memory='exact'"
            )


def absolute(index: str | os.PathLike[str]) -> str:
    """Return the path of an index wherever the process goes. What is in a bucket is for the program to refuse."""
    path = os.fspath(index)
    return path if path.startswith(("s3://", "gs://", "az://")) else os.path.abspath(path)
