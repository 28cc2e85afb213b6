"""Which rows of groups stay, and how often, as the program's groups has it."""

import json
import random
import subprocess

import pytest

from mithril_stream import dedup
from mithril_stream._program import find_program


def documents(count=900):
    """Records of groups of very different sizes, with sources of all kinds; copies differ in case and in repeats."""
    rng = random.Random(3)
    made = []
    for i in range(count):
        text = f"the record number {min(rng.randrange(400), 150)} is about many other things that stand in it"
        text = {0: text.upper(), 1: text + " in it in it in it", 2: text + "!"}.get(rng.randrange(6), text)
        source = rng.choice(["cc", "wiki", "", 1, "1", 1.0, None, True, [2], "é"])
        made.append({"i": i, "text": rng.choice([text] * 40 + [""]), "source": source})
    return made


DOCS = documents()
# The program joins all that resemble each other, and this package the most similar ones: the same for copies.
SETTINGS = dict(threshold=0.999, memory="exact", options=["--verify", "text"], ngram_size=1)


def grouped_by_the_program(tmp_path, docs, *options):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    args = ["-q", "--threshold", "0.999", "--verify", "text", "--shingle-size", "1"]
    made = subprocess.run([find_program(), "groups", *args, *options, path], check=True, stdout=subprocess.PIPE)
    return [json.loads(line)["i"] for line in made.stdout.splitlines()]


@pytest.mark.parametrize(
    "settings, options",
    [
        ({"keep": "fullest"}, ["--keep", "fullest"]),
        ({"keep": "fullest", "within": "source"}, ["--keep", "fullest", "--within", "source"]),
        ({"count_by": "source", "min_sources": 2}, ["--count-by", "source", "--min-sources", "2"]),
        ({"count_by": "source", "min_sources": 5, "keep": "last"},
         ["--count-by", "source", "--min-sources", "5", "--keep", "last"]),
        ({"repeat": {2: 3, 1: 1, 4: 0}}, ["--repeat", "1:1,2:3,4:0"]),
        ({"repeat": {3: 2}, "keep": "none"}, ["--repeat", "3:2", "--keep", "none"]),
        ({"repeat": {3: 2}, "keep": "fullest", "count_by": "source", "min_sources": 2},
         ["--repeat", "3:2", "--keep", "fullest", "--count-by", "source", "--min-sources", "2"]),
    ],
)  # fmt: skip
def test_the_choice_is_that_of_the_program(tmp_path, settings, options):
    kept = [doc["i"] for doc in dedup.deduplicate(DOCS, **SETTINGS, **settings)]
    assert kept == grouped_by_the_program(tmp_path, DOCS, *options)
    assert 0 < len(kept) != len(dedup.deduplicate(DOCS, **SETTINGS)) or "keep" in settings


def test_the_fullest_has_the_most_different_words():
    short, full, long = "one two three four", "one two three four five six seven", "one two three four " * 4
    settings = dict(threshold=0.4, ngram_size=1)
    assert dedup.deduplicate([short, long, full], **settings, keep="fullest") == [full]
    assert dedup.deduplicate([short, long, full], **settings, keep="longest") == [long]


@pytest.mark.parametrize(
    "settings, error",
    [
        ({"min_sources": 2}, "min_sources and count_by go together"),
        ({"count_by": "source"}, "min_sources and count_by go together"),
        ({"count_by": 3, "min_sources": 2}, "count_by must be the name of a column"),
        ({"count_by": "source", "min_sources": 1}, "must be at least 2: every row has one source"),
        ({"count_by": "source", "min_sources": "2"}, "min_sources must be a whole number"),
        ({"repeat": [(1, 2)]}, "repeat must map sizes"),
        ({"repeat": {0: 1}}, "a size in repeat must be at least 1"),
        ({"repeat": {1: -1}}, "repeat takes numbers of times from 0 to 1000, got -1"),
        ({"repeat": {1: 1001}}, "repeat takes numbers of times"),
        ({"repeat": {1: True}}, "repeat takes numbers of times"),
        ({"repeat": {1: 2}, "annotate": True}, "annotate returns all rows: leave keep, min_sources, repeat"),
        ({"repeat": {1: 2}, "memory": "bloom"}, "repeat and return_groups need memory='exact'"),
        ({"repeat": {1: 2}, "method": "dclm"}, "repeat and return_groups do not go with method"),
        ({"keep": "best"}, 'keep must be one of "first", .*"fullest"'),
    ],
)
def test_what_makes_no_sense_is_refused(settings, error):
    with pytest.raises((TypeError, ValueError), match=error):
        dedup.deduplicate(DOCS, **settings)
    with pytest.raises(TypeError, match="row 0: .* is no string, number or boolean, for count_by="):
        dedup.deduplicate([{"text": "a", "source": object()}], count_by="source", min_sources=2)


def test_lengths_are_those_of_the_program():
    """The longest text has the most bytes, as with groups --keep longest, whether rows are str or bytes."""
    words = " ".join(f"w{n}" for n in range(40))
    texts = [f"{words} zzzz", f"{words} \u00e9\u00e9\u00e9"]
    assert dedup.deduplicate(texts, keep="longest") == texts[1:]
    assert dedup.deduplicate([text.encode() for text in texts], keep="longest") == [texts[1].encode()]
