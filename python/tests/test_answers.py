"""What is said of each row, in whatever holds the rows."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from pages import library

import mithril_stream.dedup as dedup
from mithril_stream import minhash

FOX = "the quick brown fox jumps over the lazy dog near the river bank"
DOCS = [FOX, "nothing like it is in these words of another text", FOX.upper(), None, "…", FOX + "!"]
IS_DUPLICATE = [False, False, True, False, False, True]
DUPLICATE_OF = [None, None, 0, None, None, 0]
SIMILARITY = [None, None, 1.0, None, None, 1.0]


def test_a_list():
    want = [dict(zip(("is_duplicate", "duplicate_of", "similarity"), row, strict=True))
            for row in zip(IS_DUPLICATE, DUPLICATE_OF, SIMILARITY, strict=True)]  # fmt: skip
    assert dedup.duplicates(DOCS) == want
    docs = [{"body": text, "n": n} for n, text in enumerate(DOCS)]
    assert dedup.duplicates(docs, "body") == want
    assert dedup.deduplicate(docs, "body", annotate=True) == [{**d, **w} for d, w in zip(docs, want, strict=True)]
    assert dedup.deduplicate(DOCS, annotate=True)[2] == {"text": FOX.upper(), **want[2]}
    assert [a["is_duplicate"] for a in dedup.duplicates(DOCS, memory="bloom")] == IS_DUPLICATE
    assert dedup.duplicates(DOCS, memory="bloom")[2] == {"is_duplicate": True, "duplicate_of": None, "similarity": None}
    assert dedup.duplicates([]) == []
    with pytest.raises(ValueError, match="annotate returns all rows"):
        dedup.deduplicate(DOCS, annotate=True, keep="last")


def test_pandas():
    pd = library("pandas")
    df = pd.DataFrame({"text": DOCS, "n": range(6)}, index=list("uvwxyz"))
    found = dedup.duplicates(df)
    assert list(found.index) == list("uvwxyz") and found.is_duplicate.dtype == bool
    assert found.duplicate_of.dtype == "Int64" and found.similarity.dtype == "float64"
    assert found.duplicate_of.dropna().to_dict() == {"w": 0, "z": 0}
    assert df[~found.is_duplicate].equals(dedup.deduplicate(df))
    both = dedup.deduplicate(df, annotate=True)
    assert both[list(df.columns)].equals(df) and both[list(found.columns)].equals(found)
    assert dedup.duplicates(df.text).equals(found)
    with pytest.raises(TypeError, match="has no room for other columns"):
        dedup.deduplicate(df.text, annotate=True)
    with pytest.raises(ValueError, match="there is a column 'is_duplicate' already"):
        dedup.deduplicate(both, annotate=True)
    assert dedup.duplicates(df[:0]).dtypes.equals(found.dtypes)


def test_polars():
    pl = library("polars")
    df = pl.DataFrame({"text": DOCS, "n": range(6)})
    found = dedup.duplicates(df)
    assert found.to_dict(as_series=False) == {
        "is_duplicate": IS_DUPLICATE, "duplicate_of": DUPLICATE_OF, "similarity": SIMILARITY,
    }  # fmt: skip
    assert df.filter(~found["is_duplicate"]).equals(dedup.deduplicate(df))
    assert dedup.deduplicate(df, annotate=True).equals(df.hstack(found))
    assert dedup.duplicates(df["text"]).equals(found) and dedup.duplicates(df[:0]).schema == found.schema


def test_arrow():
    pa = library("pyarrow")
    table = pa.table({"text": DOCS, "n": range(6)})
    found = dedup.duplicates(table)
    assert found.to_pydict() == {"is_duplicate": IS_DUPLICATE, "duplicate_of": DUPLICATE_OF, "similarity": SIMILARITY}
    assert table.filter(pa.compute.invert(found["is_duplicate"])).equals(dedup.deduplicate(table))
    assert dedup.deduplicate(table, annotate=True).column_names == ["text", "n", *found.column_names]


def test_datasets(tmp_path):
    datasets = library("datasets")
    data = datasets.Dataset.from_dict({"text": DOCS, "n": list(range(6))})
    found = dedup.duplicates(data)
    assert found["is_duplicate"][:] == IS_DUPLICATE and found["duplicate_of"][:] == DUPLICATE_OF
    both = dedup.deduplicate(data, annotate=True)
    assert both.column_names == ["text", "n", "is_duplicate", "duplicate_of", "similarity"]
    assert both.filter(lambda row: not row["is_duplicate"])["n"][:] == dedup.deduplicate(data)["n"][:]


def test_filter_of_datasets_in_several_processes(texts, tmp_path):
    datasets = library("datasets")
    data = datasets.Dataset.from_dict({"text": texts, "n": list(range(len(texts)))})
    with dedup.Deduplicator() as d:
        assert data.filter(d.unseen(), batched=True)["n"][:] == d_alone(texts)
        assert data.filter(d.unseen(), batched=True).num_rows == 0  # another function: what is cached does not count
    with dedup.Deduplicator() as d:
        assert data.select(range(9)).filter(d.unseen())["n"][:] == [0, 1, 3, 4, 6, 7]
    with dedup.Deduplicator() as d:
        kept = data.filter(d.unseen(), batched=True, batch_size=100, num_proc=2)
        assert kept.num_rows == len(d_alone(texts)) and len(d) == len(texts)  # one memory for both


def d_alone(texts):
    with dedup.Deduplicator() as d:
        return d.deduplicate(texts).keep


def test_unseen_says_when_its_owner_has_gone():
    import pickle

    with dedup.Deduplicator() as d:
        here = d.unseen("body")
        there = pickle.loads(pickle.dumps(here))
        assert here({"body": [FOX, FOX]}) == [True, False] and there({"body": FOX}) is False
        with pytest.raises(KeyError, match="no column 'body': choose from text"):
            there({"text": [FOX]})
        with pytest.raises(TypeError, match="is 5"):
            there([{"body": 5}])
        late = pickle.loads(pickle.dumps(d.unseen()))
    with pytest.raises(dedup.MithrilError, match="has gone|closed"):
        late({"text": [FOX]})


def test_answers_of_an_object_have_ids():
    with dedup.Deduplicator() as d:
        d.add(FOX, id="first")
        assert d.duplicates([{"id": "a", "text": FOX}, {"id": "b", "text": "x"}], id="id") == [
            {"is_duplicate": True, "duplicate_of": "first", "similarity": 1.0},
            {"is_duplicate": False, "duplicate_of": None, "similarity": None},
        ]
        assert d.duplicates(iter([FOX]))[0]["duplicate_of"] == "first"
        assert d.add_many([{"k": "c", "text": FOX}, {"k": "d", "text": "y"}], id="k") == [["first"], []]


def test_no_id_stands_for_two(tmp_path):
    docs = [{"id": 1, "text": FOX}, {"id": 1, "text": FOX}]
    with dedup.Deduplicator(index=tmp_path / "index") as d:
        with pytest.raises(ValueError, match=r"row 1 has the id 1 \(int\), as row 0 has"):
            d.deduplicate(docs, id="id")
        assert len(d) == 0  # all ids are looked at before any document is remembered
        with pytest.raises(ValueError, match="row 1 has the id 1"):
            d.deduplicate(iter(docs), id="id")
    with dedup.Deduplicator(index=tmp_path / "other") as d:
        d.add("some words of a text", id="a")
        with pytest.raises(ValueError, match="has the id 'a' .*, which an earlier document has"):
            d.add("other words of a text", id="a")
        d.remove("a")
        assert d.add("some words of a text", id="a") == []  # it may be given again
        d.add("words without an id here")
        with pytest.raises(ValueError, match="documents without an id are called by their numbers"):
            d.add("and some that have a number", id=7)
    with dedup.Deduplicator(index=tmp_path / "other") as d, pytest.raises(ValueError, match="an earlier document has"):
        d.add("once more", id=2)  # the number of the last one
    with dedup.Deduplicator() as d:
        d.add("words with a number", id=1)
        with pytest.raises(ValueError, match="would be called by its number"):
            d.add("words without one")


def test_ids_of_earlier_sessions_are_taken(tmp_path):
    def open(**options):
        return dedup.Deduplicator(index=tmp_path / "index", **options)

    rows = [{"k": key, "text": f"words of text {key}, and others {key}"} for key in ["a", "b", "c", 4]]
    with open() as d:
        d.deduplicate(rows[:2], id="k")
    with open() as d:
        for docs in (rows, iter(rows)):
            with pytest.raises(ValueError, match="row 0 has the id 'a' .*, which an earlier document has"):
                d.deduplicate(docs, id="k")
        with pytest.raises(ValueError, match="has the id 'b' .*, which an earlier document has"):
            d.add("other words", id="b")
        assert len(d) == 2
        d.remove("a")
    with open() as d:  # what was removed in an earlier session may be given again
        assert d.deduplicate(iter(rows[:1] + rows[2:]), id="k").keep == ["a", "c", 4]
        with pytest.raises(ValueError, match="which an earlier document has"):
            d.add("more words", id="a")
    with open() as d, pytest.raises(ValueError, match="has the id '4' .*, which an earlier document has"):
        d.add("more words", id="4")


def test_unique_reads_batches():
    read = []

    def docs():
        for n in range(1000):
            read.append(n)
            yield f"words of text {n // 2} and others {n // 2}"

    with dedup.Deduplicator() as d:
        first = next(kept := d.unique(docs(), batch_size=100))
        assert first and len(read) == 100 and len(list(kept)) == 499
        assert len(list(dedup.Deduplicator().unique(docs()))) == 500


def test_what_unique_has_not_yielded_is_not_committed(tmp_path):
    texts = [f"words of text {n} and others {n}" for n in range(10)]
    with pytest.raises(ValueError, match="stopped before it had yielded 9 documents"):
        with dedup.Deduplicator(index=tmp_path / "index") as d:
            for _ in d.unique(texts):
                break
    with dedup.Deduplicator(index=tmp_path / "index") as d:
        for _ in d.unique(texts, batch_size=1):
            break
    with dedup.Deduplicator(index=tmp_path / "index") as d:
        assert list(d.unique(texts)) == texts[1:]

    def failing():
        yield texts[0]
        raise OSError("no more")

    with dedup.Deduplicator() as d:
        kept = d.unique(failing())
        assert next(kept) == texts[0]  # what came before the error is not lost
        with pytest.raises(OSError, match="no more"):
            next(kept)


def test_bytes_are_texts():
    assert dedup.deduplicate([FOX.encode(), FOX, b"other words"]) == [FOX.encode(), b"other words"]
    assert [a["duplicate_of"] for a in dedup.duplicates([FOX, bytearray(FOX.encode())])] == [None, 0]
    broken = b"broken \xff\xfe words of a text that is long enough"
    assert dedup.deduplicate([broken, broken]) == [broken]


def test_repr(tmp_path):
    with dedup.Deduplicator(threshold=0.9, index=tmp_path / "index") as d:
        d.add(FOX)
        assert repr(d) == f"<Deduplicator(memory='exact', threshold=0.9, index='{tmp_path}/index'): 1 documents>"
    assert repr(d).endswith(": closed>")
    with dedup.Deduplicator(method="dclm") as d:
        assert repr(d) == "<Deduplicator(memory='bloom', method='dclm'): 0 parts>"
    with dedup.Deduplicator(preset="fineweb", memory="bloom") as d:
        assert repr(d) == "<Deduplicator(memory='bloom', preset='fineweb'): 0 documents>"


def test_presets():
    near = [FOX, FOX.replace("lazy dog near", "lazy dogs by")]
    assert dedup.deduplicate(near) == near and dedup.deduplicate(near, preset="paper") == near[:1]


ENDS = {  # how a script with an object that was not closed may end
    "by itself": "",
    "by an exception": "raise SystemExit(3)",
    "by SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "by SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
}


@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_left_when_a_process_ends(end, tmp_path):
    script = f"""
        import os, signal, sys
        import mithril_stream.dedup as dedup
        d = dedup.Deduplicator()
        sys.modules["mithril_stream"].d = d  # as in a cycle: it goes when modules do
        d.add("some words")
        assert os.listdir({str(tmp_path)!r})
        {ENDS[end]}
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True,
                         env={**os.environ, "TMPDIR": str(tmp_path)})  # fmt: skip
    assert out.stderr == "" and out.returncode in (0, 3, -signal.SIGTERM, -signal.SIGKILL)
    until = time.monotonic() + 30
    while os.listdir(tmp_path) and time.monotonic() < until:
        time.sleep(0.01)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "what", ["list(d.deduplicate_file('many.jsonl', output='out.jsonl'))", "f = d.unseen(); f([FOX]); d.deduplicate_file('many.jsonl')"]
)
def test_nothing_is_left_when_a_call_is_killed(what, tmp_path):
    """SIGTERM, which schedulers send, in the middle of a call that has files of its own."""
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    os.mkfifo(tmp_path / "many.jsonl")  # nobody writes to it
    script = f"import mithril_stream.dedup as dedup\nFOX = {FOX!r}\nd = dedup.Deduplicator()\n{what}\n"
    child = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env={**os.environ, "TMPDIR": str(scratch)})
    wanted = 3 if "unseen" in what else 2
    wait_for(lambda: len(os.listdir(scratch)) >= wanted)
    child.terminate()
    assert child.wait() == -signal.SIGTERM
    wait_for(lambda: not os.listdir(scratch))


def wait_for(happened):
    until = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_bytes_are_texts_in_every_table():
    pyarrow, polars, pandas, datasets = map(library, ("pyarrow", "polars", "pandas", "datasets"))
    texts = [FOX.encode(), FOX.encode(), None, b"\xff\xfe and other bytes than these", b""]
    kept = [FOX.encode(), *texts[2:]]
    for kind in (pyarrow.binary(), pyarrow.large_binary(), pyarrow.dictionary(pyarrow.int32(), pyarrow.binary())):
        table = pyarrow.table({"text": pyarrow.array(texts, kind)})
        assert dedup.deduplicate(table)["text"].to_pylist() == kept
    assert dedup.deduplicate(polars.DataFrame({"text": texts}))["text"].to_list() == kept
    assert list(dedup.deduplicate(pandas.Series(texts, dtype=object))) == kept
    assert list(dedup.deduplicate(datasets.Dataset.from_dict({"text": texts}))["text"]) == kept
    assert dedup.deduplicate(texts) == kept


def test_an_index_that_is_only_read(tmp_path):
    """It has a length, and answers every question."""
    with dedup.Deduplicator(index=tmp_path / "seen") as d:
        d.add_many([FOX, "and another one with these words"])
    with dedup.Deduplicator(index=tmp_path / "other") as d:
        d.add_many(["one that", "has nothing to do", "with it at all"])
    for options in (["--read-only"], ["--read-only", "--against", str(tmp_path / "other")]):
        with dedup.Deduplicator(index=tmp_path / "seen", options=options) as d:
            assert len(d) == 2 + 3 * options.count("--against")
            assert d.near(FOX, 1) == [(0, 1.0)] and d.similar(FOX, 1) == [(0, 1.0)] and d.is_duplicate(FOX) == (0, 1.0)
    with dedup.Deduplicator(options=["--against", str(tmp_path / "seen")]) as d:
        d.add(FOX, id="own")
        assert [match.duplicate_of for match in d.near(FOX, 2)] == [0, "own"]


def test_settings_that_are_wrong_are_value_or_type_errors(tmp_path):
    with dedup.Deduplicator(index=tmp_path / "seen") as d:
        d.add(FOX)
        for files, error in (([], ValueError), ([5], TypeError), ({"a": 1}, TypeError), (5, TypeError)):
            with pytest.raises(error, match="files"):
                d.deduplicate_file(files)
    for settings in ({"threshold": 0.7}, {"memory": "bloom"}, {"ngram_size": 3}):
        with pytest.raises(ValueError, match="built with other parameters"):
            dedup.Deduplicator(index=tmp_path / "seen", **settings)
    for settings in ({"num_permutations": -1}, {"ngram_size": 0}):
        with pytest.raises(ValueError, match=f"{next(iter(settings))} must be at least 1"):
            minhash.signatures([FOX], **settings)


def test_no_traceback_at_the_end_beside_datasets():
    library("datasets")  # and multiprocess, which it imports
    code = "import datasets, mithril_stream.dedup as dedup\nd = dedup.Deduplicator()\nd.add('a')\n"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Traceback" not in out.stderr and "Exception ignored" not in out.stderr and out.returncode == 0


@pytest.mark.parametrize("options", [[], ["--verify", "text"]])
def test_all_means_all(options):
    """Of hundreds of texts that share their bands the tables list some."""
    docs = [FOX_AND_MORE.replace("thirty", f"number{i}") for i in range(300)]
    with dedup.Deduplicator(threshold=0.5, options=options) as d:
        found = d.add_many(docs)
        assert [len(of) for of in found] == [0] + [1] * 299
        d.add(docs[5])  # a copy
        assert {match.duplicate_of for match in d.similar(FOX_AND_MORE)} == set(range(301))
        assert {match.duplicate_of for match in d.near(FOX_AND_MORE, 1000)} == set(range(301))
        assert [match.duplicate_of for match in d.similar(docs[5])[:2]] == [5, 300]
        assert len(d.similar(FOX_AND_MORE, limit=7)) == 7 and d.similar(FOX_AND_MORE, 10**12) == d.similar(FOX_AND_MORE)
        assert d.similar("nothing like this was ever seen") == []
        for call in (lambda: d.near(FOX_AND_MORE, 0), lambda: d.near(FOX_AND_MORE, k=-1), lambda: d.similar("a", 0)):
            with pytest.raises(ValueError, match="must be at least 1"):
                call()


FOX_AND_MORE = "the quick brown fox jumps over the lazy dog and thirty other words follow " + " ".join(
    f"word{i}" for i in range(60)
)


def test_an_index_of_keys_has_all_of_them():
    other = FOX_AND_MORE.replace("fox", "cat")
    with minhash.MinHashLSH(0.5, 128) as lsh:
        for key in ("a", "b", "c"):
            lsh.insert(key, FOX_AND_MORE)
        lsh.insert("d", other)
        assert lsh.query(FOX_AND_MORE) == ["a", "b", "c", "d"] and lsh.query(FOX_AND_MORE, 2) == ["a", "b"]
        with pytest.raises(ValueError, match="is there already"):
            lsh.insert("b", "x")
        lsh.remove("a")
        assert lsh.query(FOX_AND_MORE) == ["b", "c", "d"] and "a" not in lsh and "b" in lsh and len(lsh) == 3
        lsh.insert("a", FOX_AND_MORE)
        assert lsh.query(FOX_AND_MORE) == ["b", "c", "a", "d"]
        with pytest.raises(ValueError, match="'e' is not there"):
            lsh.remove("b", "e")
        lsh.remove("b", "c", "a")
        assert lsh.query(FOX_AND_MORE) == ["d"] and len(lsh) == 1
        for i in range(300):
            lsh.insert(i, FOX_AND_MORE.replace("thirty", f"number{i}"))
        assert set(lsh.query(FOX_AND_MORE)) == {"d", *range(300)}
        lsh.insert("", "")
        assert lsh.query("") == [] and "" in lsh
        lsh.remove("")
        assert "" not in lsh
