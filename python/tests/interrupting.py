"""Calls that an exception interrupts anywhere, and what their objects say afterwards, until as many exchanges as you
say were broken off.

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
from interrupter import AT, Interrupt, Interrupter, interrupt
from mithril_stream import MithrilError, minhash
from server import listening


class Texts:
    """Texts that resemble no other one. One in a hundred is longer than a pipe has room for."""

    LONG = " ".join(f"t#w{i}" for i in range(9000))

    def __init__(self, rng):
        self.rng, self.made = rng, 0

    def new(self, words=None):
        self.made += 1
        words = words or self.rng.choices((8, 60, 9000), (69, 30, 1))[0]
        return (self.LONG if words == 9000 else SHORT[words]).replace("#", str(self.made))

    def some(self):
        return [self.new() for _ in range(self.rng.choices((1, 3, 40), (6, 3, 1))[0])]


SHORT = {words: " ".join(f"t#w{i}" for i in range(words)) for words in (8, 60)}


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
ALL = {**REMEMBER, **YIELD, **ASK}
OF_CLIENT = ("add", "add with an id", "add_many")


def kept(positions, texts):
    return [i in set(positions) for i in range(len(texts))]


class Subject:
    """An object that is interrupted, and what it must know. One that is shared is asked by another thread meanwhile."""

    def __init__(self, made, rng, texts, calls):
        self.made, self.rng, self.texts, self.calls = made, rng, texts, calls
        self.is_shared = not isinstance(made, Lsh) and rng.random() < 0.1
        if self.is_shared:  # two threads would take the same id
            self.calls = [name for name in calls if name != "add with an id"]
        self.known = [texts.new(8) for _ in range(3)]
        for text in self.known:
            assert made.add(text) == []

    def drawn(self, of, texts, want):
        """Return a call about texts, and what it must answer for each."""
        return self.rng.choice([name for name in of if name in self.calls]), texts, want

    def check(self, name, texts, want):
        got = ALL[name](self.made, texts)
        if got != [want] * len(got):
            raise AssertionError(f"{name}: {got}, want {want}")

    def checks(self, count):
        """Return calls about what is known and what is new."""
        about = [self.rng.random() < 0.5 for _ in range(count - 2)] + [True, False]
        self.rng.shuffle(about)
        texts = [self.texts.new(8) if new else self.rng.choice(self.known) for new in about]
        return [self.drawn(ASK | REMEMBER, [text], new) for text, new in zip(texts, about, strict=True)]

    def call(self, do):
        """Return a call that something is done in the middle of: mostly between its request and the reply."""
        texts, new = (self.texts.some(), True) if self.rng.random() < 0.7 else (self.known[:2], False)
        name = self.rng.choice(self.calls)
        few = 12 if self.calls == ["unseen"] else 45
        asking, most = self.rng.choices(((True, few), (True, 200), (False, 400), (False, 3000)), (70, 10, 15, 5))[0]
        interrupter = Interrupter(self.rng.randrange(1, most), asking, not self.is_shared, do)
        return name, texts, new, lambda: interrupter.run(lambda: ALL[name](self.made, texts))

    def interrupt(self):
        """Interrupt a call, and check what comes after it. Returns "broken", "whole" or "not interrupted"."""
        name, texts, new, call = self.call(interrupt)
        try:
            got = call()
        except Interrupt:
            pass
        else:
            assert got == [new] * len(got), (name, got)
            self.known += texts[: len(got)] if name not in ASK and new else []
            return "not interrupted"
        try:
            for check in self.checks(4):
                self.check(*check)
            if new and name not in YIELD:
                self.check(*self.drawn(REMEMBER, texts, True))
            return "whole"
        except MithrilError as error:
            assert "interrupted" in str(error) or "was closed" in str(error), error
            return "broken"

    def interrupt_beside(self):
        """Do what interrupt does while another thread asks."""
        wrong, checks = [], self.checks(6)

        def ask():
            try:
                for check in checks:
                    self.check(*check)
            except MithrilError as error:
                assert "interrupted" in str(error) or "was closed" in str(error), error
            except Exception as error:
                wrong.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        came = self.interrupt()
        thread.join()
        assert wrong == [], wrong
        return came

    def fork(self):
        """Fork in the middle of a call: the new process hears that it must make its own object. Returns "forked"."""

        def fork():
            pid = os.fork()
            if pid == 0:
                sys.settrace(None)
                right = False
                try:
                    right = self.made.add(self.known[0]) == [None]  # a Remote connects anew
                except MithrilError as error:
                    right = "after a fork" in str(error)
                finally:
                    os._exit(not right)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, "a forked process was not told so"

        name, _, new, call = self.call(fork)
        got = call()
        assert got == [new] * len(got), (name, got)
        return "forked"


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

    def __init__(self, owner):
        from mithril_stream import _unseen

        self.unseen = _unseen
        _, (address, key, text) = owner.__reduce__()
        self.elsewhere = _unseen.UnseenElsewhere(address, key, text)

    def ask(self, texts):
        return self.elsewhere(texts)

    def add(self, text):
        return [] if self.elsewhere(text) else [None]

    def close(self):
        self.unseen._connections.to.clear()


# Mostly one that needs no new child.
KINDS = {"client": 60, "remote": 14, "exact": 12, "bloom": 7, "lsh": 7}


def subject_of(kind, rng, texts, address, owner):
    """Make an object, and say how it is asked."""
    if kind == "client":
        return Subject(dedup.Client(address), rng, texts, [*OF_CLIENT, *ASK])
    if kind == "lsh":
        return Subject(Lsh(), rng, texts, ["add", *ASK])
    if kind == "remote":
        return Subject(Remote(owner), rng, texts, ["unseen"])
    made = dedup.Deduplicator(memory=kind)
    made.ask = made.unseen()
    calls = [name for name in ALL if kind == "exact" or name not in ("near", "similar")]
    return Subject(made, rng, texts, calls)


def interrupt_until_broken(kind, subject, came):
    """Interrupt calls of an object until it is of no use any more, and count what came of them."""
    with contextlib.closing(subject.made):
        for _ in range(20):
            way = subject.interrupt_beside if subject.is_shared else subject.interrupt
            if kind != "lsh" and subject.rng.random() < 0.02:
                way = subject.fork
            what = way()
            came[kind + ", two threads" * subject.is_shared, what] += 1
            if what == "broken":
                return


def interrupted(count, seed):
    """Break off that many exchanges, and count what came of all calls. Raises AssertionError for a wrong verdict."""
    rng, came = random.Random(seed), collections.Counter()
    texts = Texts(rng)
    while broken(came) < count:
        with (
            tempfile.TemporaryDirectory() as scratch,
            listening("--listen", f"{scratch}/s"),
            dedup.Deduplicator() as owner,
        ):
            remote = owner.unseen()
            for kind in rng.choices(list(KINDS), list(KINDS.values()), k=2000):
                try:
                    interrupt_until_broken(kind, subject_of(kind, rng, texts, f"{scratch}/s", remote), came)
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}, after {came.total()}, {kind}: {error}") from error
                if broken(came) >= count:
                    break
    return came


def broken(came):
    return sum(count for (_, what), count in came.items() if what == "broken")


if __name__ == "__main__":
    came = interrupted(int(sys.argv[1]), int(sys.argv[2]))
    for (kind, what), count in sorted(came.items()):
        print(f"{kind}: {count} {what}")
    print(f"{broken(came)} exchanges were broken off, at {len(AT)} lines; no verdict was wrong")
