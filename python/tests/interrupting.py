"""Calls that an exception interrupts anywhere, and what their objects say afterwards.

    python tests/interrupting.py 100000 SEED
"""

from __future__ import annotations

import collections
import contextlib
import os
import random
import sys
import tempfile
import threading

import mithril_stream.dedup as dedup
from mithril_stream import MithrilError, minhash
from server import listening

PACKAGE = os.path.dirname(dedup.__file__)


class Interrupt(BaseException):
    """What is raised in the middle of a call, as Ctrl-C is."""


class Interrupter:
    """Raises an Interrupt at one of the lines of the package that a call runs."""

    def __init__(self, at: int) -> None:
        self.at, self.lines = at, 0

    def trace(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                raise Interrupt
        return self.trace

    def run(self, call):
        """Return what the call does, or raise the Interrupt."""
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            return call()
        finally:
            sys.settrace(before)


class Texts:
    """Texts that resemble no other one."""

    def __init__(self, rng):
        self.rng, self.made = rng, 0

    def new(self, words=None):
        self.made += 1
        return " ".join(f"t{self.made}w{i}" for i in range(words or self.rng.choice((8, 8, 8, 60, 9000))))

    def some(self):
        return [self.new() for _ in range(self.rng.choice((1, 3, 40)))]


def add_with_id(d, text):
    """Add a text under an id that no text was added under; one whose call was interrupted keeps its id."""
    id = f"{text[:12]} {USED[text[:12]]}"
    found = d.add(text, id=id)
    USED[text[:12]] += 1
    return found


USED = collections.Counter()

# How an object remembers texts, each with the answer that says whether it is new.
REMEMBER = {
    "add": lambda d, texts: [d.add(text) == [] for text in texts[:1]],
    "add with an id": lambda d, texts: [add_with_id(d, text) == [] for text in texts[:1]],
    "add_many": lambda d, texts: [found == [] for found in d.add_many(texts)],
    "deduplicate": lambda d, texts: kept(d.deduplicate(texts).keep, texts),
    "deduplicate an iterable": lambda d, texts: kept(d.deduplicate(iter(texts)).keep, texts),
    "duplicates": lambda d, texts: [not row["is_duplicate"] for row in d.duplicates(texts)],
    "unseen": lambda d, texts: d.ask(texts),
}
# Those that cannot be repeated: what was judged and not yielded is gone.
YIELD = {
    "unique": lambda d, texts: kept([texts.index(text) for text in d.unique(texts)], texts),
    "unique, many at a time": lambda d, texts: kept([texts.index(t) for t in d.unique(texts, batch_size=10**6)], texts),
    "unique, one at a time": lambda d, texts: kept([texts.index(t) for t in d.unique(texts, batch_size=1)], texts),
}
ASK = {
    "is_duplicate": lambda d, texts: [d.is_duplicate(texts[0]) is None],
    "near": lambda d, texts: [d.near(texts[0]) == []],
    "similar": lambda d, texts: [d.similar(texts[0]) == []],
    "in": lambda d, texts: [texts[0] not in d],
}
OF_CLIENT = ("add", "add with an id", "add_many")


def kept(positions, texts):
    return [i in set(positions) for i in range(len(texts))]


class Subject:
    """An object that is interrupted, and what it must know."""

    def __init__(self, made, rng, texts, calls):
        self.made, self.rng, self.texts, self.calls = made, rng, texts, calls
        self.known = [texts.new(8) for _ in range(3)]
        for text in self.known:
            assert made.add(text) == []

    def check(self, calls, texts, want):
        name = self.rng.choice([name for name in calls if name in self.calls])
        got = calls[name](self.made, texts)
        if got != [want] * len(got):
            raise AssertionError(f"{name}: {got}, want {want}")

    def interrupt(self):
        """Interrupt a call, and check what comes after it. Returns "broken", "whole" or "not interrupted"."""
        of = {**REMEMBER, **YIELD, **ASK}
        name = self.rng.choice(self.calls)
        texts, new = (self.texts.some(), True) if self.rng.random() < 0.7 else (self.known[:2], False)
        at = self.rng.choice((self.rng.randrange(1, 60), self.rng.randrange(1, 400), self.rng.randrange(1, 3000)))
        try:
            got = Interrupter(at).run(lambda: of[name](self.made, texts))
        except Interrupt:
            pass
        else:
            assert got == [new] * len(got), (name, got)
            self.known += texts[: len(got)] if name not in ASK and new else []
            return "not interrupted"
        try:
            for _ in range(3):
                self.check(ASK | REMEMBER, [self.rng.choice(self.known)], False)
                self.check(ASK | REMEMBER | YIELD, [self.texts.new(8)], True)
            if new and name not in YIELD:
                self.check(REMEMBER, texts, True)
            return "whole"
        except MithrilError as error:
            assert "interrupted" in str(error) or "was closed" in str(error), error
            return "broken"


class Lsh:
    """A MinHashLSH as if it were a Deduplicator."""

    def __init__(self):
        self.lsh, self.inserting = minhash.MinHashLSH(0.8), None

    def add(self, text, id=None):
        """An insert that is interrupted when all is done has been done, as its key says to whoever asks."""
        if text == self.inserting and text[:30] in self.lsh:
            assert self.lsh.query(text) == [text[:30]]
            self.inserting = None
            return []
        if found := self.lsh.query(text):
            return found
        self.inserting = text
        self.lsh.insert(text[:30], text)
        self.inserting = None
        return []

    def is_duplicate(self, text):
        return self.lsh.query(text) or None

    def near(self, text):
        return self.lsh.query(text)

    similar = near

    def __contains__(self, text):
        return self.lsh.query(text) != []

    def close(self):
        self.lsh.close()


class Remote:
    """An object that is asked by unseen of another process, as it were."""

    def __init__(self):
        from mithril_stream import _unseen

        self.made, self.unseen = dedup.Deduplicator(), _unseen
        function = self.made.unseen()
        _, (address, key, text) = function.__reduce__()
        self.elsewhere = _unseen.UnseenElsewhere(address, key, text)

    def ask(self, texts):
        return self.elsewhere(texts)

    def add(self, text):
        return [] if self.elsewhere(text) else [None]

    def close(self):
        self.made.close()
        self.unseen._connections.to.clear()


def subjects(rng, address):
    """Yield kinds of objects, and how each is asked."""
    texts = Texts(rng)
    while True:
        # mostly one that needs no new child
        kind = rng.choice(("exact", "exact", "bloom", "lsh", "remote", *["client"] * 20))
        if kind == "client":
            made, calls = dedup.Client(address), [*OF_CLIENT, *ASK]
        elif kind == "lsh":
            made, calls = Lsh(), ["add", *ASK]
        elif kind == "remote":
            made, calls = Remote(), ["unseen"]
        else:
            made = dedup.Deduplicator(memory=kind)
            made.ask = made.unseen()
            calls = [name for name in (*REMEMBER, *YIELD, *ASK) if kind == "exact" or name not in ("near", "similar")]
        yield kind, Subject(made, rng, texts, calls)


def interrupted(count, seed):
    """Interrupt that many calls, and count what came of it. Raises AssertionError for a wrong verdict."""
    rng, came = random.Random(seed), collections.Counter()
    with tempfile.TemporaryDirectory() as scratch, listening("--listen", f"{scratch}/s"):
        for kind, subject in subjects(rng, f"{scratch}/s"):
            with contextlib.closing(subject.made):
                for _ in range(20):
                    try:
                        what = subject.interrupt()
                    except AssertionError as error:
                        raise AssertionError(f"seed {seed}, after {sum(came.values())}, {kind}: {error}") from error
                    if what != "not interrupted":
                        came[what] += 1
                    if what == "broken":
                        break
            if came["broken"] + came["whole"] >= count:
                return came
    raise AssertionError


if __name__ == "__main__":
    print(interrupted(int(sys.argv[1]), int(sys.argv[2])))
