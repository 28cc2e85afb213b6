import copy
import importlib.metadata
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mithril_stream
import mithril_stream.dedup as dedup
from mithril_stream._judge import Judge

FOX = "the quick brown fox jumps over the lazy dog"


def program(args, texts, tmp_path):
    """What the program itself keeps, by position."""
    records, flags = tmp_path / "records.jsonl", tmp_path / "flags"
    with open(records, "w") as f:
        f.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    command = [mithril_stream.find_program(), *args, "-q", "--flags", flags, "-o", os.devnull, records]
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
        assert d.near(FOX, 3) == [("a", 1.0), (2, 1.0)] and d.near(FOX, 1) == [("a", 1.0)]
        assert d.clusters() == [("a", [2], 1.0)]
        assert (d.stats.total_documents, d.stats.duplicate_documents) == (6, 1)
        assert d.stats.peak_memory_bytes > 1 << 20
    with pytest.raises(mithril_stream.MithrilError, match="closed"):
        d.add(FOX)


def test_bloom_knows_no_originals():
    with dedup.Deduplicator(memory="bloom") as d:
        assert d.add(FOX) == [] and d.add(FOX) == [None]
        assert d.is_duplicate(FOX) == (None, None) and d.is_duplicate("never seen, none of it") is None
        for call in (d.clusters, lambda: d.near(FOX)):
            with pytest.raises(ValueError, match="use memory='exact'"):
                call()


def test_ids_and_results():
    docs = [{"id": "a", "body": FOX}, {"id": "b", "body": "nothing like it in these words"}, {"id": "c", "body": FOX + "!"}]
    with dedup.Deduplicator() as d:
        seen = []
        result = d.deduplicate(docs, text="body", id="id", progress=seen.append)
        assert (result.keep, result.remove) == (["a", "b"], ["c"])
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
            assert d.add("what was never there before") == [] and d.add("What was never there, before") == [1001]
    # what was not saved is not in it
    assert program(["--memory", memory, "--index", index, "--read-only"], texts[:1500], tmp_path)[0] >= 1000


def test_save_and_load(tmp_path):
    with dedup.Deduplicator(0.8, 128, 3) as d:
        d.add(FOX, "a")
        d.save(tmp_path / "saved")
        d.add("and one more that is not saved", "b")
    with dedup.Deduplicator.load(tmp_path / "saved", threshold=0.8, num_permutations=128, ngram_size=3) as d:
        assert d.is_duplicate(FOX).duplicate_of == "a"
        assert d.is_duplicate("and one more that is not saved") is None
    with dedup.Deduplicator.load(tmp_path / "saved") as d:  # the index knows its settings
        assert d.is_duplicate(FOX).duplicate_of == "a"
    with pytest.raises(ValueError, match="num_permutations is 128 in it and 64 here"):
        dedup.Deduplicator.load(tmp_path / "saved", num_permutations=64)
    with pytest.raises(FileNotFoundError):
        dedup.Deduplicator.load(tmp_path / "none")
    with pytest.raises(mithril_stream.MithrilError, match="takes an index in a directory"):
        dedup.Deduplicator.load("s3://bucket/index")


def test_an_index_is_committed_by_a_clean_end(tmp_path):
    for memory in ("exact", "bloom"):
        index = tmp_path / memory
        with dedup.Deduplicator(memory=memory, index=index) as d:
            d.add(FOX)
        with pytest.raises(ZeroDivisionError), dedup.Deduplicator(memory=memory, index=index) as d:
            d.add("what an exception ends is not kept here")
            1 / 0
        d = dedup.Deduplicator(memory=memory, index=index)
        d.add("nor is what nobody has committed so far")
        d.close()
        with dedup.Deduplicator.load(index, memory=memory) as d:
            assert FOX in d and len(d) == 1
            assert "what an exception ends is not kept here" not in d
            assert "nor is what nobody has committed so far" not in d
            d.close()  # the end finds nothing to do
    with pytest.raises(mithril_stream.MithrilError, match="ended with -9"), dedup.Deduplicator(index=tmp_path / "exact") as d:
        d.add("what cannot be committed is said")
        d._judge._child.kill()
        d._judge._child.wait()


def test_positions_are_those_of_the_batch(texts):
    with dedup.Deduplicator() as d:
        first = d.deduplicate(["a b c d e f", "g h i j k l", "a b c d e f"])
        second = d.deduplicate(["m n o p q r", "g h i j k l", "m n o p q r"])
        assert (first.keep, first.remove) == ([0, 1], [2])
        assert (second.keep, second.remove) == ([0], [1, 2])
        assert second.clusters == [(1, [4], 1.0), (3, [5], 1.0)]  # numbers: a group may begin in an earlier batch
        assert d.clusters() == [(0, [2], 1.0), (1, [4], 1.0), (3, [5], 1.0)]
        assert d.add("m n o p q r") == [3]


def test_one_rule(texts, tmp_path):
    """Texts of which the last words are others, so that many are near the threshold."""
    near = [" ".join(t.split()[: 40 - i % 8] + [f"new{i}"] * (i % 8)) for i, t in enumerate(texts[:900:3] * 8)]
    alone = dedup.deduplicate(near, memory="exact")
    kept, groups = dedup.deduplicate(near, return_groups=True)
    assert alone == kept
    assert [near[i] for i, group in enumerate(groups) if i == group] == kept
    with dedup.Deduplicator() as d:
        assert [near[i] for i in d.deduplicate(near).keep] == alone
    default = dedup.deduplicate(near)  # the rule of the program's default, and of Spark and Ray
    planned = program(["--capacity", str(len(near))], near, tmp_path)  # filters of another size may err elsewhere
    assert default == dedup.deduplicate(near, memory="bloom") == [near[i] for i in planned]
    assert len(default) != len(alone)


def words(n, others):
    """n words, of which the last ones are others."""
    return " ".join(f"word{i}" if i < n - others else f"other{i}" for i in range(n))


def test_what_a_text_resembles():
    with dedup.Deduplicator(0.5, ngram_size=1, options=["--verify", "text", "--recall", "0.999"]) as d:
        assert d.add(words(100, 20), "far") == [] and d.add("none of these is in the others") == []
        assert d.add(words(100, 10), "near") == ["far"]
        similar = [match.duplicate_of for match in d.similar(words(100, 0))]
        assert similar == ["near", "far"]  # .818 and .667, by what they have in common
        assert d.add(words(100, 0), "it") == ["near"]
        assert d.add(words(100, 0)) == ["it"]
        assert d.add(words(100, 0)) == ["it"]  # of copies the first
        assert [match.duplicate_of for match in d.similar(words(100, 0))] == ["it", 4, 5, "near", "far"]
        assert d.clusters() == [("far", ["near", "it", 4, 5], pytest.approx((0.818 + 0.818 + 1 + 1) / 4, abs=0.001))]


def test_removed_documents_were_never_added(texts):
    some, removed = list(enumerate(texts[:300])), {*range(0, 300, 7), *range(1, 300, 9)}
    with dedup.Deduplicator() as d, dedup.Deduplicator() as without:
        for i, text in some:
            d.add(text, i)
            if i not in removed:
                without.add(text, i)
        d.remove(*sorted(removed))
        assert [d.is_duplicate(text) for _, text in some] == [without.is_duplicate(text) for _, text in some]
        assert {i for i, text in some if d.add(text, 1000 + i)} == {i for i, text in some if without.add(text, 1000 + i)}


def test_remove(tmp_path):
    cat = FOX.replace("dog", "cat")
    with dedup.Deduplicator(0.4, index=tmp_path / "index") as d:
        for id, text in ("a", FOX), (2, cat), ("c", "another text about something else"), ("d", cat + " and sleeps"):
            d.add(text, id)
        assert d.clusters()[0][:2] == ("a", [2, "d"])
        d.remove(2)
        assert d.clusters()[0][:2] == ("a", ["d"])
        with pytest.raises(ValueError, match="no record with 1 of the 2 names: b"):
            d.remove("a", "b")
        assert d.clusters() == []  # it goes with its first document
        assert d.is_duplicate(FOX).duplicate_of == "d"
        assert d.add("another text about something else", "e") == ["c"] and len(d) == 5
        d.remove()
        d.add(FOX, "a")  # the name is free again
        assert d.is_duplicate(FOX) == ("a", 1.0)
    undo = [mithril_stream.find_program(), "index", "undo", "--runs", "1", tmp_path / "index"]
    subprocess.run(undo, check=True, stdout=subprocess.DEVNULL)
    with dedup.Deduplicator.load(tmp_path / "index", threshold=0.4) as d:
        assert d.is_duplicate(FOX) == ("a", 1.0) and len(d) == 4


def test_what_cannot_be_removed(tmp_path):
    with dedup.Deduplicator(memory="bloom") as d, pytest.raises(ValueError, match="memory='exact'"):
        d.remove("a")
    with dedup.Deduplicator(index=tmp_path / "index") as d:
        d.add(FOX, "a")
        with pytest.raises(TypeError, match="its id is"):
            d.remove("a", object())
    with dedup.Deduplicator(index=tmp_path / "index", options=["--read-only"]) as d:
        with pytest.raises(ValueError, match="read-only"):
            d.remove("a")
        assert FOX in d


def test_auto_is_exact_as_long_as_there_is_room(tmp_path):
    index = tmp_path / "index"
    settings = {"memory": "auto", "max_memory": 820, "index": index}  # three signatures
    with dedup.Deduplicator(**settings) as d:
        assert [d.add(t, t) for t in ("a b c d e f", "g h i j k l", "A b c d e f")] == [[], [], ["a b c d e f"]]
        assert d.clusters() == [("a b c d e f", ["A b c d e f"], 1.0)]
        result = d.deduplicate(["m n o p q r", "s t u v w x", "g h i j k l", "s t u v w x"])
        assert (result.keep, result.remove, result.clusters) == ([0, 1], [2, 3], [])
        assert d.add("g h i j k l") == [None] and d.is_duplicate("a b c d e f") == (None, None)
        for call in (d.clusters, lambda: d.near("a b c d e f")):
            with pytest.raises(ValueError, match="max_memory was reached, and from document 4 on"):
                call()
        assert d.stats.duplicate_documents == 4 and len(d) == 8
    with dedup.Deduplicator.load(**{"directory": settings.pop("index"), **settings}) as d:
        assert "m n o p q r" in d and "y z 0 1 2 3" not in d
    assert dedup.deduplicate(["a b c d e f", "a b c d e f"], memory="auto", max_memory="1GiB") == ["a b c d e f"]
    with pytest.raises(ValueError, match='memory="auto" needs max_memory'):
        dedup.deduplicate([FOX], memory="auto")
    with pytest.raises(ValueError, match="not 'auto'"):
        dedup.deduplicate([FOX], memory="auto", max_memory="1GiB", keep="last")


def test_a_limit_of_the_exact_memory(texts, tmp_path):
    with dedup.Deduplicator(max_memory="64MiB") as d:
        assert d.deduplicate(texts).keep == program(["--memory", "exact"], texts, tmp_path)
    with pytest.raises(mithril_stream.MithrilError, match="max_memory must be at least"):
        dedup.Deduplicator(max_memory=1000)


def test_files_and_what_is_remembered(texts, tmp_path):
    day = [tmp_path / "day1.jsonl", tmp_path / "day2.jsonl"]
    for path, part in zip(day, (texts[:900], texts[600:1500]), strict=True):
        path.write_text("".join(json.dumps({"text": t}) + "\n" for t in part))
    for memory, index in (("exact", None), ("exact", tmp_path / "exact"), ("bloom", None), ("bloom", tmp_path / "bloom")):
        out = tmp_path / f"{memory}{index is None}.jsonl"
        with dedup.Deduplicator(memory=memory, index=index) as d:
            d.add(texts[0])
            first = d.deduplicate_file(day[0], output=out)
            assert first.remove[:2] == [0, 2] and first.duplicate_ratio == len(first.remove) / 900
            again = d.deduplicate_file(day[0], output=out)  # what the index has taken in is decided as it was
            assert again.remove == first.remove
            with pytest.raises(mithril_stream.MithrilError, match="is the output of run"):
                d.deduplicate_file(day[1], output=out)
            assert d.add(texts[1400]) == []  # the object goes on
            second = d.deduplicate_file(day[1], output=out, overwrite=True)
            assert second.remove[:300] == list(range(300)) and 800 in second.remove
            assert d.add(texts[900]) != [] and d.stats.total_documents == 3 + 900 + 900 + 900
        if index:
            with dedup.Deduplicator.load(index, memory=memory) as d:
                assert texts[1000] in d


def test_files_compared_with_an_index_of_the_program(texts, tmp_path):
    index = tmp_path / "index"
    program(["--memory", "exact", "--index", index], texts[:300], tmp_path)
    with dedup.Deduplicator.load(index) as d:
        result = d.deduplicate_file(tmp_path / "records.jsonl", output=tmp_path / "unique.jsonl")
        assert result.keep == [] and len(d) == 600  # a file that it has taken in before, to another output
        (tmp_path / "other.jsonl").write_text(json.dumps({"text": texts[0], "id": "x"}) + "\n")
        result = d.deduplicate_file(tmp_path / "other.jsonl", output=tmp_path / "other-unique.jsonl", id="id")
        assert result.remove == [0] and result.clusters[0].duplicates == ["x"]


def test_only_asking(texts, tmp_path):
    index = tmp_path / "index"
    program(["--memory", "exact", "--index", index], texts[:300], tmp_path)
    for settings in ({"index": index, "options": ["--read-only"]}, {"options": ["--read-only", "--against", str(index)]}):
        with dedup.Deduplicator(**settings) as d:
            assert d.add(texts[0]) != [] and d.add(texts[900]) == [] and d.add(texts[900]) == []
            with pytest.raises(ValueError, match="nothing is remembered"):
                d.save(tmp_path / "copy")


def test_files(texts, tmp_path):
    records = tmp_path / "data.jsonl"
    records.write_text("".join(json.dumps({"key": f"k{i}", "text": t}) + "\n" for i, t in enumerate(texts)))
    with dedup.Deduplicator() as d:
        result = d.deduplicate_file(records, output=tmp_path / "unique.jsonl", id="key")
    kept = [json.loads(line)["key"] for line in (tmp_path / "unique.jsonl").read_text().splitlines()]
    assert kept == [f"k{i}" for i in result.keep] and len(result.remove) == 666
    assert result.clusters[0].representative == "k1" and result.clusters[0].duplicates == ["k2"]
    assert result.stats.total_documents == 2000 and result.stats.processing_time_secs > 0
    with dedup.Deduplicator() as d, pytest.raises(mithril_stream.MithrilError, match="no such file"):
        d.deduplicate_file(tmp_path / "none.jsonl")


WRONG = [
    ({"memory": "bloom", "max_memory": "1 ton"}, "max_memory"),
    ({"preset": "mine"}, "preset mine is not known"),
    ({"options": ["--nonsense"]}, "unknown flag --nonsense"),
    ({"options": ["--tokenize", "foo"]}, 'unknown name "foo"'),
    ({"options": ["--tokenize"]}, "--tokenize needs a value"),
    ({"options": ["--bands", "3"]}, "--bands and --rows must both be given"),
    ({"options": ["--capacity", "x"]}, "is not a count"),
    ({"options": ["--preset", "mine"]}, "preset mine is not known"),
    ({"options": ["--against", "/nonexistent"]}, "/nonexistent"),
    ({"options": ["extra"]}, "unexpected argument extra"),
    ({"options": ["--on-full", "refuse", "--capacity", "1000"], "memory": "bloom"}, "index is full"),
]


@pytest.mark.parametrize(("settings", "want"), WRONG)
def test_a_wrong_option_is_the_message_of_the_program(settings, want):
    many = [f"{i} some words {i}" for i in range(20_000)]
    for _ in range(5):  # two threads find that the child has ended, in any order
        with pytest.raises(mithril_stream.MithrilError, match=want):
            dedup.deduplicate(many, **settings)
    with pytest.raises(mithril_stream.MithrilError, match=want):
        dedup.Deduplicator(**settings).deduplicate(many)


def test_a_child_that_ends_says_why_to_each_thread():
    for _ in range(30):
        judge, said = Judge(["--nonsense"]), []
        threads = [threading.Thread(target=lambda: said.append(str(judge._failure()))) for _ in range(2)]  # noqa: B023
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        judge.close()
        assert said == ["unknown flag --nonsense"] * 2


@pytest.mark.parametrize(
    ("settings", "kind", "want"),
    [
        ({"threshold": 1.5}, ValueError, "threshold must be between 0 and 1, got 1.5"),
        ({"threshold": 0}, ValueError, "threshold must be between 0 and 1, got 0"),
        ({"threshold": float("nan")}, ValueError, "threshold must be between 0 and 1, got nan"),
        ({"threshold": "high"}, TypeError, "threshold must be a number between 0 and 1, got 'high'"),
        ({"threshold": True}, TypeError, "threshold must be a number"),
        ({"ngram_size": 0}, ValueError, "ngram_size must be at least 1, got 0"),
        ({"ngram_size": 2.5}, TypeError, "ngram_size must be a whole number, got 2.5"),
        ({"num_permutations": -1}, ValueError, "num_permutations must be at least 1, got -1"),
        ({"max_memory": 1.5}, TypeError, "max_memory must be a number of bytes"),
        ({"memory": "huge"}, ValueError, "memory must be .*, got 'huge'"),
        ({"preset": "mine"}, ValueError, "preset mine is not known"),
        ({"options": ["--tokenize", "foo"]}, ValueError, 'unknown name "foo"'),
    ],
)
def test_errors_are_in_terms_of_python(settings, kind, want):
    for call in (lambda: dedup.deduplicate([FOX], **settings), lambda: dedup.Deduplicator(**settings)):
        with pytest.raises(kind, match=want) as error:
            call()
        assert "--help" not in str(error.value)
    with pytest.raises(TypeError, match="index must be a path, got 5"):
        dedup.Deduplicator(index=5)
    with dedup.Deduplicator() as d, pytest.raises(ValueError, match="batch_size must be at least 1"):
        d.unique([FOX], batch_size=0)


def test_wrong_settings_are_named():
    with pytest.raises(ValueError, match="memory"):
        dedup.Deduplicator(memory="huge")
    with pytest.raises(TypeError, match=r"give a list, as in \['--tokenize', 'char'\]"):
        dedup.deduplicate([FOX], options="--tokenize char")


def test_objects_cannot_be_pickled():
    with dedup.Deduplicator() as d:
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=r"has a child process.*save\(DIRECTORY\)"):
                call(d)


def test_what_python_asks_of_an_object():
    with dedup.Deduplicator() as d:
        assert len(d) == 0 and d and FOX not in d
        d.deduplicate([FOX, FOX, None])
        assert len(d) == 3 and FOX in d and {"text": FOX + "!"} in d and None not in d
    with dedup.Deduplicator(memory="bloom") as d:
        d.deduplicate([FOX, FOX, None])
        assert len(d) == 1 and FOX in d


def test_the_version_is_that_of_the_package():
    assert dedup.__version__ == mithril_stream.__version__
    try:
        assert mithril_stream.__version__ == importlib.metadata.version("mithril-stream")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the sources are not installed")


def test_an_object_that_waits_for_itself_says_so():
    with dedup.Deduplicator() as d:
        with pytest.raises(RuntimeError, match="read one after the other"):
            d.deduplicate(text for text in [FOX, FOX] if text not in d)
        assert d.add(FOX) == []


def test_a_child_that_dies_is_an_error():
    with dedup.Deduplicator() as d:
        d.add(FOX)
        d._judge._child.kill()
        with pytest.raises(mithril_stream.MithrilError, match="ended with -9"):
            for _ in range(10):
                d.add(FOX)
        with pytest.raises(mithril_stream.MithrilError, match="has ended"):
            d.add(FOX)


def test_a_failing_iterable_leaves_the_object_usable():
    def docs():
        yield from [FOX] * 10_000
        raise KeyError("mine")

    with dedup.Deduplicator() as d:
        with pytest.raises(KeyError, match="mine"):
            d.deduplicate(docs())
        assert d.add(FOX) != [] and len(d) > 8000  # a block of them was remembered
        assert d.clusters() == [(0, list(range(1, len(d))), 1.0)]  # numbers go on where they were


def test_threads():
    with dedup.Deduplicator() as d:
        found = []
        add = lambda: found.extend([d.add(FOX)] for _ in range(200))  # noqa: E731
        threads = [threading.Thread(target=add) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(found) == 800 and found.count([[]]) == 1


def test_threads_get_numbers_of_their_own():
    with dedup.Deduplicator() as d:
        threads = [threading.Thread(target=lambda: [d.add(FOX) for _ in range(200)]) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        [group] = d.clusters()
        assert (group.representative, group.duplicates) == (0, list(range(1, 800)))


def test_forked_processes_are_told():
    with dedup.Deduplicator() as d:
        pid = os.fork()
        if pid == 0:
            try:
                d.add(FOX)
            except mithril_stream.MithrilError:
                os._exit(5)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
        assert d.add(FOX) == []


def test_what_is_contained(texts, tmp_path):
    cut = [text.rsplit(" ", 12)[0] for text in texts[:300]]
    options = ["--sketch", "fracminhash"]
    want = program([*options, "--threshold", "0.8"], texts + cut, tmp_path)
    assert dedup.deduplicate(texts + cut, threshold=0.8, options=options) == [(texts + cut)[i] for i in want]
    kept, groups = dedup.deduplicate(texts[:2] + cut[:2], threshold=0.8, keep="longest", return_groups=True,
                                     options=options)  # fmt: skip
    assert (kept, groups) == (texts[:2], [0, 1, 0, 1])
    with dedup.Deduplicator(0.8, index=tmp_path / "index", options=options) as d:
        assert [d.add(text) for text in texts[:2] + cut[:2]] == [[], [], [0], [1]]
        assert d.is_duplicate(cut[0]) == dedup.Match(2, 1)  # a copy counts before others
        assert [match.duplicate_of for match in d.near(texts[1])] == [1, 3]
    with dedup.Deduplicator.load(tmp_path / "index", threshold=0.8, options=options) as d:
        assert len(d) == 4 and [match.duplicate_of for match in d.similar(cut[0])] == [0, 2] and d.add(cut[0]) == [2]


@pytest.mark.parametrize("method", ["dclm", "dolma-ngram"])
def test_parts_that_any_documents_had(texts, method, tmp_path):
    half = [a[: len(a) // 2] + " " + b[len(b) // 2 :] for a, b in zip(texts[:300], texts[300:600], strict=True)]
    docs, scale = texts[:900] + half, ["--scale", "4"]
    args = ["--method", method, "--overlap", "0.6", "--capacity", "1200", *scale]
    want = program(args, docs, tmp_path)
    assert 450 < len(want) < 700  # most of the halves go, and half of the pairs
    assert dedup.deduplicate(docs, method=method, threshold=0.6, options=scale) == [docs[i] for i in want]
    exactly = dedup.deduplicate(docs, method=method, threshold=0.6, memory="exact", options=scale)
    assert exactly == [docs[i] for i in want]
    settings = {"method": method, "threshold": 0.6, "options": scale}
    with dedup.Deduplicator(index=tmp_path / "index", **settings) as d:
        assert d.deduplicate(docs[:600]).keep == [i for i in want if i < 600]
        asked = [i for i, text in enumerate(docs[600:700], 600) if text not in d]
        assert set(asked) >= {i for i in want if 600 <= i < 700}  # each is asked about beside no other of them
        assert [i for i, text in enumerate(docs[600:], 600) if not d.add(text)] == [i for i in want if i >= 600]
        assert d.add(docs[0]) == [None] and d.is_duplicate(docs[0]) == (None, None)
        assert d.deduplicate(docs[:2]).clusters == [] and len(d) > len(docs)  # parts
        with pytest.raises(ValueError, match="which are in no single one"):
            d.clusters()
        with pytest.raises(ValueError, match="cannot be forgotten"):
            d.remove(0)
    records = tmp_path / "more.jsonl"
    records.write_text("".join(json.dumps({"text": text}) + "\n" for text in [docs[0], FOX, half[0]]))
    with dedup.Deduplicator.load(tmp_path / "index", **settings) as d:
        result = d.deduplicate_file(records, output=tmp_path / "unique.jsonl")
        assert result.keep == [1] and result.clusters == [] and FOX in d
    with pytest.raises(mithril_stream.MithrilError, match="overlap is 0.6 in it and 0.7 here"):
        dedup.Deduplicator.load(tmp_path / "index", **{**settings, "threshold": 0.7})


def test_what_does_not_go_with_parts():
    for more, why in [
        ({"keep": "longest"}, "keep, min_sources, repeat and return_groups do not go with method='dclm'"),
        ({"return_groups": True}, "keep, min_sources, repeat and return_groups do not go with method='dclm'"),
        ({"options": ["--method", "dolma"]}, "give method="),
        ({"memory": "huge"}, "memory must be .*, got 'huge'"),
    ]:
        with pytest.raises(ValueError, match=why):
            dedup.deduplicate(["a"], method="dclm", **more)
    for more, why in [
        ({"memory": "auto", "max_memory": "1GiB"}, "memory auto does not go with method dclm"),
        ({"num_permutations": 64}, "num_permutations does not go with method dclm"),
        ({"options": ["--action", "cut"]}, "unknown flag --action"),
    ]:
        with pytest.raises(mithril_stream.MithrilError, match=why):
            dedup.deduplicate(["a"], method="dclm", **more)
    with pytest.raises(mithril_stream.MithrilError, match="method dlcm is not known"):
        dedup.deduplicate(["a"], method="dlcm")
    with pytest.raises(ValueError, match="cannot be kept, as an object does: leave memory out"):
        dedup.Deduplicator(method="dclm", memory="exact")


def test_ctrl_c_ends_the_child(tmp_path):
    script = (
        "import mithril_stream.dedup as d, itertools, signal\n"
        # a shell that runs the tests in the background has them, and their children, ignore it
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "x = d.Deduplicator()\n"
        "def texts():\n"
        "    for i in itertools.count():\n"
        "        if i == 100_000:  # nothing is imported any more, where Python may lose an interrupt\n"
        "            print(x._judge._child.pid, flush=True)\n"
        "        yield f'{i} some words here {i}'\n"
        "x.deduplicate(texts())\n"
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


def test_an_interrupt_between_replies_ends_python():
    script = (
        "import mithril_stream.dedup as d, itertools\n"
        "x = d.Deduplicator()\n"
        "def interrupt(*args):\n"
        "    raise KeyboardInterrupt\n"
        "x._count = interrupt\n"
        "x.deduplicate(f'{i} some words here {i}' for i in itertools.count())\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, timeout=30)
    assert b"KeyboardInterrupt" in ended.stderr and ended.returncode != 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(alphabet="ab \n\0é\ud800", max_size=12) | st.none(), max_size=40))
def test_any_texts_at_once_or_alone(texts):
    with dedup.Deduplicator(ngram_size=1) as d:
        at_once = d.deduplicate(texts)
    with dedup.Deduplicator(ngram_size=1) as d:
        alone = [i for i, text in enumerate(texts) if d.add(text)]
    assert at_once.remove == alone


def test_import_is_light():
    def cpu(modules):
        script = (
            f"import sys, time; t = time.process_time(); import {modules}; s = time.process_time() - t\n"
            "print(s, sorted({'numpy', 'pandas', 'polars', 'pyarrow', 'datasets'} & set(sys.modules)))"
        )
        seconds, heavy = subprocess.check_output([sys.executable, "-c", script], text=True).split(" ", 1)
        assert heavy.strip() == "[]"
        return float(seconds)

    # In turns, and more of them while other programs make both take longer: some 1.5 times what it needs of Python's
    # own modules.
    ours, pythons = [], []
    for _ in range(4):
        for _ in range(5):
            ours.append(cpu("mithril_stream.dedup"))
            pythons.append(cpu("json, shutil, subprocess, tempfile, threading, typing"))
        if min(ours) < 2.5 * min(pythons):
            return
    assert False, f"importing takes {min(ours)} s, what it needs of Python's own modules {min(pythons)} s"


@pytest.mark.parametrize("sketch", [["--sketch", "affine"], ["--sketch=datasketch"], ["--sketch", "murmur3"]])
def test_other_minhash_uses_the_same_memories(sketch):
    """Only fracminhash has a memory of its own: with the others originals are known where they must be."""
    assert dedup.deduplicate(["a b c d e f g"] * 2, options=[*sketch, "--filter", "paged"]) == ["a b c d e f g"]
    with dedup.Deduplicator(memory="exact", options=sketch) as d:
        for name in "abc":
            d.add("a b c d e f g", name)
        assert [match.duplicate_of for match in d.similar("a b c d e f g")] == ["a", "b", "c"]


def test_half_surrogates_are_replaced():
    """As in JSON, half a pair is U+FFFD, also where parts are compared byte by byte, and two halves are one character."""
    assert len(dedup.deduplicate(["hello \ud83d", "hello \ud83e"], method="dolma")) == 1
    assert len(dedup.deduplicate(["hello \ud83d\ude00", "hello \U0001f600"], method="dolma")) == 1


def test_passages_are_remembered_exactly(texts, tmp_path):
    """As by the program, unless another memory is named: votes would remove others as well."""
    passages = [" ".join(text.split()[:12]) for text in texts]
    passages += [text.rsplit(" ", 2)[0] for text in passages]
    want = program(["--preset", "passages"], passages, tmp_path)
    assert dedup.deduplicate(passages, preset="passages") == [passages[i] for i in want]
    assert want == program(["--preset", "passages", "--memory", "exact"], passages, tmp_path)
