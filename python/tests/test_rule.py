"""The rule that rows on a cluster are judged by, in its plainest form (rule.py), which Spark and Ray are compared with."""

import pytest

pytest.importorskip("pyarrow")
from mithril_stream._votes import Votes  # noqa: E402
from cluster import (  # noqa: E402
    generated,
    kept_by_the_program,
    kept_by_the_rule,
    originals_by_the_rule,
    pages_of_a_site,
    versions,
)


def test_pages_of_a_site_are_no_duplicates(tmp_path):
    """The votes of a crowd do not add up, as they do with plain filters."""
    rows = list(enumerate(pages_of_a_site(4000)))
    assert len(kept_by_the_rule(rows)) >= 0.99 * len(rows)
    assert len(kept_by_the_program(tmp_path, rows, "--filter", "paged")) < 0.8 * len(rows)


@pytest.mark.parametrize("own, kept", [(42, 0.99), (38, 0.99), (31, 0.96), (12, 0)])
def test_a_crowd_near_the_threshold(own, kept):
    """Pages whose similarity is .80, .816 or .844 stay, and those of .93 go."""
    rows = list(enumerate(pages_of_a_site(3000, 340, own)))
    left = len(kept_by_the_rule(rows)) / len(rows)
    assert left >= kept if kept else left < 0.01


@pytest.mark.parametrize("changed, recall", [(24, 0.94), (19, 0.99)])
def test_versions_of_a_text(changed, recall):
    """They resemble the text by .868 or .89, and each other less."""
    rows = list(enumerate(versions(50, 40, changed)))
    assert len(rows) - len(kept_by_the_rule(rows)) >= recall * (len(rows) - 50)


def test_texts_that_are_all_alike():
    """Forty of each kind, any two with a similarity of .89: too few to be a crowd, and close enough."""
    site = pages_of_a_site(1600, 373, 23)
    rows = [(i, text.replace(" t", f" t{i % 40}x")) for i, text in enumerate(site)]
    assert len(rows) - len(kept_by_the_rule(rows)) >= 0.97 * (len(rows) - 40)


def test_copies_in_a_crowd_are_duplicates():
    """Also those of late pages, whose keys others hold."""
    site = pages_of_a_site(1500)
    copies = list(enumerate(site + site[1000:1200]))
    assert originals_by_the_rule(copies) == {1500 + i: 1000 + i for i in range(200)}


def test_verdicts_are_nearly_those_of_the_program(tmp_path):
    for seed in range(3):
        rows = generated(3000, seed)
        differ = set(kept_by_the_rule(rows)) ^ set(kept_by_the_program(tmp_path, rows))
        assert len(differ) <= 0.005 * len(rows)


def test_a_chain_is_not_followed():
    """Each text is like the one before, and unlike the first. The original that is named is near, since the members of
    a group speak for the row that they are near copies of, and not for all that were removed before."""
    words = [f"w{i}" for i in range(400)]
    rows = [(0, " ".join(words))]
    for i in range(1, 60):
        words[(37 * i) % 400] = f"changed{i}"
        rows.append((i, " ".join(words)))
    found = originals_by_the_rule(rows)
    assert max(i - original for i, original in found.items()) < 16 and len(found) > 50


def test_one_vote_is_a_vote_of_any_row(tmp_path):
    rows = generated(2000, 5)
    one = ["--votes", "1", "--bands", "14", "--rows", "9"]
    assert kept_by_the_rule(rows, options=one) == kept_by_the_program(tmp_path, rows, "--fp-rate", "1e-14", *one)


def test_a_row_is_compared_with_earlier_ones_alone():
    """So verdicts are the same whatever comes later, as days need it."""
    rows = generated(1500, 6)
    all_of = originals_by_the_rule(rows)
    assert {i: o for i, o in all_of.items() if i < 700} == originals_by_the_rule(rows[:700])


def test_numbers_of_the_rule():
    v = Votes(bands=32, needed=8)
    assert (v.strong, v.uncommon, v.plenty) == (12, 2, 16)
    assert Votes(14, 1).uncommon == 0 and Votes(5, 5).strong == 5
    assert [v.supports(votes, votes + 8, 3) for votes in (7, 8, 10, 12)] == [False, False, True, True]
    assert not v.supports(11, 11 + 1, 2)
