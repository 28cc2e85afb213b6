import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mithril
import mithril.dedup as dedup

FOX = "the quick brown fox jumps over the lazy dog"


def program(args, texts, tmp_path):
    """What the program itself keeps, by position."""
    records, flags = tmp_path / "records.jsonl", tmp_path / "flags"
    with open(records, "w") as f:
        f.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    command = [mithril.find_program(), *args, "-q", "--flags", flags, "-o", os.devnull, records]
    subprocess.run(command, check=True)
    return [i for i, flag in enumerate(flags.read_text().split()) if flag == "1"]


@pytest.mark.parametrize("memory", ["exact", "bloom"])
def test_verdicts_are_those_of_the_program(texts, memory, tmp_path):
    want = program(["--memory", memory, "--capacity", "2000"], texts, tmp_path)
    kept = dedup.deduplicate(list(enumerate_dicts(texts)), memory=memory)
    assert [row["n"] for row in kept] == want
    assert 1300 < len(want) < 1400
    with dedup.Deduplicator(memory=memory) as d:
        assert d.deduplicate(texts).keep == want
    with dedup.Deduplicator(memory=memory) as d:
        assert [i for i, text in enumerate(texts[:300]) if not d.add(text)] == [i for i in want if i < 300]


def enumerate_dicts(texts):
    for n, text in enumerate(texts):
        yield {"text": text, "n": n}


def test_one_at_a_time():
    with dedup.Deduplicator() as d:
        assert d.add(FOX, "a") == []
        assert d.add({"text": "something else stands here today"}) == []
        assert d.add(FOX.upper()) == ["a"]
        assert d.add("") == [] and d.add("...") == [] and d.add(None) == []
        assert d.is_duplicate(FOX) == ("a", 1.0)
        assert d.is_duplicate("not seen before, any of this") is None
        assert d.near(FOX, 3) == [("a", 1.0)]
        assert d.clusters() == [("a", [2], 1.0)]
        assert (d.stats.total_documents, d.stats.duplicate_documents) == (6, 1)
        assert d.stats.peak_memory_bytes > 1 << 20
    with pytest.raises(mithril.MithrilError, match="closed"):
        d.add(FOX)


def test_bloom_knows_no_originals():
    with dedup.Deduplicator(memory="bloom") as d:
        assert d.add(FOX) == [] and d.add(FOX) == [None]
        assert d.is_duplicate(FOX) == (None, None) and d.is_duplicate("never seen, none of it") is None
        with pytest.raises(ValueError, match="exact"):
            d.clusters()
        with pytest.raises(ValueError, match="index=DIR"):
            d.save("x")


def test_ids_and_results():
    docs = [{"id": "a", "body": FOX}, {"id": 7, "body": "nothing like it in these words"}, {"id": "c", "body": FOX + "!"}]
    with dedup.Deduplicator() as d:
        seen = []
        result = d.deduplicate(docs, text_field="body", id_field="id", progress=seen.append)
        assert (result.keep, result.remove) == (["a", 7], ["c"])
        assert result.clusters == [("a", ["c"], 1.0)]
        assert result.stats.duplicate_ratio == pytest.approx(1 / 3) and seen == [3]
        assert list(d.unique(["new words in a row here", FOX])) == ["new words in a row here"]


@pytest.mark.parametrize("memory", ["exact", "bloom"])
def test_saved_indexes_are_those_of_the_program(texts, memory, tmp_path):
    index = tmp_path / "index"
    with dedup.Deduplicator(memory=memory, index=index) as d:
        d.deduplicate(texts[:1000])
        d.save()
    with dedup.Deduplicator.load(index, memory=memory) as d:
        assert d.is_duplicate(texts[0]) is not None
        if memory == "exact":
            assert d.add(texts[0], "again") == [0]
            assert d.clusters() == [(0, ["again"], 1.0)]
    # what was not saved is not in it
    assert program(["--memory", memory, "--index", index, "--read-only"], texts[:1500], tmp_path)[0] >= 1000


def test_save_and_load(tmp_path):
    with dedup.Deduplicator(0.8, 64, 3) as d:
        d.add(FOX, "a")
        d.save(tmp_path / "saved")
        d.add("and one more that is not saved", "b")
    with dedup.Deduplicator.load(tmp_path / "saved", threshold=0.8, num_permutations=64, ngram_size=3) as d:
        assert d.is_duplicate(FOX).duplicate_of == "a"
        assert d.is_duplicate("and one more that is not saved") is None
    with pytest.raises(mithril.MithrilError, match="num-perm is 64 in it and 128 here"):
        dedup.Deduplicator.load(tmp_path / "saved", threshold=0.8, ngram_size=3)
    with pytest.raises(FileNotFoundError):
        dedup.Deduplicator.load(tmp_path / "none")


def test_files(texts, tmp_path):
    records = tmp_path / "data.jsonl"
    records.write_text("".join(json.dumps({"key": f"k{i}", "text": t}) + "\n" for i, t in enumerate(texts)))
    with dedup.Deduplicator() as d:
        result = d.deduplicate_file(records, output=tmp_path / "unique.jsonl", id_field="key")
    kept = [json.loads(line)["key"] for line in (tmp_path / "unique.jsonl").read_text().splitlines()]
    assert kept == [f"k{i}" for i in result.keep] and len(result.remove) == 666
    assert result.clusters[0].representative == "k1" and result.clusters[0].duplicates == ["k2"]
    assert result.stats.total_documents == 2000 and result.stats.processing_time_secs > 0
    with dedup.Deduplicator() as d, pytest.raises(mithril.MithrilError, match="no such file"):
        d.deduplicate_file(tmp_path / "none.jsonl")


def test_wrong_settings_are_named():
    with pytest.raises(mithril.MithrilError, match="--threshold 7 must be above 0"):
        dedup.Deduplicator(threshold=7)
    with pytest.raises(ValueError, match="memory"):
        dedup.Deduplicator(memory="huge")
    with pytest.raises(mithril.MithrilError, match="unknown flag"):
        dedup.Deduplicator(options=["--nonsense"])


def test_a_child_that_dies_is_an_error():
    with dedup.Deduplicator() as d:
        d.add(FOX)
        d._judge._child.kill()
        with pytest.raises(mithril.MithrilError, match="ended with -9"):
            for _ in range(10):
                d.add(FOX)
        with pytest.raises(mithril.MithrilError, match="has ended"):
            d.add(FOX)


def test_a_failing_iterable_leaves_the_object_usable():
    def docs():
        yield from [FOX] * 10_000
        raise KeyError("mine")

    with dedup.Deduplicator() as d:
        with pytest.raises(KeyError, match="mine"):
            d.deduplicate(docs())
        assert d.add(FOX) != []


def test_threads():
    with dedup.Deduplicator() as d:
        found = []
        threads = [threading.Thread(target=lambda: found.extend(d.add(FOX, "x") for _ in range(200))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(found) == 800 and found.count([]) == 1


def test_forked_processes_are_told():
    with dedup.Deduplicator() as d:
        pid = os.fork()
        if pid == 0:
            try:
                d.add(FOX)
            except mithril.MithrilError:
                os._exit(5)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
        assert d.add(FOX) == []


def test_ctrl_c_ends_the_child(tmp_path):
    script = (
        "import mithril.dedup as d, itertools, sys\n"
        "x = d.Deduplicator()\n"
        "print(x._judge._child.pid, flush=True)\n"
        "x.deduplicate(f'{i} some words here {i}' for i in itertools.count())\n"
    )
    python = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child = int(python.stdout.readline())
    python.send_signal(signal.SIGINT)
    _, stderr = python.communicate(timeout=30)
    assert b"KeyboardInterrupt" in stderr and python.returncode != 0
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the child goes on")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(alphabet="ab \n\0é\ud800", max_size=12) | st.none(), max_size=40))
def test_any_texts_at_once_or_alone(texts):
    with dedup.Deduplicator(ngram_size=1) as d:
        at_once = d.deduplicate(texts)
    with dedup.Deduplicator(ngram_size=1) as d:
        alone = [i for i, text in enumerate(texts) if d.add(text)]
    assert at_once.remove == alone


def test_import_is_light():
    script = (
        "import sys, time; t = time.process_time(); import mithril.dedup; s = time.process_time() - t\n"
        "print(s, sorted({'numpy', 'pandas', 'polars', 'pyarrow', 'datasets'} & set(sys.modules)))"
    )
    said = [subprocess.check_output([sys.executable, "-c", script], text=True).split(" ", 1) for _ in range(5)]
    assert all(heavy.strip() == "[]" for _, heavy in said)
    assert min(float(seconds) for seconds, _ in said) < 0.05
