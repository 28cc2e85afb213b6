"""Clients of one memory."""

import json
import multiprocessing
import os
import pickle
import signal
import struct
import subprocess
import threading

import pytest

from mithril_stream import dedup
from mithril_stream._judge import HEAD
from mithril_stream._program import find_program
from server import listening

FOX = "the quick brown fox jumps over the lazy dog"


def text(i):
    return f"document {i} tells of {i * 7} things and of {i * 13} others"


def test_a_client_does_what_a_deduplicator_does(tmp_path):
    where = tmp_path / "s"
    with listening("--index", str(tmp_path / "seen"), "--listen", f"unix:{where}"):
        with dedup.Client(f"unix:{where}") as one, dedup.Client(where) as two:
            assert one.add(FOX, "a") == []
            assert two.add(FOX.upper(), "b") == ["a"]
            assert one.add({"text": "something else stands here today"}) == [] and two.add(None) == []
            assert two.is_duplicate(FOX) == ("a", 1.0) and one.is_duplicate("not seen before, any of this") is None
            assert FOX in two and two.near(FOX, 3) == [("a", 1.0)]
            assert two.add_many([{"text": text(i), "n": i} for i in (1, 2, 1)], id="n") == [[], [], [1]]
            assert len(one) == 7 and bool(one) and repr(one) == f"<Client('unix:{where}')>"
            assert FOX in pickle.loads(pickle.dumps(one))
    with dedup.Deduplicator.load(tmp_path / "seen") as d:
        assert d.is_duplicate(text(2)).duplicate_of == 2


def test_what_clients_add_is_undone_with_the_run_before(tmp_path):
    index, records = str(tmp_path / "seen"), tmp_path / "records.jsonl"

    def program(*args):
        return subprocess.run([find_program(), *args], capture_output=True, text=True)

    def run(number):
        records.write_text(json.dumps({"text": text(number), "id": str(number)}) + "\n")
        done = program("-q", "--memory", "exact", "--id", "id", "--index", index, "-o", f"{tmp_path}/{number}", str(records))
        assert done.returncode == 0, done.stderr

    def session(*numbers):
        with listening("--index", index, "--listen", f"{tmp_path}/s"), dedup.Client(f"{tmp_path}/s") as client:
            for number in numbers:
                assert client.add(text(number), str(number)) == []
                client.save()

    def known():
        with dedup.Deduplicator.load(index) as d:
            return [number for number in range(1, 8) if text(number) in d]

    session(1, 2)
    undone = program("index", "undo", index)
    assert undone.returncode == 1 and "no run that could be taken back" in undone.stderr and known() == [1, 2]
    run(3)
    session(4, 5)
    run(6)
    assert known() == [1, 2, 3, 4, 5, 6]
    assert program("index", "undo", index).returncode == 0 and known() == [1, 2, 3, 4, 5]
    session(7)
    assert program("index", "undo", index).returncode == 0 and known() == [1, 2]
    session(7, 4)  # they are new again
    assert known() == [1, 2, 4, 7]


def test_a_port(tmp_path):
    with listening("--memory", "bloom", "--listen", ":0", "--capacity", "1000") as said:
        address = said[0].split()[-1]
        with dedup.Client(address) as client:
            assert client.add(FOX, id="a") == [] and client.add(FOX) == [None]
            assert client.is_duplicate(FOX) == (None, None)
            with pytest.raises(ValueError, match="Bloom filters"):
                client.near(FOX)
            with pytest.raises(ValueError, match="no index"):
                client.save()
    with pytest.raises(ConnectionRefusedError):
        dedup.Client(address)
    with pytest.raises(ValueError, match="unix:PATH or HOST:PORT"):
        dedup.Client("nowhere")
    with pytest.raises(FileNotFoundError):
        dedup.Client(tmp_path / "nowhere")


def test_values(tmp_path):
    with listening("--within", "lang", "--listen", f"{tmp_path}/s"):
        with dedup.Client(f"{tmp_path}/s") as client:
            assert client.add({"text": FOX, "lang": "en"}, "a") == [] and client.add({"text": FOX, "lang": "de"}) == []
            assert {"text": FOX, "lang": "en"} in client and {"text": FOX, "lang": "fr"} not in client
            with pytest.raises(TypeError):
                client.add(FOX)


def crawl(address, of, stored):
    """Ask, store and add, as the recipe does; some die in between."""
    with dedup.Client(address) as client:
        for i in range(of, 60):
            if text(i) not in client:
                stored.put(i)
                if i % 17 == of + 5:
                    os.kill(os.getpid(), signal.SIGKILL)
                client.add(text(i), id=i)


def test_crawlers_that_die_lose_nothing(tmp_path):
    where = str(tmp_path / "s")
    context = multiprocessing.get_context("spawn")
    with listening("--index", str(tmp_path / "seen"), "--listen", where):
        stored = [context.SimpleQueue() for _ in range(3)]
        crawlers = [context.Process(target=crawl, args=(where, of, queue)) for of, queue in enumerate(stored)]
        for crawler in crawlers:
            crawler.start()
        for crawler in crawlers:
            crawler.join()
        found = set()
        for queue in stored:
            while not queue.empty():
                found.add(queue.get())
        with dedup.Client(where) as client:
            known = {i for i in range(60) if text(i) in client}
    assert known <= found
    assert len(known) >= 5  # of those that were stored before their crawlers died
    with dedup.Deduplicator.load(tmp_path / "seen") as d:
        assert {i for i in range(60) if text(i) in d} == known


def test_what_was_committed_outlives_the_program(tmp_path):
    options = ("--index", str(tmp_path / "seen"), "--listen", f"{tmp_path}/s")
    with listening(*options, ended_by=signal.SIGKILL):
        client = dedup.Client(f"{tmp_path}/s")
        client.add(FOX)
        client.save()
        client.add(text(1))
    with pytest.raises(dedup.MithrilError, match="closed the connection"):
        client.add(FOX)
    with listening(*options), dedup.Client(f"{tmp_path}/s") as client:  # in the place of the socket that is left
        assert FOX in client and text(1) not in client


def test_what_the_program_refuses(tmp_path):
    with listening("--listen", f"{tmp_path}/s"):
        client, other = dedup.Client(f"{tmp_path}/s"), dedup.Client(f"{tmp_path}/s")
        client._judge._wire.send( HEAD.pack(77, 0, 0))
        with pytest.raises(dedup.MithrilError, match="kind 77"):
            client.add(FOX)
        with pytest.raises(dedup.MithrilError, match="has ended: .*kind 77"):
            client.add(FOX)
        other._judge._wire.send( HEAD.pack(1, 1, 0) + struct.pack("<i", -5))
        with pytest.raises(dedup.MithrilError, match="a text of -5 bytes"):
            len(other)
        client.close()
        other.close()
        assert FOX not in dedup.Client(f"{tmp_path}/s")


def test_threads_share_a_client(tmp_path):
    with listening("--listen", f"{tmp_path}/s"), dedup.Client(f"{tmp_path}/s") as client:
        new = []
        threads = [
            threading.Thread(target=lambda: new.extend(i for i in range(100) if not client.add(text(i))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(new) == list(range(100))



def test_a_client_is_told_of_texts_that_are_too_long(tmp_path):
    where = f"unix:{tmp_path / 's'}"
    with listening("--max-record", "1000", "--listen", where), dedup.Client(where) as client:
        for call, empty in ((client.add, []), (client.is_duplicate, None), (client.near, []), (client.similar, [])):
            with pytest.warns(UserWarning, match="1 document is longer than --max-record"):
                assert call(FOX * 30) == empty
        with pytest.warns(UserWarning, match="2 rows are, from 1 on, longer"):
            assert client.add_many([FOX, FOX * 30, FOX, FOX * 40]) == [[], [], ["python:2"], []]
