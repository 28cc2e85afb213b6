"""Texts that are compared with those of the same value alone."""

import json

import pytest

from mithril_stream import dedup, minhash
from mithril_stream._documents import encode_value
from mithril_stream._program import MithrilError


def documents(n=2404):
    values = ["de", "en", 1, "1", 1.0, None, True, {"a": 1}]
    return [
        {"id": i, "lang": values[i * 5 % 8], "text": f"record {i % (n // 4)} of those that tell of {i % (n // 4)} things"}
        for i in range(n)
    ]


def group_of(value):
    return json.dumps(value) if isinstance(value, (str, int, float)) else None


def first_of_each(docs):
    """What stays if only copies with the same value are duplicates."""
    seen, kept = set(), []
    for doc in docs:
        key = group_of(doc["lang"]), doc["text"]
        if key not in seen:
            kept.append(doc)
        seen.add(key)
    return kept


SETTINGS = dict(ngram_size=1, threshold=0.999, options=["--verify", "text"], memory="exact", within="lang")


def test_a_list_is_deduplicated_within_values():
    docs = documents()
    want = first_of_each(docs)
    assert 0 < len(want) < len(docs) and want != dedup.deduplicate(docs, **{**SETTINGS, "within": None})
    assert dedup.deduplicate(docs, **SETTINGS) == want
    assert dedup.deduplicate(docs, keep="first", return_groups=True, **SETTINGS)[0] == want
    told = dedup.duplicates(docs, **SETTINGS)
    assert [doc for doc, row in zip(docs, told) if not row["is_duplicate"]] == want
    for row in told:
        if row["is_duplicate"]:
            assert group_of(docs[row["duplicate_of"]]["lang"]) == group_of(docs[told.index(row)]["lang"])
            break


def test_every_way_to_give_documents_agrees(tmp_path):
    docs = documents(400)
    want = first_of_each(docs)
    with dedup.Deduplicator(**SETTINGS) as d:
        assert [doc for doc in docs if not d.add(doc, doc["id"])] == want
        assert all(d.near(doc)[0].similarity == 1 and doc in d for doc in docs)
        assert d.is_duplicate({**docs[0], "lang": "fr"}) is None and d.near({**docs[0], "lang": "fr"}) == []
    with dedup.Deduplicator(**SETTINGS) as d:
        found = d.add_many(docs)
        assert [doc for doc, of in zip(docs, found) if not of] == want
    with dedup.Deduplicator(**SETTINGS) as d:
        assert list(d.unique(iter(docs))) == want
    for given in (docs, iter(docs)):
        with dedup.Deduplicator(**SETTINGS) as d:
            assert d.deduplicate(given).keep == [doc["id"] for doc in want]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    with dedup.Deduplicator(**SETTINGS) as d:
        d.deduplicate_file(tmp_path / "in.jsonl", output=tmp_path / "out.jsonl")
        assert [json.loads(line) for line in (tmp_path / "out.jsonl").open()] == want
        assert not [doc for doc in docs if doc not in d]  # the program and the object know the same


def test_values_may_be_urls(tmp_path):
    urls = ["https://www.a.co.uk/1", "http://b.a.co.uk/2", "https://b.co.uk/3", "https://b.co.uk"]
    docs = [{"text": "the same text of all pages", "url": url} for url in urls]
    settings = {**SETTINGS, "within": "url:domain"}
    assert dedup.deduplicate(docs, **settings) == [docs[0], docs[2]]
    with dedup.Deduplicator(**settings) as d:
        assert list(d.unique(iter(docs))) == [docs[0], docs[2]]
    assert dedup.deduplicate(docs, **{**SETTINGS, "within": "url:canonical{-ref}"}) == docs
    same = [{**doc, "url": f"https://a.example/?ref={i}"} for i, doc in enumerate(docs)]
    assert dedup.deduplicate(same, **{**SETTINGS, "within": "url:canonical{-ref}"}) == same[:1]
    named = [{"text": doc["text"], "url:domain": doc["url"]} for doc in docs]
    assert dedup.deduplicate(named, **{**SETTINGS, "within": "url\\:domain"}) == named


def test_an_index_is_bound_to_the_field(tmp_path):
    docs = documents(400)
    with dedup.Deduplicator(index=tmp_path / "index", **SETTINGS) as d:
        d.add_many(docs[:200])
    with pytest.raises(MithrilError, match="within"):
        dedup.Deduplicator(index=tmp_path / "index", **{**SETTINGS, "within": "text"})
    with dedup.Deduplicator(index=tmp_path / "index") as d:  # it knows the field
        assert d.is_duplicate(docs[0]) and not d.is_duplicate({**docs[0], "lang": "none has it"})
    with dedup.Deduplicator.load(tmp_path / "index", **SETTINGS) as d:
        kept = list(d.unique(docs[200:]))
    assert kept == [doc for doc in first_of_each(docs) if doc["id"] >= 200]


def test_what_is_refused():
    with pytest.raises(TypeError, match="give strings, or dicts with the field 'lang'"):
        dedup.deduplicate(["a text", "another one"], within="lang")
    with pytest.raises(KeyError, match="row 1 has no field 'lang'"):
        dedup.deduplicate([{"text": "a", "lang": 1}, {"text": "b"}], within="lang")
    with pytest.raises(TypeError, match="is no string, number or boolean, for within="):
        dedup.deduplicate([{"text": "a", "lang": object()}], within="lang")
    with pytest.raises(TypeError, match="within must be the name of a column"):
        dedup.deduplicate(["a"], within=3)
    with pytest.raises(ValueError, match="options has --within: give within="):
        dedup.deduplicate(["a"], options=["--within=lang"])
    with pytest.raises(ValueError, match="options has --within"):
        minhash.signatures(["a"], options=["--within", "lang"])
    with dedup.Deduplicator(within="lang") as d:
        with pytest.raises(ValueError, match="use unique"):
            d.unseen()
        with pytest.raises(TypeError, match="give strings, or dicts"):
            d.add("a text alone")
        assert "within='lang'" in repr(d)


@pytest.mark.parametrize(
    "value, want",
    [("a\n", rb'"a\n"'), (1, b"1"), (1.0, b"1.0"), (-0.5, b"-0.5"), ("", b'""'), (None, None),
     (True, b"true"), (False, b"false"), (float("nan"), None), (float("inf"), None), ([1], None), ({}, None), ("\ud800", rb'"\ud800"')],
)  # fmt: skip
def test_values_are_encoded_as_in_records(value, want):
    assert encode_value(value) == want
