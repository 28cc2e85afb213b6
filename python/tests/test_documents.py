"""What is taken as documents, what is refused, and what is said of it, without any other package."""

import json
import sys

import pytest

import mithril_stream.dedup as dedup
from mithril_stream import minhash

FOX, OTHER = "the quick brown fox jumps over the lazy dog", "entirely different words are standing here"
NAN = float("nan")


@pytest.mark.parametrize("missing", [None, NAN])
def test_what_is_missing_is_kept(missing):
    for rows in ([FOX, missing, FOX, missing], [{"text": t} for t in [FOX, missing, FOX, missing]]):
        assert len(dedup.deduplicate(rows)) == 3
        with dedup.Deduplicator() as d:
            assert d.deduplicate(rows).remove == [2]
            assert d.add(missing) == [] and d.is_duplicate({"text": missing}) is None
            assert list(d.unique([missing, FOX])) == [missing]


@pytest.mark.parametrize("wrong", [5, ["a", "b"], {"a": 1}, True])
def test_a_text_that_is_none_is_an_error_with_its_row(wrong):
    values = [FOX, None, *[FOX] * 10_000, wrong]
    rows = [{"text": v} for v in values]
    with pytest.raises(TypeError, match=f"row 10002: its 'text' is .*{type(wrong).__name__}"):
        dedup.deduplicate(rows)
    with pytest.raises((TypeError, KeyError), match="row 10002 "):
        dedup.deduplicate(values)
    with dedup.Deduplicator() as d:
        with pytest.raises(TypeError, match="row 10002: "):
            d.deduplicate(rows)
        assert len(d) == 0  # nothing of it is remembered
        with pytest.raises(TypeError, match="row 10002: "):
            d.deduplicate(iter(rows))
        with pytest.raises((TypeError, KeyError), match="the document "):
            d.add(wrong)
        with pytest.raises(TypeError, match="the document: its 'text' is "):
            d.is_duplicate({"text": wrong})
        with pytest.raises(TypeError, match="row 1: "):
            list(d.unique([FOX, {"text": wrong}]))


def test_fields_that_are_not_there():
    with pytest.raises(KeyError, match="row 1 has no field 'text': it has 'id'"):
        dedup.deduplicate([{"text": FOX}, {"id": 1}])
    with dedup.Deduplicator() as d:
        for docs in ([{"id": 1}], iter([{"id": 1}])):
            with pytest.raises(KeyError, match="row 0 has no field 'text': it has 'id'"):
                d.deduplicate(docs)
        with pytest.raises(KeyError, match="row 0 has no field 'id': it has 'text'"):
            d.deduplicate([{"text": FOX}], id="id")
        with pytest.raises(KeyError, match="the document has no field 'text': it has 'body'"):
            d.add({"body": FOX})


@pytest.mark.parametrize(
    ("data", "want"),
    [
        ((t for t in [FOX]), r"generator is no table: .*list\(data\).*unique\(data\)"),
        (FOX, "str is no table: it is one text: give a list"),
        ({"text": [FOX]}, "dict is no table: give a list of dicts"),
        ({FOX}, r"set is no table: it has no order: .*sorted\(data\)"),
        (5, "int is no table: give a pandas"),
        (None, "NoneType is no table"),
    ],
)
def test_what_is_no_table_is_refused_with_advice(data, want):
    with pytest.raises(TypeError, match=want):
        dedup.deduplicate(data)


@pytest.mark.parametrize("data", [FOX, {"text": [FOX]}, 5, None])
def test_what_yields_no_documents_is_refused_with_advice(data):
    with dedup.Deduplicator() as d:
        for call in (d.deduplicate, d.unique):
            with pytest.raises(TypeError, match="yields no documents: "):
                call(data)


def test_ids():
    with dedup.Deduplicator() as d:
        d.add(FOX, 7)
        for id, want in [(object(), "give a string or a number"), (NAN, "give a string"), (b"a", "give a string")]:
            with pytest.raises(TypeError, match=want):
                d.add(OTHER, id)
        with pytest.raises(ValueError, match="at most 65536"):
            d.add(OTHER, "x" * 70_000)
        with pytest.raises(TypeError, match="row 1: its id is"):
            d.deduplicate([{"text": OTHER, "id": 1}, {"text": OTHER, "id": {2}}], id="id")
        assert d.is_duplicate(OTHER) is None and len(d) == 1 and d.add(FOX, 8) == [7]


def test_texts_that_are_too_long_are_said(tmp_path):
    """They are kept and compared with nothing, which every call says."""
    limit = ["--max-record", "1000"]
    long, kind = FOX * 30, UserWarning
    rows = [FOX, long, FOX + "!", long]
    with pytest.warns(kind, match="2 rows are, from 1 on, longer than --max-record") as warned:
        assert dedup.deduplicate(rows, options=limit) == [FOX, long, long]
    assert sys.version_info < (3, 12) or warned[0].filename == __file__
    with pytest.warns(kind, match="2 rows are, from 1 on"):
        assert [f["is_duplicate"] for f in dedup.duplicates(rows, options=limit)] == [False, False, True, False]
    with dedup.Deduplicator(options=limit) as d:
        with pytest.warns(kind, match="2 rows are, from 1 on"):
            result = d.deduplicate(rows)
        assert result.keep == [0, 1, 3] and result.stats.too_long_documents == 2
        with pytest.warns(kind, match="row 1 is longer"):
            assert list(d.unique(["a new one with five words", long])) == ["a new one with five words", long]
        with pytest.warns(kind, match="row 0 is longer"):
            assert d.add_many([long, FOX]) == [[], [0]]
        for call, empty in ((d.add, []), (d.is_duplicate, None), (d.near, []), (d.similar, [])):
            with pytest.warns(kind, match="1 document is longer"):
                assert call(long) == empty
        assert d.stats.too_long_documents == 5
        (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in rows))
        with pytest.warns(kind, match="2 documents are longer"):
            result = d.deduplicate_file(tmp_path / "in.jsonl", output=tmp_path / "out.jsonl")
        assert result.stats.too_long_documents == 2


@pytest.mark.parametrize("function", [minhash.signatures, minhash.band_keys])
def test_sketches_of_texts_that_are_too_long_are_said(function):
    pytest.importorskip("numpy")
    limit = ["--max-record", "1000"]
    with pytest.warns(UserWarning, match="2 rows are, from 1 on, longer than --max-record") as warned:
        made = function([FOX, FOX * 30, "", FOX * 40], options=limit)
    assert sys.version_info < (3, 12) or warned[0].filename == __file__
    assert [bool(words.any()) for words in made] == [True, False, False, False]


def test_texts_that_are_not_too_long_are_not_warned_of(recwarn):
    dedup.deduplicate([FOX, None, "", "..."])
    with dedup.Deduplicator() as d:
        assert d.deduplicate([FOX, None, ""]).stats.too_long_documents == 0
        assert d.add(None) == [] and d.near("") == []
    assert not recwarn.list
