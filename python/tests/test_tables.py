import sys

import pytest

import mithril_stream.dedup as dedup
from mithril_stream import minhash
from pages import library

datasets, np, pd, pl, pa = map(library, ["datasets", "numpy", "pandas", "polars", "pyarrow"])
tqdm = library("tqdm").tqdm

ROWS = [
    "the quick brown fox jumps over the lazy dog",
    None,
    "nothing alike here in this one",
    "the quick brown fox jumps over the lazy dog!!!",
    "nothing alike here in this one",
    "",
]
KEPT = {"first": [0, 1, 2, 5], "last": [1, 3, 4, 5], "longest": [1, 2, 3, 5], "shortest": [0, 1, 2, 5], "none": [1, 5]}


def tables():
    n = list(range(len(ROWS)))
    return {
        "pandas": pd.DataFrame({"text": ROWS, "n": n}, index=list("abcdef")),
        "pandas objects": pd.DataFrame({"text": pd.Series(ROWS, dtype=object), "n": n}),
        "pandas categories": pd.DataFrame({"text": pd.Series(ROWS, dtype="category"), "n": n}),
        "polars": pl.DataFrame({"text": ROWS, "n": n}),
        "arrow": pa.table({"text": pa.chunked_array([ROWS[:1], ROWS[1:4], ROWS[4:]], pa.string()), "n": n}),
        "arrow large": pa.table({"text": pa.array(["cut off", *ROWS], pa.large_string())[1:], "n": n}),
        "arrow view": pa.table({"text": pa.array(ROWS, pa.string_view()), "n": n}),
        "datasets": datasets.Dataset.from_dict({"text": ROWS, "n": n}),
        "datasets selected": datasets.Dataset.from_dict({"text": ["x", *ROWS], "n": [9, *n]}).select(range(1, 7)),
        "list": [{"text": text, "n": i} for i, text in enumerate(ROWS)],
        "tuple": tuple({"text": text, "n": i} for i, text in enumerate(ROWS)),
    }


@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("keep", KEPT)
def test_the_same_type_comes_back(name, keep):
    data = tables()[name]
    kept, groups = dedup.deduplicate(data, keep=keep, return_groups=True)
    assert type(kept) is type(data)
    assert groups == [0, 1, 2, 0, 2, 5]
    assert numbers(kept) == KEPT[keep]
    if name == "pandas":
        assert list(kept.index) == [data.index[i] for i in KEPT[keep]]
        assert list(kept.columns) == ["text", "n"]


def numbers(table):
    if isinstance(table, (list, tuple)):
        return [row["n"] for row in table]
    return [int(n) for n in (table["n"].to_pylist() if isinstance(table, pa.Table) else list(table["n"]))]


@pytest.mark.parametrize("name", tables())
def test_rows_are_repeated_and_left_out(name):
    data = tables()[name]
    kept, groups = dedup.deduplicate(data, repeat={1: 0, 2: 3}, return_groups=True)
    assert type(kept) is type(data)
    assert groups == [0, 1, 2, 0, 2, 5] and numbers(kept) == [0, 0, 0, 2, 2, 2]
    assert numbers(dedup.deduplicate(data, count_by="n", min_sources=2, keep="last")) == [3, 4]
    assert numbers(dedup.deduplicate(data, count_by="n", min_sources=3)) == []
    with pytest.raises(KeyError, match="nowhere"):
        dedup.deduplicate(data, count_by="nowhere", min_sources=2)


@pytest.mark.parametrize("name", tables())
def test_by_default_the_first_stays(name):
    assert numbers(dedup.deduplicate(tables()[name])) == KEPT["first"]


@pytest.mark.parametrize("name", ["pandas", "polars", "arrow", "datasets", "list"])
def test_empty_tables(name):
    data = tables()[name][:0] if name != "datasets" else tables()[name].select([])
    assert len(dedup.deduplicate(data)) == 0


def test_many_rows(texts):
    data = pl.DataFrame({"body": texts * 10})
    seen = []
    kept = dedup.deduplicate(data, "body", progress=seen.append)
    assert kept["body"].to_list() == dedup.deduplicate(texts)
    assert seen[-1] == 20_000 and seen == sorted(seen)


def test_progress_bars(texts):
    bar = tqdm(total=20_000, disable=True)
    bar.update = lambda n, seen=[]: seen.append(n) or setattr(bar, "seen", sum(seen))
    dedup.deduplicate(texts * 10, progress=bar)
    assert bar.seen == 20_000


def test_progress_is_a_bar_if_so_asked(texts, monkeypatch, capsys):
    data = texts * 10
    kept = dedup.deduplicate(data, progress=True)
    assert "20000/20000" in capsys.readouterr().err
    assert dedup.deduplicate(data, progress=tqdm) == kept and "20000/20000" in capsys.readouterr().err
    with dedup.Deduplicator() as d:
        d.deduplicate(iter(data), progress=True)
    assert "20000 rows" in capsys.readouterr().err
    assert dedup.deduplicate(data, progress=False) == kept and capsys.readouterr().err == ""
    for wrong in (5, "yes"):
        with pytest.raises(TypeError, match=f"progress is {wrong!r}: give True, a tqdm bar"):
            dedup.deduplicate(data, progress=wrong)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ModuleNotFoundError, match="pip install tqdm"):
        dedup.deduplicate(data, progress=True)


def test_what_cannot_be_read():
    with pytest.raises(KeyError, match="choose from text, n"):
        dedup.deduplicate(tables()["pandas"], "body")
    with pytest.raises(TypeError, match="dict is no table"):
        dedup.deduplicate({"text": ROWS})
    with pytest.raises(ValueError, match="exact"):
        dedup.deduplicate(ROWS, keep="last", memory="bloom")
    with pytest.raises(ValueError, match="keep"):
        dedup.deduplicate(ROWS, keep="best")
    with pytest.raises(TypeError, match="no strings"):
        dedup.deduplicate(pa.table({"text": [1, 2]}))
    with pytest.raises(TypeError, match="row 0 of the column 'text' is 1"):
        dedup.deduplicate(pd.DataFrame({"text": [1, 2]}))
    with pytest.raises(TypeError, match="no strings"):
        dedup.deduplicate(pl.DataFrame({"text": [1, 2]}))


def test_signatures(texts):
    words = [set(text.split()) for text in texts]
    made = minhash.signatures(texts, num_permutations=256, ngram_size=1)
    assert made.shape == (2000, 256) and made.dtype == np.uint64
    exact = np.array([len(a & b) / len(a | b) for a, b in zip(words[1::3], words[2::3])])
    estimated = minhash.jaccard(made[1::3][: len(exact)], made[2::3][: len(exact)])
    assert np.abs(exact - estimated).mean() < 0.02
    assert not minhash.signatures([""]).any()
    keys = minhash.band_keys(texts[:3], options=["--bands", "16", "--rows", "8"])
    assert keys.shape == (3, 16, 2) and (keys[1] == keys[2]).all(axis=1).any() and not (keys[0] == keys[1]).any()


def test_index_of_keys():
    with minhash.MinHashLSH(0.8) as index:
        assert index.is_empty()
        index.insert("fox", ROWS[0])
        index.insert("other", ROWS[2])
        assert index.query(ROWS[3]) == ["fox"] and index.query("never seen, none of this") == []
        assert "fox" in index and len(index) == 2
        with pytest.raises(ValueError, match="there already"):
            index.insert("fox", ROWS[2])
        index.remove("fox")
        assert "fox" not in index and len(index) == 1 and index.query(ROWS[3]) == []
        with pytest.raises(ValueError, match="'fox' is not there"):
            index.remove("other", "fox")
        index.insert("fox", ROWS[0])
        assert index.query(ROWS[3]) == ["fox"] and index.query(ROWS[2]) == ["other"]
