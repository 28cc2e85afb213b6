"""What can be asked of a result."""

import json

import pytest

import mithril_stream.dedup as dedup

SETTINGS = {"threshold": 0.5, "ngram_size": 1}
WORDS = [f"w{i}" for i in range(20)]


def varied(n):
    """Texts that have n of 20 words in common with the first: a similarity of n / (40 - n)."""
    return " ".join(WORDS[:n] + [f"other{n}of{i}" for i in range(20 - n)])


DOCS = [" ".join(WORDS), varied(18), varied(19), varied(16), " ".join(WORDS).upper(), "none of these is like them"]


@pytest.mark.parametrize("threshold", [0.5, 0.6, 2 / 3, 0.7, 0.8, 18 / 22, 0.85, 0.9, 19 / 21, 0.95, 1])
def test_a_higher_threshold_is_that_of_another_call(threshold):
    """The verdicts are those of a memory with that threshold."""
    with dedup.Deduplicator(**SETTINGS) as d:
        found = d.deduplicate(DOCS)
    with dedup.Deduplicator(**{**SETTINGS, "threshold": threshold}) as d:
        want = d.deduplicate(DOCS)
    got = found.at(threshold=threshold)
    assert got[:3] == want[:3] and got.stats[:4] == want.stats[:4]
    assert got.at(1).keep == found.at(1).keep == [0, 1, 2, 3, 5]


def test_ids_files_and_tables_have_thresholds(tmp_path):
    rows = [{"id": f"a{i}", "text": text} for i, text in enumerate(DOCS)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with dedup.Deduplicator(**SETTINGS) as d:
        named = d.deduplicate(rows, id="id")
    with dedup.Deduplicator(**SETTINGS) as d:
        of_file = d.deduplicate_file(tmp_path / "in.jsonl", output=tmp_path / "out.jsonl", id="id")
    assert named.at(0.9).keep == ["a0", "a1", "a3", "a5"] and named.at(0.9).remove == ["a2", "a4"]
    assert of_file.at(0.9).keep == [0, 1, 3, 5] and of_file.at(0.9).clusters[0][:2] == ("a0", ["a2", "a4"])
    assert named.at(0.9).representatives() == ["a0"]


def test_representatives_come_by_the_sizes_of_groups():
    other = [f"{word} stands here on its own too" for word in ("one", "two")]
    with dedup.Deduplicator() as d:
        result = d.deduplicate([other[0], other[0], other[1], other[1], other[1], "alone it is without a group"])
    assert result.representatives() == [2, 0] and result.representatives(1) == [2]
    with pytest.raises(ValueError, match="k must be at least 1"):
        result.representatives(0)


def test_what_is_not_known_is_an_error():
    with dedup.Deduplicator(**SETTINGS) as d:
        result = d.deduplicate(DOCS)
    for wrong, error in ((0.4, "less similar than 0.5 were not looked for"), (0, "between 0 and 1"), (2, "between 0 and 1")):
        with pytest.raises(ValueError, match=error):
            result.at(wrong)
    for settings in ({"memory": "bloom"}, {"method": "dclm"}):
        with dedup.Deduplicator(**settings) as d:
            result = d.deduplicate([*DOCS, *DOCS])
        with pytest.raises(ValueError, match="similarities are not known"):
            result.at(0.9)
        with pytest.raises(ValueError, match="groups are not known"):
            result.representatives()
    for options in (["--sketch", "fracminhash"], ["--verify", "containment", "--containment", ".8"]):
        with dedup.Deduplicator(options=options) as d:
            result = d.deduplicate([*DOCS, *DOCS])
        with pytest.raises(ValueError, match="similarities are not known"):
            result.at(0.9)
        assert result.representatives() and result.remove
