"""A program that judges texts: `mithril-stream judge` (docs/reference/judge.md), as a child of this process or, by
_connection, at an address."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import struct
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from mithril_stream._groups import Edge
from mithril_stream._program import MithrilError, complaint, find_program
from mithril_stream._texts import Block
from mithril_stream._wire import Wire

REFUSED, ADD, ASK, COMMIT, NAMES, SIGNATURES, KEYS, NEAR, STATS, ALIKE, SIZES, SIMILAR, SETS, COMPARE = range(14)
NUMBERED = 256  # is added to the kind of a request with a number, which the reply repeats
HEAD = struct.Struct("<III")  # kind, count, and argument or size
NUMBERED_HEAD = struct.Struct("<IIII")  # and the number
VERDICT = struct.Struct("<QfHBB")
FLAG = 14  # the byte of a verdict that is 1 for a duplicate
PROBLEM, TOO_LONG = 15, 2  # where it says what is wrong with a text, and what it says of one that is too long
INVERTED = bytes([1]) + bytes(255)
AHEAD = 1  # requests that are sent before the reply to one is waited for
JUDGED = (ADD, ASK)  # get verdicts
SMALL = 4096  # bytes that are rather copied than sent on their own

BROKEN_OFF = (
    "an earlier call was interrupted before its answer had come, so this object cannot go on: make another one (an index "
    "knows what was committed)"
)
OTHER_ANSWER = (
    "the answer to request {} was due, and another one has come, so this object cannot go on: make another one (an index "
    "knows what was committed)"
)

Method = TypeVar("Method", bound=Callable[..., Any])


def kept_of(verdicts: bytes, start: int = 0) -> Iterator[int]:
    """Return the numbers of the texts of a block that are no duplicates; the first has the number start. No Python
    code runs for each text."""
    flags = verdicts[FLAG :: VERDICT.size].translate(INVERTED)
    return itertools.compress(range(start, start + len(flags)), flags)


def long_of(verdicts: bytes, start: int = 0) -> list[int]:
    """Return the numbers of the texts of a block that are too long to be compared."""
    problems = verdicts[PROBLEM :: VERDICT.size]
    return [start + i for i, problem in enumerate(problems) if problem == TOO_LONG] if TOO_LONG in problems else []


def duplicates_of(verdicts: bytes, start: int = 0) -> Iterator[Edge]:
    """Return the duplicates of a block, with the numbers of their originals."""
    flags = verdicts[FLAG :: VERDICT.size]
    for i in itertools.compress(range(len(flags)), flags):
        original, similarity, *_ = VERDICT.unpack_from(verdicts, i * VERDICT.size)
        yield Edge(start + i, original, similarity)


def answering(method: Method) -> Method:
    """Make a method of an object with a judge, _judge, one that answers: what was remembered for a call that did not
    come to its end has no answer, and never will, so that the object must not go on."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._judge.check()
        result = method(self, *args, **kwargs)
        # One line, and no call after the name of the thread is known: no exception comes between it and the caller.
        self._judge.unanswered[threading.get_ident()] = False; return result  # noqa: E702

    return call  # type: ignore[return-value]


class Request(NamedTuple):
    """A request: its kind, how many records it is about, what else its head says, and what follows."""

    kind: int
    records: int
    argument: int
    before: bytes  # the texts: their lengths and so on
    texts: bytes | memoryview

    @classmethod
    def of(cls, kind: int, block: Block, argument: int = 0, ids: Sequence[bytes] | None = None) -> Request:
        """Return a request about texts, which have ids if there are any."""
        before = block.lengths
        if ids is not None:
            argument, before = 1, b"".join((before, struct.pack(f"<{len(ids)}i", *map(len, ids)), *ids))
        return cls(kind, block.texts, argument, before + block.values, block.data)


def requests_of(kind: int, blocks: Iterable[Block], ids: Iterator[bytes] | None = None) -> Iterator[Request]:
    """Yield requests about blocks of texts, which take the next ids if there are any."""
    for block in blocks:
        yield Request.of(kind, block, 0, None if ids is None else list(itertools.islice(ids, block.texts)))


class Asked:
    """Asks a program, one thread at a time. A forked process must make its own.

    An exchange that is broken off, by Ctrl-C for example, leaves half a request or a reply that nobody has read. It is
    under way until its last reply was received and dealt with; whoever finds it under way ends the conversation. Beside
    that, replies repeat the numbers of their requests."""

    _wire: Wire

    def __init__(self) -> None:
        self._pid, self._lock = os.getpid(), threading.RLock()  # not a Lock: a signal handler may ask, too
        self._number = 0  # of the last request
        self._under_way = False
        self._failed: MithrilError | None = None  # why there are no answers any more
        self._failing = threading.Lock()
        self.unanswered = dict[int, bool]()  # threads for which something was remembered, and that have no answer yet

    def close(self) -> None:
        """Ask no more."""
        raise NotImplementedError

    def _abandon(self) -> None:
        """Have nobody send replies that are not wanted any more."""
        raise NotImplementedError

    def _why(self) -> MithrilError:
        """Return why there are no answers any more. It is called once."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise MithrilError if there can be no answers any more."""
        if not self.is_mine():
            raise MithrilError("this object belongs to the process that made it: make another one after a fork")
        if self.unanswered.get(threading.get_ident()) and self._failed is None:
            raise self._end(MithrilError(BROKEN_OFF))
        if self._failed is not None:
            raise MithrilError(f"this object was closed, or its program has ended: {self._failed}")

    def exchange(self, requests: Iterable[Request], deal: Callable[[bytes], object]) -> None:
        """Send requests, which may be made while others are answered, and deal with each reply: verdicts, or what else
        is asked for. If making a request raises an Exception, those before are answered first."""
        with self._lock:
            self._begin()
            due: deque[tuple[Request, int]] = deque()
            requests, wrong = iter(requests), None
            while True:
                try:
                    request = next(requests, None)
                except Exception as error:
                    request, wrong = None, error
                if request is None:
                    break
                self._under_way = True
                due.append((request, self._send(request)))
                if len(due) > AHEAD:
                    deal(self._receive(*due.popleft()))
            while due:
                deal(self._receive(*due.popleft()))
            self._under_way = False
            if wrong is not None:
                self.unanswered[threading.get_ident()] = False
                raise wrong

    def ask(self, kind: int, block: Block | None = None, argument: int = 0, records: Sequence[int] = ()) -> bytes:
        """Ask what remembers nothing, and return the reply."""
        if block is not None:
            request = Request.of(kind, block, argument)
        else:
            request = Request(kind, len(records), argument, struct.pack(f"<{len(records)}Q", *records), b"")
        with self._lock:
            self._begin()
            self._under_way = True
            reply = self._receive(request, self._send(request))
            self._under_way = False
            return reply

    def asked(self, kind: int, blocks: Iterable[Block]) -> list[bytes]:
        """Ask about blocks of texts what remembers nothing, and return the replies."""
        replies = list[bytes]()
        self.exchange(requests_of(kind, blocks), replies.append)
        return replies

    def json(self, kind: int, *args: Any, **kwargs: Any) -> Any:
        return json.loads(self.ask(kind, *args, **kwargs))

    def is_mine(self) -> bool:
        """Say whether this process has made this object, and not the one that it was forked from."""
        return self._pid == os.getpid()

    def _begin(self) -> None:
        """Begin an exchange."""
        if not self.is_mine() or self._failed is not None:
            self.check()
        if self._under_way:
            raise self._end(MithrilError(BROKEN_OFF))

    def _send(self, request: Request) -> int:
        """Send a request, and return the number that it has."""
        kind, records, argument, before, texts = request
        if kind == ADD or kind == ALIKE:
            self.unanswered[threading.get_ident()] = True
        self._number = number = (self._number + 1) & 0xFFFFFFFF
        head = NUMBERED_HEAD.pack(kind + NUMBERED, records, argument, number)
        try:
            if len(texts) < SMALL:
                self._wire.send(b"".join((head, before, texts)))
            else:
                self._wire.send(head + before)
                self._wire.send(texts)
        except (EOFError, OSError) as error:
            raise self._failure() from error
        return number

    def _receive(self, request: Request, due: int) -> bytes:
        """Receive the reply to a request of this number."""
        try:
            # The message of a refusal, which has no number, has more bytes than that.
            head = self._wire.receive(NUMBERED_HEAD.size)
            kind, count, size, number = NUMBERED_HEAD.unpack(head)
            if kind == REFUSED:
                why = head[HEAD.size :] + self._wire.receive(size - NUMBERED_HEAD.size + HEAD.size)
                raise self._end(MithrilError(why.decode(errors="replace")))
            if number != due or count != request.records or kind != request.kind + NUMBERED:
                raise self._end(MithrilError(OTHER_ANSWER.format(due)))
            return self._wire.receive(count * VERDICT.size if request.kind in JUDGED else size)
        except (EOFError, OSError) as error:
            raise self._failure() from error

    def _end(self, why: MithrilError) -> MithrilError:
        """End the conversation, and return the reason."""
        if self._failed is None:
            self._failed = why
        self._abandon()
        return type(why)(*why.args)

    def _failure(self) -> MithrilError:
        """Return why there are no answers any more, also if two threads ask at once."""
        with self._failing:
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
        self._wire = Wire.of_pipes(self._child.stdin.fileno(), self._child.stdout.fileno())

    def give_way(self) -> None:
        """End the child, because another object takes its index."""
        self._end(MithrilError("another object of this process has opened its index"))

    def is_closed(self) -> bool:
        """Say whether close was called."""
        return self._stderr.closed

    def close(self) -> None:
        """End the child. What was not committed is not kept."""
        if self._failed is None:
            self._failed = MithrilError("close() was called")
        # Not by the end of its input alone: processes that were forked have that open, too.
        self._child.terminate()
        # Whoever is waiting for a reply in another thread finds its end, before the numbers of the files go to others.
        waited = self._lock.acquire(timeout=5)
        try:
            for stream in (self._child.stdin, self._child.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._child.wait()
            self._stderr.close()
        finally:
            if waited:
                self._lock.release()

    def _abandon(self) -> None:
        self._child.kill()
        self._child.wait()  # then it holds no lock any more

    def _why(self) -> MithrilError:
        code = self._child.wait()
        self._stderr.seek(0)
        return complaint(self._stderr.read(), code)
