"""What is taken as rows of tables, what is refused, and what is said of it."""

import types

import pytest

import mithril_stream.dedup as dedup
from pages import library

datasets, np, pd, pl, pa = map(library, ["datasets", "numpy", "pandas", "polars", "pyarrow"])

FOX, OTHER = "the quick brown fox jumps over the lazy dog", "entirely different words are standing here"
NAN = float("nan")


def frame(values):
    return pd.DataFrame({"text": pd.Series(values, dtype=object)})


@pytest.mark.parametrize("missing", [None, NAN, np.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_what_is_missing_is_kept_wherever_it_stands(missing):
    for rows in ([FOX, missing, FOX, missing], [{"text": t} for t in [FOX, missing, FOX, missing]]):
        assert len(dedup.deduplicate(rows)) == 3
        with dedup.Deduplicator() as d:
            assert d.deduplicate(rows).remove == [2]
            assert d.add(missing) == [] and d.is_duplicate({"text": missing}) is None
            assert list(d.unique([missing, FOX])) == [missing]
    assert list(dedup.deduplicate(frame([FOX, missing, FOX, missing])).index) == [0, 1, 3]
    assert len(dedup.deduplicate(frame([missing, missing]))) == 2


def test_columns_without_any_value():
    for table in (
        pd.DataFrame({"text": [NAN, NAN]}), pl.DataFrame({"text": [None, None]}), pa.table({"text": [None, None]}),
        pa.table({"text": pa.array([None, None], pa.int64())}), datasets.Dataset.from_dict({"text": [None, None]}),
        pl.DataFrame({"text": pl.Series([None, None], dtype=pl.Int64)}), pd.DataFrame({"text": []}),
    ):  # fmt: skip
        assert len(dedup.deduplicate(table)) == len(table)


@pytest.mark.parametrize("wrong", [5, ["a", "b"], {"a": 1}, True])
def test_a_column_with_what_is_no_string(wrong):
    values = [FOX, None, *[FOX] * 10_000, wrong]
    for data in (frame(values), pd.Series(values, dtype=object)):
        with pytest.raises(TypeError, match="row 10002 of the "):
            dedup.deduplicate(data)
        with dedup.Deduplicator() as d:
            with pytest.raises(TypeError, match="row 10002 of the "):
                d.deduplicate(data)
            assert len(d) == 0  # nothing of it is remembered


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"text": [1, 2]}), pl.DataFrame({"text": [1, 2]}), pa.table({"text": [1, 2]}),
        pd.DataFrame({"text": [[1], [2]]}), pl.DataFrame({"text": [["a"], ["b"]]}), pa.table({"text": [["a"], ["b"]]}),
        datasets.Dataset.from_dict({"text": [1, 2]}), pl.Series("text", [1, 2]), pd.Series([1, 2], name="text"),
        pl.DataFrame({"text": pl.Series([1, 2], dtype=pl.Object)}),
    ],
)  # fmt: skip
def test_columns_of_another_type(table):
    with pytest.raises(TypeError, match="row 0"):
        dedup.deduplicate(table)
    with dedup.Deduplicator() as d, pytest.raises(TypeError, match="row 0"):
        d.deduplicate(table)


def test_columns_that_are_not_there():
    with pytest.raises(KeyError, match="there is no column 'body': choose from text, n"):
        dedup.deduplicate(pd.DataFrame({"text": [FOX], "n": [1]}), "body")
    with dedup.Deduplicator() as d:
        with pytest.raises(KeyError, match="no column 'id'"):
            d.deduplicate(pl.DataFrame({"text": [FOX]}), id="id")
        with pytest.raises(ValueError, match="a Series has no column 'id'"):
            d.deduplicate(pl.Series([FOX]), id="id")


def test_columns_of_one_name():
    two = pd.DataFrame([[FOX, FOX]], columns=["text", "text"])
    with pytest.raises(ValueError, match="2 columns are called 'text'"):
        dedup.deduplicate(two)
    with pytest.raises(ValueError, match="2 columns are called 'text'"):
        dedup.deduplicate(pa.Table.from_arrays([pa.array([FOX]), pa.array([FOX])], names=["text", "text"]))


def test_series():
    for series in (pd.Series([FOX, None, FOX, OTHER], index=list("abcd")), pl.Series("a", [FOX, None, FOX, OTHER])):
        kept, groups = dedup.deduplicate(series, return_groups=True)
        assert type(kept) is type(series) and list(kept)[::2] == [FOX, OTHER] and groups == [0, 1, 0, 3]
        with dedup.Deduplicator() as d:
            assert d.deduplicate(series).remove == [2]
    assert list(dedup.deduplicate(pd.Series([FOX, FOX, OTHER], index=list("abc"))).index) == ["a", "c"]


def test_subclasses_are_tables():
    class Own(pd.DataFrame):
        pass

    assert len(dedup.deduplicate(Own({"text": [FOX, FOX]}))) == 1


def advised():
    split = datasets.Dataset.from_dict({"text": [FOX]})
    return {
        "a LazyFrame": (pl.LazyFrame({"text": [FOX]}), r"polars.LazyFrame .*data.collect\(\)"),
        "a DatasetDict": (datasets.DatasetDict({"train": split}), r'DatasetDict .*data\["train"\]'),
        "an IterableDataset": (split.to_iterable_dataset(), r"IterableDataset .*Deduplicator\(\).unique\(data\)"),
        "a column": (split["text"], r"datasets.Column .*list\(data\)"),
        "an array": (np.array([FOX]), r"numpy.ndarray .*data.tolist\(\)"),
        "a batch": (pa.RecordBatch.from_pydict({"text": [FOX]}), "Table.from_batches"),
        "an Arrow array": (pa.array([FOX]), r"data.to_pylist\(\)"),
    }


@pytest.mark.parametrize("name", advised())
def test_what_is_no_table_is_refused_with_advice(name):
    data, want = advised()[name]
    with pytest.raises(TypeError, match=want):
        dedup.deduplicate(data)


def test_spark_frames_are_refused_with_advice():
    kind = type("DataFrame", (), {"__module__": "pyspark.sql.classic.dataframe"})
    with pytest.raises(TypeError, match="mithril_stream.spark.deduplicate"):
        dedup.deduplicate(kind())
    with dedup.Deduplicator() as d, pytest.raises(TypeError, match="mithril_stream.spark.deduplicate"):
        d.deduplicate(kind())


def test_documents_of_any_iterable_or_table():
    rows = [{"text": FOX, "id": 1}, {"text": OTHER, "id": 2}, {"text": FOX + "!", "id": 3}]
    split = datasets.Dataset.from_list(rows)
    for docs in (
        rows, tuple(rows), iter(rows), (row for row in rows), pd.DataFrame(rows), pl.DataFrame(rows),
        pa.Table.from_pylist(rows), split, split.to_iterable_dataset(), [types.MappingProxyType(row) for row in rows],
    ):  # fmt: skip
        with dedup.Deduplicator() as d:
            result = d.deduplicate(docs, id="id")
            assert (result.keep, result.remove, result.clusters) == ([1, 2], [3], [(1, [3], 1.0)])
    column = datasets.Dataset.from_dict({"text": ["a b c"]})["text"]
    for docs in (["a b c"], column, np.array(["a b c"]), pd.Series(["a b c"]), {"a b c"}):
        with dedup.Deduplicator() as d:
            assert d.deduplicate(docs).keep == [0]


@pytest.mark.parametrize("name", ["a LazyFrame", "a DatasetDict", "a batch", "an Arrow array"])
def test_what_yields_no_documents_is_refused_with_advice(name):
    data, _ = advised()[name]
    with dedup.Deduplicator() as d:
        for call in (d.deduplicate, d.unique):
            with pytest.raises(TypeError, match="yields no documents: "):
                call(data)


def test_a_table_yields_no_documents_one_by_one():
    with dedup.Deduplicator() as d:
        for table in (pd.DataFrame({"text": [FOX]}), pl.DataFrame({"text": [FOX]}), pa.table({"text": [FOX]})):
            with pytest.raises(TypeError, match=r"it is a table: deduplicate\(data\)"):
                d.unique(table)


def test_ids_of_numpy():
    with dedup.Deduplicator() as d:
        d.deduplicate([{"text": FOX, "id": np.int64(7)}], id="id")
        assert d.add(FOX, np.float32(1.5)) == [7]
