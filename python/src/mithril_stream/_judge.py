"""A program that judges texts: `mithril-stream judge` (docs/reference/judge.md), as a child of this process or at an
address."""

from __future__ import annotations

import itertools
import json
import os
import queue
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mithril_stream._groups import Edge
from mithril_stream._program import MithrilError, complaint, find_program
from mithril_stream._texts import Block

REFUSED, ADD, ASK, COMMIT, NAMES, SIGNATURES, KEYS, NEAR, STATS, ALIKE, SIZES = range(11)
HEAD = struct.Struct("<III")
LENGTH = struct.Struct("<i")
VERDICT = struct.Struct("<QfHBB")
FIRST_READ = 64 << 10  # bytes of a reply
FLAG = 14  # where a verdict says whether it is that of a duplicate
INVERTED = bytes([1]) + bytes(255)


def kept_of(verdicts: bytes, start: int = 0) -> Iterator[int]:
    """Return the numbers of the texts of a block that are no duplicates; the first has the number start. No Python
    code runs for each text."""
    flags = verdicts[FLAG :: VERDICT.size].translate(INVERTED)
    return itertools.compress(range(start, start + len(flags)), flags)


def duplicates_of(verdicts: bytes, start: int = 0) -> Iterator[Edge]:
    """Return the duplicates of a block, with the numbers of their originals."""
    flags = verdicts[FLAG :: VERDICT.size]
    for i in itertools.compress(range(len(flags)), flags):
        original, similarity, *_ = VERDICT.unpack_from(verdicts, i * VERDICT.size)
        yield Edge(start + i, original, similarity)


class Asked:
    """Asks a program through two files. A lock admits one thread at a time. A forked process must make its own."""

    _to: int
    _from: int

    def __init__(self) -> None:
        self._pid, self._lock = os.getpid(), threading.Lock()
        self._broken = False
        self._failed: MithrilError | None = None  # why there are no answers any more
        self._failing = threading.Lock()

    def close(self) -> None:
        """Ask no more."""
        raise NotImplementedError

    def _abandon(self) -> None:
        """Have nobody send replies that are not wanted any more."""
        raise NotImplementedError

    def _why(self) -> MithrilError:
        """Return why there are no answers any more. It is called once."""
        raise NotImplementedError

    def texts(self, kind: int, blocks: Iterable[Block], ids: Iterator[bytes] | None = None) -> Iterator[bytes]:
        """Send texts, and yield the verdicts of each block."""
        with self._exclusive():
            yield from self._pump(kind, blocks, ids)

    def one(self, kind: int, block: Block, id: bytes | None = None) -> bytes:
        """Send one text, and return the reply: a verdict, or JSON."""
        if id is None:
            request = HEAD.pack(kind, 1, 0) + block.lengths + block.values
        else:
            request = b"".join((HEAD.pack(kind, 1, 1), block.lengths, LENGTH.pack(len(id)), id, block.values))
        with self._exclusive():
            self._write(request + block.data)  # data are bytes
            reply = os.read(self._from, FIRST_READ)  # mostly all of it
            if len(reply) < HEAD.size:
                reply += self._read(HEAD.size - len(reply))
            size = VERDICT.size if kind in (ADD, ASK) else LENGTH.unpack_from(reply, HEAD.size - LENGTH.size)[0]
            missing = HEAD.size + size - len(reply)
            if reply[0] == REFUSED:
                raise self._refused((reply + self._read(missing))[HEAD.size :])
            return (reply + self._read(missing) if missing else reply)[HEAD.size :]

    def some(self, kind: int, block: Block, ids: Sequence[bytes] | None = None) -> bytes:
        """Send a few texts at once, and return the reply: verdicts, or JSON. It waits for the reply only after all is
        sent, so that verdicts must have room in a pipe."""
        request = [HEAD.pack(kind, block.texts, 0 if ids is None else 1), block.lengths]
        if ids is not None:
            request += [struct.pack(f"<{len(ids)}i", *map(len, ids)), *ids]
        with self._exclusive():
            self._write(b"".join([*request, block.values, block.data]))
            _, count, size = self._head()
            return self._read(VERDICT.size * count if kind in (ADD, ASK) else size)

    def ask(self, kind: int, block: Block | None = None, argument: int = 0, records: Sequence[int] = ()) -> bytes:
        """Send what is no text to judge, and return the reply."""
        with self._exclusive():
            count = block.texts if block else len(records)
            self._write(HEAD.pack(kind, count, argument))
            if block:
                self._write(block.lengths + block.values)
                self._write(block.data)
            self._write(struct.pack(f"<{len(records)}Q", *records))
            _, _, size = self._head()
            return self._read(size)

    def json(self, kind: int, *args: Any, **kwargs: Any) -> Any:
        return json.loads(self.ask(kind, *args, **kwargs))

    def is_mine(self) -> bool:
        """Say whether this process has made this object, and not the one that it was forked from."""
        return self._pid == os.getpid()

    def _exclusive(self) -> threading.Lock:
        if not self.is_mine():
            raise MithrilError("this object belongs to the process that made it: make another one after a fork")
        if self._broken:
            why = f": {self._failed}" if self._failed else ""
            raise MithrilError(f"this object was closed, or its program has ended{why}")
        return self._lock

    def _pump(self, kind: int, blocks: Iterable[Block], ids: Iterator[bytes] | None) -> Iterator[bytes]:
        """Write in a thread of its own: the program does not read on while nobody reads its replies."""
        failed: list[BaseException] = []
        # Not a Semaphore: its lock is taken by Python code, and stays taken if Ctrl-C comes in the middle of that.
        sent: queue.SimpleQueue[int] = queue.SimpleQueue()  # how many texts each block has; -1 after the last one
        stop = threading.Event()

        def send() -> None:
            try:
                for block in blocks:
                    message = HEAD.pack(kind, block.texts, 0 if ids is None else 1) + block.lengths
                    if ids is not None:
                        names = list(itertools.islice(ids, block.texts))
                        message += struct.pack(f"<{len(names)}i", *map(len, names)) + b"".join(names)
                    message += block.values
                    sent.put(block.texts)
                    self._write(message)
                    self._write(block.data)
                    if stop.is_set():
                        return
            except BaseException as error:
                failed.append(error)
            finally:
                sent.put(-1)

        writer = threading.Thread(target=send, daemon=True)
        writer.start()
        done = False
        try:
            while (count := sent.get()) >= 0:
                self._head()
                yield self._read(VERDICT.size * count)
            done = True
        finally:
            stop.set()
            if not done:  # replies that nobody wants are on their way: the program is of no use any more
                self._broken = True
                self._abandon()
            if not sys.is_finalizing():  # when Python ends, threads do not go on, and cannot be waited for
                writer.join()
        if failed:
            raise failed[0]

    def _write(self, data: Any) -> None:
        try:
            written = os.write(self._to, data) if len(data) else 0
            if written < len(data):
                view = memoryview(data).cast("B")[written:]
                while view:
                    view = view[os.write(self._to, view) :]
        except OSError as error:
            raise self._failure() from error

    def _read(self, size: int) -> bytes:
        data = os.read(self._from, size) if size else b""
        if len(data) == size:
            return data
        parts = [data]
        size -= len(data)
        while size:
            data = os.read(self._from, size)
            if not data:
                raise self._failure()
            parts.append(data)
            size -= len(data)
        return b"".join(parts)

    def _head(self) -> tuple[int, int, int]:
        """Read the head of a reply."""
        kind, count, size = HEAD.unpack(self._read(HEAD.size))
        if kind == REFUSED:
            raise self._refused(self._read(size))
        return kind, count, size

    def _refused(self, why: bytes) -> MithrilError:
        """Return what the program says before it cuts this one off."""
        self._broken, self._failed = True, MithrilError(why.decode(errors="replace"))
        return MithrilError(*self._failed.args)

    def _failure(self) -> MithrilError:
        """Return why there are no answers any more, also if two threads ask at once."""
        with self._failing:
            self._broken = True
            if self._failed is None:
                self._failed = self._why()
            return type(self._failed)(*self._failed.args)


class Judge(Asked):
    """A child, which lives as long as the object."""

    def __init__(self, args: Sequence[str]) -> None:
        super().__init__()
        # A file, not a pipe: nobody has to read it while the child works.
        self._stderr = tempfile.TemporaryFile()
        self._child = subprocess.Popen(
            [find_program(), "judge", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for Python, which then closes the child
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._to, self._from = self._child.stdin.fileno(), self._child.stdout.fileno()

    def is_closed(self) -> bool:
        """Say whether close was called."""
        return self._stderr.closed

    def close(self) -> None:
        """End the child. What was not committed is not kept."""
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        self._child.wait()
        self._stderr.close()
        self._broken = True

    def _abandon(self) -> None:
        self._child.kill()

    def _why(self) -> MithrilError:
        code = self._child.wait()
        self._stderr.seek(0)
        return complaint(self._stderr.read(), code)


class Connection(Asked):
    """A connection to a program that listens at an address: unix:PATH, a path with a slash, or HOST:PORT."""

    def __init__(self, address: str) -> None:
        import socket  # which takes a while

        super().__init__()
        path = address.removeprefix("unix:")
        if path != address or "/" in path:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(path)
        else:
            host, colon, port = address.rpartition(":")
            if not colon or not port.isdecimal():
                raise ValueError(f"give an address as unix:PATH or HOST:PORT, got {address!r}")
            self._socket = socket.create_connection((host.strip("[]") or "localhost", int(port)))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(None)
        self._to = self._from = self._socket.fileno()

    def close(self) -> None:
        self._broken = True
        self._socket.close()

    def _abandon(self) -> None:
        import socket

        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _why(self) -> MithrilError:
        try:  # writing has failed: the program may have said why before
            head = HEAD.unpack(os.read(self._from, HEAD.size))
            if head[0] == REFUSED:
                return MithrilError(os.read(self._from, head[2]).decode(errors="replace"))
        except (OSError, struct.error):
            pass
        return MithrilError("the program that judges has closed the connection")
