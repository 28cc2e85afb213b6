"""Runs with a name, which a scheduler can give again."""

import datetime
import fcntl
import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest

import mithril_stream
import mithril_stream.dedup as dedup

SETTINGS = [{"memory": "exact"}, {"memory": "bloom"}, {"method": "dclm"}, {"options": ["--sketch", "fracminhash"]}]


class Failed(Exception):
    """What is to be stored cannot be."""


def rows_of(texts):
    return [{"id": f"a{i}", "lang": "en", "text": text} for i, text in enumerate(texts)]


def command(*args):
    """Run the program, and return what it prints."""
    return subprocess.run([mithril_stream.find_program(), *args], check=True, capture_output=True, text=True).stdout


def day(index, run, texts, how, **settings):
    """What one of the ways to remember documents has kept: positions."""
    with dedup.Deduplicator(index=index, run=run, **settings) as d:
        match how:
            case "deduplicate":
                return d.deduplicate(texts).keep
            case "ids":
                return [int(id[1:]) for id in d.deduplicate(rows_of(texts), id="id").keep]
            case "unique":
                numbered = ({"n": n, "text": text} for n, text in enumerate(texts))
                return [doc["n"] for doc in d.unique(numbered, batch_size=37)]
            case "add":
                return [n for n, text in enumerate(texts) if not d.add(text)]
            case "add_many":
                return [n for n, found in enumerate(d.add_many(texts)) if not found]
            case "duplicates":
                return [n for n, found in enumerate(d.duplicates(texts)) if not found["is_duplicate"]]


HOWS = ["deduplicate", "ids", "unique", "add", "add_many", "duplicates"]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("how", HOWS)
def test_a_run_is_repeated(texts, settings, how, tmp_path):
    index, names = tmp_path / "seen", how == "ids"
    if not names:
        with dedup.Deduplicator(index=index, **settings) as d:  # what is no run
            d.deduplicate(texts[:100])
    first = day(index, "monday", texts[50:300], how, **settings)
    assert 60 < len(first) < 250
    other = "deduplicate" if not names else "ids"
    if not names:
        second = day(index, "tuesday", texts[250:400], other, **settings)
        assert day(index, "tuesday", texts[250:400], other, **settings) == second
    for _ in range(2):  # after a later run, too
        assert day(index, "monday", texts[50:300], how, **settings) == first
    if not names:
        for way in set(HOWS) - {"ids"}:  # whichever way they come
            assert day(index, "monday", texts[50:300], way, **settings) == first


def test_a_task_that_stores_nothing_gets_the_same_rows(texts, tmp_path):
    """What a scheduler does: the first attempt fails after the commit."""
    rows, stored = rows_of(texts[:200]), []

    def task(fail):
        with dedup.Deduplicator(index=tmp_path / "seen", run="2026-11-28") as d:
            result = d.deduplicate(rows, id="id")
        if fail:
            raise Failed
        stored.append(result)

    for fail in (True, True, False, False):
        try:
            task(fail)
        except Failed:
            assert fail
    assert stored[0][:3] == stored[1][:3] and len(stored[0].keep) > 100 and stored[0].clusters


def test_what_is_known_of_originals_is_repeated(texts, tmp_path):
    index = tmp_path / "seen"

    def told(run, docs):
        with dedup.Deduplicator(index=index, run=run) as d:
            said = d.duplicates(docs)
            return said, d.clusters(), d.add(docs[0]), len(d.stats)

    first = told("a", texts[:100])
    told("b", texts[90:200])
    assert told("a", texts[:100]) == first
    assert command("index", "inspect", index).count(" yes ") == 2


def test_one_line(texts, tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"text": texts[:300], "n": range(300)}, index=range(1000, 1300))
    index, want = tmp_path / "seen", dedup.deduplicate(frame)
    for run in ("2026-11-28", datetime.date(2026, 11, 28)):
        assert dedup.deduplicate(frame, index=index, run=run).equals(want)
    assert len(dedup.deduplicate(frame, index=index, run="later")) == 0
    assert dedup.deduplicate(frame, index=index, run="2026-11-28").equals(want)
    # the program goes on with it
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": texts[0]}) + "\n")
    command("--index", index, "-q", "-o", tmp_path / "out", tmp_path / "in.jsonl")
    assert (tmp_path / "out").read_text() == ""


def test_one_line_with_originals(texts, tmp_path):
    index = tmp_path / "seen"
    for _ in range(2):
        found = dedup.duplicates(texts[:90], index=index, run="a")
        assert [i for i, f in enumerate(found) if not f["is_duplicate"]] == [i for i in range(90) if i % 3 != 2]
        assert found[2]["duplicate_of"] == 1
    all_rows = dedup.deduplicate(texts[60:120], annotate=True, index=index, run="b", memory="exact")
    assert all_rows[0]["duplicate_of"] == 60 and not all_rows[-2]["is_duplicate"]


@pytest.mark.parametrize("change", ["more", "fewer", "none", "order", "one word"])
def test_other_documents_are_refused_by_name(texts, change, tmp_path):
    index, docs = tmp_path / "seen", texts[:150]
    others = {
        "more": texts[:151], "fewer": texts[:149], "none": [], "order": docs[1:] + docs[:1],
        "one word": [*docs[:80], docs[80] + " more", *docs[81:]],
    }[change]  # fmt: skip
    first = day(index, "a", docs, "deduplicate")
    with pytest.raises(mithril_stream.MithrilError, match=r'the run "a" \(run 1, .*, 150 records\) is repeated, whose texts'):
        day(index, "a", others, "deduplicate")
    with pytest.raises(mithril_stream.MithrilError, match="whose texts were others"):
        dedup.duplicates(others, index=index, run="a")
    assert day(index, "a", docs, "deduplicate") == first
    with dedup.Deduplicator(index=index) as d:
        assert len(d) == 150


def test_what_is_not_committed_is_no_run(texts, tmp_path):
    index = tmp_path / "seen"
    with pytest.raises(Failed), dedup.Deduplicator(index=index, run="a") as d:
        d.deduplicate(texts[:100])
        raise Failed
    assert day(index, "a", texts[50:100], "deduplicate") == dedup_alone(texts[50:100])


def dedup_alone(texts):
    with dedup.Deduplicator() as d:
        return d.deduplicate(texts).keep


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_around_the_commit(texts, when, tmp_path):
    """Whether the index had the run or not when the process was killed, the next attempt gets all rows."""
    script = f"""
        import json, os, signal, sys
        import mithril_stream.dedup as dedup
        d = dedup.Deduplicator(index="seen", run="a")
        d.deduplicate(json.load(sys.stdin))
        if {when == "after"}:
            d.save()
        os.kill(os.getpid(), signal.SIGKILL)
    """
    killed = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], input=json.dumps(texts[:200]), text=True, cwd=tmp_path
    )
    assert killed.returncode == -signal.SIGKILL
    with open(tmp_path / "seen" / "LOCK") as lock:  # the program that it had started ends a moment later
        fcntl.flock(lock, fcntl.LOCK_EX)
    assert day(tmp_path / "seen", "a", texts[:200], "deduplicate") == dedup_alone(texts[:200])


def test_a_run_that_was_taken_back_is_new(texts, tmp_path):
    index = tmp_path / "seen"
    day(index, "a", texts[:100], "deduplicate")
    day(index, "b", texts[100:200], "deduplicate")
    command("index", "undo", index)
    assert day(index, "b", texts[100:150], "deduplicate") == dedup_alone(texts[100:150])
    assert day(index, "a", texts[:100], "deduplicate") == dedup_alone(texts[:100])


def test_documents_that_were_deleted_since(texts, tmp_path):
    index = tmp_path / "seen"
    first = day(index, "a", texts[:60], "ids")
    with dedup.Deduplicator(index=index) as d:
        d.remove("a1", "a2")
    command("index", "compact", index)
    with dedup.Deduplicator(index=index, run="a") as d:
        result = d.deduplicate(rows_of(texts[:60]), id="id")
    assert [int(id[1:]) for id in result.keep] == first


def test_a_run_compares_with_another_index(texts, tmp_path):
    day(tmp_path / "blocked", None, texts[:50], "deduplicate")
    against = {"options": ["--against", os.fspath(tmp_path / "blocked")]}
    first = day(tmp_path / "seen", "a", texts[40:100], "deduplicate", **against)
    assert first[0] == 11  # texts[50] is like texts[49]
    day(tmp_path / "blocked", None, texts[60:100], "deduplicate")  # it may change
    assert day(tmp_path / "seen", "a", texts[40:100], "deduplicate", **against) == first
    with pytest.raises(mithril_stream.MithrilError, match="give the same options, or another name"):
        day(tmp_path / "seen", "a", texts[40:100], "deduplicate")


def test_within_is_of_the_run(texts, tmp_path):
    rows = [{"lang": "en" if i % 2 else "de", "text": text} for i, text in enumerate(texts[:90])]
    first = dedup.deduplicate(rows, within="lang", index=tmp_path / "seen", run="a")
    assert first == dedup.deduplicate(rows, within="lang") == dedup.deduplicate(rows, within="lang", index=tmp_path / "seen", run="a")
    rows[89]["lang"] = "fr"
    with pytest.raises(mithril_stream.MithrilError, match="whose texts were others"):
        dedup.deduplicate(rows, within="lang", index=tmp_path / "seen", run="a")


def test_a_run_has_no_answer_that_could_not_be_repeated(texts, tmp_path):
    with dedup.Deduplicator(index=tmp_path / "seen", run="a") as d:
        d.add(texts[0])
        calls = [
            lambda: d.is_duplicate(texts[0]), lambda: texts[0] in d, lambda: d.near(texts[0]), lambda: d.similar(texts[0]),
            lambda: d.remove(0), lambda: d.unseen(), lambda: d.deduplicate_file("x.jsonl"),
        ]  # fmt: skip
        for call in calls:
            with pytest.raises(ValueError, match="ask another object, without run="):
                call()
        d.save()
        for call in (lambda: d.add(texts[1]), lambda: d.deduplicate(texts), lambda: list(d.unique(texts))):
            with pytest.raises(ValueError, match="the run 'a' was committed"):
                call()
        d.save()


def test_settings_of_runs(tmp_path):
    index = tmp_path / "seen"
    with pytest.raises(ValueError, match="index and run go together"):
        dedup.deduplicate(["a"], index=index)
    with pytest.raises(ValueError, match="index and run go together"):
        dedup.duplicates(["a"], run="a")
    with pytest.raises(ValueError, match="are about groups of these rows alone"):
        dedup.deduplicate(["a"], index=index, run="a", keep="last")
    with pytest.raises(ValueError, match="needs index="):
        dedup.Deduplicator(run="a")
    with pytest.raises(ValueError, match="run is empty"):
        dedup.Deduplicator(index=index, run="")
    with pytest.raises(TypeError, match="the same when the task is run again"):
        dedup.Deduplicator(index=index, run=datetime.datetime(2026, 11, 28, 3, 4))
    with pytest.raises(ValueError, match="run does not go with --read-only"):
        dedup.deduplicate(["a"], index=index, run="a", options=["--read-only"])


@pytest.mark.parametrize("option", [["--index", "x"], ["--index=x"], ["--run", "x"], ["--listen", "x"], ["--within=x"]])
def test_options_that_are_arguments(option):
    """They are refused wherever options are taken: none is accepted and does nothing."""
    from mithril_stream import minhash

    for call in (
        lambda: dedup.deduplicate(["a"], options=option), lambda: dedup.duplicates(["a"], options=option),
        lambda: dedup.Deduplicator(options=option), lambda: minhash.signatures(["a"], options=option),
        lambda: minhash.band_keys(["a"], options=option),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"options has {option[0].split('=')[0]}: "):
            call()
