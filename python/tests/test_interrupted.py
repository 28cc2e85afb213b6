"""What an object says after a call that did not come to its end."""

import ctypes
import os
import random
import socket
import struct
import subprocess
import sys
import threading

import pytest

import mithril_stream
from interrupter import Interrupt
from interrupting import KINDS, broken, interrupted
from mithril_stream import MithrilError, _judge, dedup, minhash
from mithril_stream._judge import Request

FOX = "the quick brown fox jumps over the lazy dog"


def text(i):
    return " ".join(f"t{i}w{j}" for j in range(8))


def test_no_verdict_is_wrong_after_an_interruption():
    came = interrupted(300, 1)
    assert broken(came) == 300 and {kind for kind, what in came if what == "broken"} >= set(KINDS)


def test_an_object_that_was_interrupted_says_so(tmp_path):
    with dedup.Deduplicator(index=tmp_path / "seen") as d:
        d.add(FOX)
    d = dedup.Deduplicator(index=tmp_path / "seen")
    d.add(text(1))

    def interrupt(*_):
        raise Interrupt

    d._count = interrupt
    with pytest.raises(Interrupt):
        d.add(text(2))
    del d._count
    for _ in range(2):
        with pytest.raises(MithrilError, match="interrupted before its answer had come.*make another one"):
            d.add(text(3))
    with pytest.raises(MithrilError, match="interrupted"):
        d.save()
    with dedup.Deduplicator(index=tmp_path / "seen") as again:  # the child has gone, and with it its lock
        assert FOX in again and text(1) not in again


def test_the_answer_to_another_request_ends_the_conversation():
    with dedup.Deduplicator() as d:
        d.add(FOX)
        d._judge._wire.send(struct.pack("<IIII", _judge.STATS + _judge.NUMBERED, 0, 0, 12345))  # a stray request
        with pytest.raises(MithrilError, match="the answer to request [0-9]+ was due, and another one has come"):
            d.add(FOX)
        with pytest.raises(MithrilError, match="another one has come"):
            len(d)


def test_threads_are_interrupted():
    """Each thread must get right answers, or hear that the object is of no use any more."""
    wrong, ended = [], []

    def work(d, number):
        count = 0
        while count < 5000:
            count += 1
            try:
                if d.add(text(f"{number}x{count}")) != [] or d.add(text(f"{number}x{count}")) == []:
                    wrong.append((number, count))
            except Interrupt:
                pass
            except MithrilError as error:
                ended.append(str(error))
                return

    rng = random.Random(5)
    for _ in range(5):
        with dedup.Deduplicator() as d:
            threads = [threading.Thread(target=work, args=(d, number)) for number in range(3)]
            for thread in threads:
                thread.start()
            while all(thread.is_alive() for thread in threads):
                victim = rng.choice(threads)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(victim.ident), ctypes.py_object(Interrupt))
                victim.join(0.001)
            for thread in threads:
                thread.join(60)
                assert not thread.is_alive()
    assert wrong == [] and ended


def test_a_fork_in_the_middle_of_a_call():
    """A thread is in the middle of a call, and holds what locks there are."""
    with dedup.Deduplicator() as d:
        at, go = threading.Event(), threading.Event()

        def docs():
            at.set()
            go.wait(60)
            yield FOX

        thread = threading.Thread(target=lambda: d.deduplicate(docs()))
        thread.start()
        at.wait(60)
        pid = os.fork()
        if pid == 0:
            try:
                d.add(FOX)
            except MithrilError:
                os._exit(5)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
        go.set()
        thread.join()
        assert d.add(FOX) == [0]


def test_a_forked_process_keeps_no_child_alive():
    d = dedup.Deduplicator()
    out, to = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(out, 1)
        os._exit(0)
    d.close()  # it comes to its end, though the other process has the input of the child open
    os.write(to, b"x")
    os.waitpid(pid, 0)


def test_large_batches_are_sent_in_parts(monkeypatch):
    sizes = []
    send = _judge.Asked._send

    def noted(self, request):
        if request.kind in (_judge.ADD, _judge.ALIKE):
            sizes.append(len(request.texts))
        return send(self, request)

    monkeypatch.setattr(_judge.Asked, "_send", noted)
    docs = [f"{i} " + f"word{i} " * 100_000 for i in range(40)]
    for call in (lambda d: d.add_many(docs), lambda d: d.unique(docs), lambda d: d.deduplicate(docs)):
        sizes.clear()
        with dedup.Deduplicator() as d:
            list(call(d))
        assert sum(sizes) > 25_000_000 and max(sizes) < 6 << 20


@pytest.mark.parametrize("memory", ["exact", "bloom"])
def test_a_batch_of_any_size_waits_for_nobody(memory):
    with dedup.Deduplicator(memory=memory, options=["--capacity", "50000"]) as d:
        docs = [text(i) for i in range(20_000)]
        assert len(list(d.unique(docs, batch_size=20_000))) == 20_000
        assert [found for found in d.add_many(docs[:5000]) if not found] == []


def test_replies_are_read_while_requests_are_sent():
    """Both are longer than a pipe has room for, also together with the buffers of the program."""
    judge = _judge.Judge(["--memory", "exact"])
    replies = []
    blocks = (minhash.blocks_of_iterable([text(i) for i in range(8000)]) for _ in range(8))
    judge.exchange((Request.of(_judge.SIGNATURES, block) for many in blocks for block in many), replies.append)
    judge.close()
    assert len(replies) == 8 and {len(reply) for reply in replies} == {8000 * 64 * 8}


def test_a_cell_that_is_run_again_opens_the_index_again(tmp_path):
    index = tmp_path / "seen"
    first = dedup.Deduplicator(index=index)
    first.add(FOX)
    first.save()
    first.add(text(1))
    second = dedup.Deduplicator(index=tmp_path / "." / "seen")
    assert FOX in second and second.add(text(1)) == []
    for call in (first.save, lambda: first.add(text(2)), lambda: len(first)):
        with pytest.raises(MithrilError, match="another object of this process has opened its index"):
            call()
    with pytest.raises(MithrilError, match="has opened its index"), first:
        pass
    first.close()
    with second:
        with pytest.raises(MithrilError, match="another object of this process writes to the index, in a with statement"):
            dedup.Deduplicator(index=index)
        assert FOX in second
        with dedup.Deduplicator(index=index, options=["--read-only"]) as reader:
            assert FOX in reader and text(1) not in reader
    with dedup.Deduplicator(index=index) as third:
        assert text(1) in third


def test_an_object_that_is_deleted_frees_its_index(tmp_path):
    index = str(tmp_path / "seen")
    command = [mithril_stream.find_program(), "-q", "--memory", "exact", "--index", index, "-o", os.devnull]
    d = dedup.Deduplicator(index=index)
    d.add(FOX, id="a")
    busy = subprocess.run(command, input=b"", capture_output=True)
    assert busy.returncode == 1 and b"another program is writing to it" in busy.stderr
    if sys.platform == "linux":
        assert f"started by process {os.getpid()} (".encode() in busy.stderr
    del d
    subprocess.run(command, input=b"", check=True)


@pytest.mark.parametrize("end", [dedup.Deduplicator.close, lambda d: None], ids=["closed", "deleted"])
def test_an_object_that_other_processes_may_ask_is_freed_like_any_other(tmp_path, end):
    before = threading.enumerate()
    d = dedup.Deduplicator(index=tmp_path / "seen")
    new = d.unseen()
    assert new([FOX]) == [True] and new is not d.unseen("body")
    end(d)
    del d, new
    for thread in set(threading.enumerate()) - set(before):
        thread.join(60)
        assert not thread.is_alive()
    command = [mithril_stream.find_program(), "-q", "--memory", "exact", "--index"]
    # Nobody else writes to it.
    subprocess.run([*command, tmp_path / "seen", "-o", os.devnull], input=b"", check=True)


def test_a_process_that_goes_while_it_connects_keeps_nobody_out():
    with dedup.Deduplicator() as d:
        new = d.unseen()
        elsewhere, (address, *key) = new.__reduce__()
        for _ in range(3):
            with socket.socket(socket.AF_UNIX) as caller:
                caller.connect(address)
        answers = []
        asking = threading.Thread(target=lambda: answers.append(elsewhere(address, *key)([FOX, FOX])), daemon=True)
        asking.start()
        asking.join(60)
        assert answers == [[True, False]]


def test_a_task_that_fails_while_it_stores_can_be_run_again(tmp_path):
    def task(fails):
        with dedup.Deduplicator(index=tmp_path / "seen") as d:
            new = d.deduplicate([text(i) for i in range(100)]).keep
            if fails:
                raise OSError("the bucket does not answer")
        return new

    for _ in range(2):
        with pytest.raises(OSError, match="the bucket does not answer"):
            task(True)
    assert task(False) == list(range(100)) and task(False) == []
