"""Spark, on a cluster of its own: a master and two workers on loopback."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading

import pytest

from mithril_stream._program import find_program

if not os.environ.get("CI"):
    pytest.importorskip("pyspark")
import numpy as np  # noqa: E402
import pyspark  # noqa: E402
from pyspark.sql import DataFrameWriter  # noqa: E402

import mithril_stream.spark  # noqa: E402
from mithril_stream._votes import Votes  # noqa: E402
from mithril_stream.spark import _blocks, _joins, _leaders, _packed, _verdicts  # noqa: E402
from mithril_stream.spark._components import roots  # noqa: E402
from mithril_stream.spark._kept import Cache  # noqa: E402
from mithril_stream.spark.submit import main  # noqa: E402
from cluster import (  # noqa: E402
    ONE,
    PARTS,
    SEEDS_OF_LEADERS,
    VALUED,
    WITHIN,
    Killer,
    always,
    by_the_rule,
    check_other_settings,
    check_parts,
    check_refused,
    check_verdicts,
    components,
    groups_by_the_program,
    kept_by_the_program,
    kept_by_the_rule,
    leaders,
    originals_by_the_rule,
    skewed,
    valued,
)
from pages import examples, run  # noqa: E402
from rule import candidates, judged, originals  # noqa: E402


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a master whose two workers have registered."""
    home, port = os.path.dirname(pyspark.__file__), free_port()
    directory = tmp_path_factory.mktemp("spark")
    url = f"spark://127.0.0.1:{port}"
    env = {**os.environ, "SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    package = "org.apache.spark.deploy"
    daemons = [["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]] + [
        ["worker.Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0", "-d", str(directory / f"w{i}"), url]
        for i in range(2)
    ]
    children = []
    try:
        for i, args in enumerate(daemons):
            child = subprocess.Popen(
                [f"{home}/bin/spark-class", f"{package}.{args[0]}", *args[1:]],
                env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
            )  # fmt: skip
            children.append(child)
            wanted = "I have been elected leader" if i == 0 else "Successfully registered with master"
            for line in child.stderr:
                if wanted in line:
                    break
            else:
                pytest.fail(f"{args[0]} has ended")
            threading.Thread(target=child.stderr.read, daemon=True).start()  # it must not wait for a reader
        yield url
    finally:
        for child in reversed(children):
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


@pytest.fixture(scope="module")
def spark(cluster, request):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master(cluster)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.executor.memory", "900m")
    )
    if not request.config.getoption("--thorough"):
        # Spark compiles Java for each query, which takes far longer than to interpret these small ones.
        session.config("spark.sql.codegen.wholeStage", "false").config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    session = session.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def df(spark, rows):
    shuffled = random.Random(1).sample(rows, len(rows))
    return spark.createDataFrame(shuffled, "id long, text string").repartition(5).persist()


def ids(frame, column="id"):
    return sorted(row[0] for row in frame.select(column).collect())


def test_verdicts_follow_the_rule(df, rows, tmp_path):
    kept = ids(mithril_stream.spark.deduplicate(df, order="id"))
    assert kept == kept_by_the_rule(rows)
    assert 2500 < len(kept) < 5000
    one = ids(mithril_stream.spark.deduplicate(df, order="id", options=ONE))
    assert one == kept_by_the_program(tmp_path, rows, "--fp-rate", "1e-14", *ONE)
    other = ids(mithril_stream.spark.deduplicate(df, order="id", threshold=0.6, preset=None))
    assert other == kept_by_the_rule(rows, threshold=0.6)
    assert len({len(kept), len(one), len(other)}) == 3


def tables_by_address(sent, rng):
    """What the tasks of each address receive, in any order."""
    import pyarrow as pa

    there = pa.concat_tables(sent)
    there = there.take(pa.array(rng.sample(range(there.num_rows), there.num_rows), pa.int64()))
    to = np.array(there.column("to").to_pylist())
    return {address: there.filter(pa.array(to == address)) for address in np.unique(to).tolist()}


@pytest.mark.parametrize("seed", range(25))
def test_votes_follow_the_rule(seed, monkeypatch):
    """All that tasks do, in this process, with few different keys and small pieces."""
    import pyarrow as pa

    monkeypatch.setattr(_packed, "PIECE", 64)
    rng = random.Random(seed)
    votes, n = Votes(rng.choice([1, 3, 8]), rng.choice([1, 2, 3])), rng.randrange(1, 60)
    positions, day = rng.sample(range(-1000, 1000), n), rng.choice([None, "a"])
    places = _packed.Places(_packed.addresses(rng.choice([1, 3, 70])), day, 100)
    some = [rng.randrange(0, 1 << 63, 2) for _ in range(rng.choice([2, 6]))]
    keys = {p: [rng.choice(some) ^ (band << 40) for band in range(votes.bands)] for p in positions}
    keys = {p: [*k, hash(tuple(k)) % (1 << 63) | 1] for p, k in keys.items()}
    sent, size = [], rng.choice([1, 4, 20, 100])
    for number, start in enumerate(range(0, n, size)):
        own = sorted(positions[start : start + size])
        of_own = np.array([keys[p] for p in own], "<u8")
        parcels = _blocks.of_block(pa.array(own), of_own, _packed.address(number, number, 7), places)
        sent.append(_packed.sent(parcels))
    received = tables_by_address(sent, rng)
    of_kind = lambda tables, *kinds: {  # noqa: E731
        to: table for to, table in tables.items() if set(table.column("kind").to_pylist()) & set(kinds)
    }
    held = [_blocks.hold(places)(table) for table in of_kind(received, _packed.KEYS).values()]
    own, replies = of_kind(received, _packed.MEMBERS), tables_by_address(held, rng)
    none = held[0].slice(0, 0)
    support = [_blocks.support(votes, places)(own[to], replies.get(to, none)) for to in own]
    asked = tables_by_address(support, rng)
    asking = of_kind(asked, _packed.SUPPORT, _packed.WANTED)
    answers = tables_by_address([none, *map(_blocks.answer, asking.values())], rng)
    pairs = judged(keys, votes)
    for expected, best in (originals(pairs), True), (pairs, False):
        got = {}
        for to in of_kind(asked, _packed.MEMBERS):
            for row in _blocks.judge(votes, places, best)(asked[to], answers.get(to, none)).to_pylist():
                assert row["day"] == day
                one = {row["position"]: (row["at"], row["votes"])} if best else {(row["position"], row["at"]): row["votes"]}
                got.update(one)
        assert got == expected
    candidates_of = _blocks.candidates(places)
    found = [candidates_of(own[to], replies.get(to, none)).to_pylist() for to in own]
    assert sorted((row["position"], row["at"]) for rows in found for row in rows) == candidates(keys)


@pytest.mark.parametrize("parts, memory", PARTS)
def test_all_verdicts(spark, rows, parts, memory):
    def judged(some, parts, memory):
        frame = spark.createDataFrame(some, "id long, text string").repartition(parts)
        out = mithril_stream.spark.deduplicate(frame, order="id", annotate=True, memory=memory)
        return out.select("id", "mithril_duplicate", "mithril_duplicate_of", "mithril_similarity").collect()

    check_verdicts(rows[:1500], parts, memory, judged)


@pytest.mark.parametrize("size", always(1, 40, 1 << 17))
def test_hard_rows(spark, hard_rows, monkeypatch, size):
    """Also if the rows of a partition are several blocks."""
    want = originals_by_the_rule(hard_rows)
    assert 10 < len(want) < 40
    frame = spark.createDataFrame(hard_rows[::-1], "id long, text string").repartition(3)
    monkeypatch.setattr(_verdicts, "ROWS_OF_A_BLOCK", size)
    out = mithril_stream.spark.deduplicate(frame, order="id", annotate=True).where("mithril_duplicate").collect()
    assert {r.id: r.mithril_duplicate_of for r in out} == want


def test_exact_verdicts_are_those_of_the_program(spark, rows, hard_rows, tmp_path):
    """Also day after day."""
    some = rows[:1500]
    for those in some, hard_rows:
        frame = spark.createDataFrame(those[::-1], "id long, text string").repartition(3)
        out = mithril_stream.spark.deduplicate(frame, order="id", annotate=True, memory="exact").collect()
        out = {r.id: r.asDict() for r in out}
        kept = sorted(i for i, r in out.items() if not r["mithril_duplicate"])
        assert kept == kept_by_the_program(tmp_path, those, "--memory", "exact") and len(kept) < len(those)
        for r in out.values():
            similar = r["mithril_similarity"]
            assert similar >= 0.85 if r["mithril_duplicate"] else similar is None
    kept, index = [], str(tmp_path / "index")
    for n in range(3):
        frame = spark.createDataFrame(some[500 * n : 500 * n + 500], "id long, text string")
        kept += ids(mithril_stream.spark.deduplicate(frame, order="id", memory="exact", index=index, day=f"{n}"))
    assert kept == kept_by_the_program(tmp_path, some, "--memory", "exact")
    with pytest.raises(ValueError, match="other settings"):
        mithril_stream.spark.deduplicate(frame, order="id", index=index, day="4")
    frame = spark.createDataFrame(some, "id long, text string")
    groups = dict(mithril_stream.spark.groups(frame, order="id", memory="exact").select("id", "mithril_group").collect())
    assert {group for group in groups.values()} <= set(kept)
    with pytest.raises(ValueError, match="memory must be one of bloom, exact, not '/tmp': the directory"):
        mithril_stream.spark.deduplicate(frame, order="id", memory="/tmp")


@pytest.mark.thorough
def test_exact_verdicts_within_values_are_those_of_the_program(spark, rows, tmp_path):
    marked = valued(rows[:600])
    kinds = ", ".join(f"{name} {kind}" for name, kind in VALUED.items())
    frame = spark.createDataFrame(marked, f"id long, text string, {kinds}")
    kept = ids(mithril_stream.spark.deduplicate(frame, order="id", memory="exact", within="lang"))
    assert kept == kept_by_the_program(tmp_path, marked, "--memory", "exact", "--within", "lang")


@pytest.mark.parametrize("within", WITHIN)
def test_verdicts_within_values_are_those_of_the_program(spark, rows, tmp_path, within):
    some = valued(rows[:1500])
    kinds = ", ".join(f"{name} {kind}" for name, kind in VALUED.items())
    frame = spark.createDataFrame(some, f"id long, text string, {kinds}").repartition(3).persist()
    kept = ids(mithril_stream.spark.deduplicate(frame, order="id", within=within, options=ONE))
    assert kept == kept_by_the_program(tmp_path, some, "--fp-rate", "1e-14", "--within", within, *ONE)
    assert len(kept_by_the_program(tmp_path, some, "--fp-rate", "1e-14", *ONE)) < len(kept) < 1500
    if within == "lang":
        values = {row[0]: row[2] for row in some}
        for row in mithril_stream.spark.groups(frame, order="id", within=within).collect():
            assert values[row.id] == values[row.mithril_group]


def test_keys_within_values(spark):
    rows = [(1, ("one text of some words", "de")), (2, ("one text of some words", "en")),
            (3, ("one text of some words", "de")), (4, (None, "de"))]  # fmt: skip
    frame = spark.createDataFrame(rows, "id long, meta struct<text: string, lang: string>")
    keys = dict(mithril_stream.spark.sketch(frame, "meta.text", within="meta.lang").select("id", "mithril_keys").collect())
    assert keys[1] == keys[3] and not set(map(bytes, keys[1])) & set(map(bytes, keys[2])) and keys[4] is None


def test_what_is_no_column_to_compare_within_is_refused(spark):
    frame = spark.sql("select 1 as id, 'a b' as text, 1.5 as half, array(1) as list, date'2026-11-22' as day")
    for function in (mithril_stream.spark.deduplicate, mithril_stream.spark.groups, mithril_stream.spark.sketch):
        order = {} if function is mithril_stream.spark.sketch else {"order": "id"}
        with pytest.raises(ValueError, match="no column 'lang' for within=: there are "):
            function(frame, within="lang", **order)
        for name in "half", "list", "day":
            with pytest.raises(ValueError, match=f"within '{name}' has values of type .*: give a column of strings"):
                function(frame, within=name, **order)
        with pytest.raises(TypeError, match="within must be the name of a column"):
            function(frame, within=3, **order)


def test_order_may_be_of_several_columns(spark, rows):
    some = [(i % 7, f"{i:05}", text) for i, text in rows[:900]]
    frame = spark.createDataFrame(some, "a int, b string, text string").repartition(3)
    expected = sorted(some, key=lambda r: r[:2])
    numbered = spark.createDataFrame([(i, r[2]) for i, r in enumerate(expected)], "id long, text string")
    want = [expected[i][1] for i in ids(mithril_stream.spark.deduplicate(numbered, order="id"))]
    assert ids(mithril_stream.spark.deduplicate(frame, order=["a", "b"]), "b") == sorted(want)


@pytest.mark.parametrize("kind", always(3, "int", "timestamp", "string", "date"))
def test_order_of_any_type(spark, kind):
    frame = spark.sql(
        f"select case when '{kind}' = 'string' then 0 else 0 end as x, "
        + {"int": "cast(id as int)", "date": "date_add(date'1969-12-30', id)", "string": "lpad(id, 3, '0')",
           "timestamp": "timestamp_micros(id * 1000001 - 3)"}[kind]  # fmt: skip
        + " as at, concat('some text of many words, the number ', cast(id div 2 as string), ' of them all') as text "
        "from (select cast(id as int) as id from range(8))"
    )
    out = mithril_stream.spark.deduplicate(frame, order="at", annotate=True).orderBy("at").collect()
    assert [r.mithril_duplicate for r in out] == [False, True] * 4
    assert [r.mithril_duplicate_of for r in out[1::2]] == [r.at for r in out[::2]]


def test_names_of_columns(spark, rows):
    """A text inside a struct, and columns whose names look like paths."""
    frame = spark.createDataFrame([(i, (t,)) for i, t in rows[:60]], "`a.b` long, meta struct<text: string>")
    want = ids(mithril_stream.spark.deduplicate(spark.createDataFrame(rows[:60], "id long, text string"), order="id"))
    out = mithril_stream.spark.deduplicate(frame, "meta.text", order="a.b", annotate=True)
    assert ids(out.where("not mithril_duplicate"), "`a.b`") == want and out.columns[:2] == ["a.b", "meta"]
    assert mithril_stream.spark.groups(frame, "meta.text", order="a.b").columns == ["a.b", "meta", "mithril_group"]
    plain = frame.withColumnRenamed("a.b", "id")  # mapInArrow of PySpark takes no name that looks like a path
    assert mithril_stream.spark.sketch(plain, "meta.text").where("mithril_keys is not null").count() > 40


def test_annotations_name_the_original(df, rows):
    out = {r.id: r for r in mithril_stream.spark.deduplicate(df, order="id", annotate=True).collect()}
    assert len(out) == len(rows) and set(out[0].asDict()) == {
        "id", "text", "mithril_duplicate", "mithril_duplicate_of", "mithril_duplicate_day", "mithril_similarity",
    }  # fmt: skip
    texts = dict(rows)
    for r in out.values():
        assert r.text == texts[r.id]
        if r.mithril_duplicate:
            assert r.mithril_duplicate_of < r.id and 0 < r.mithril_similarity <= 1
        else:
            assert r.mithril_duplicate_of is None
    copies = [out[i] for i in range(5, len(rows), 6)]  # all have the same text
    assert {r.mithril_duplicate_of for r in copies[1:]} == {5} and not copies[0].mithril_duplicate


def test_sketches_are_those_of_the_program(df, rows):
    import numpy as np

    from mithril_stream.minhash import band_keys

    out = dict(mithril_stream.spark.sketch(df, threshold=0.7).select("id", "mithril_keys").collect())
    some = rows[:200]
    want = band_keys(
        [t or "" for _, t in some], num_permutations=256, options=["--memory", "bloom", "--threshold", "0.7"]
    )
    for (i, text), keys in zip(some, want):
        expected = [k.astype(">u8").tobytes() for k in keys] if keys.any() else None
        assert (out[i] and [bytes(k) for k in out[i]]) == expected
    assert np.any(want)


@pytest.mark.parametrize("seed", always(1, 1, 0, 2))
def test_components(spark, seed):
    rng = random.Random(seed)
    n = 60
    edges = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.choice([0, 20, 45]))]
    edges += [(i, i + 1) for i in range(20, 40)] if seed == 1 else []  # a long chain
    frame = spark.createDataFrame(edges, "a long, b long")
    got = {a: root for a, root in roots(frame, Cache()).collect()}
    assert got == {i: root for i, root in enumerate(components(n, edges)) if i != root}


def test_groups_are_what_pairs_join(df, rows):
    out = dict(mithril_stream.spark.groups(df, order="id").select("id", "mithril_group").collect())
    pairs = by_the_rule(rows)
    assert out == dict(enumerate(components(len(rows), pairs)))
    assert set(out.values()) <= set(kept_by_the_rule(rows)) and len(pairs) > 1000


@pytest.mark.parametrize("seed, few", SEEDS_OF_LEADERS)
def test_leaders(spark, seed, few, monkeypatch):
    """Decided by the driver, and in rounds."""
    monkeypatch.setattr(_leaders, "FEW", few)
    rng, n = random.Random(seed), 60
    edges = {(rng.randrange(n), rng.randrange(n)) for _ in range((0, 40, 90)[seed])}
    edges |= {(i, i + 1) for i in range(20, 26)} if seed == 1 else set()  # a chain
    edges = [(max(e), min(e)) for e in edges if e[0] != e[1]]
    got = list(range(n))
    for row, leader in _leaders.leaders(spark.createDataFrame(edges, "a long, b long"), Cache()).collect():
        got[row] = leader
    assert got == leaders(n, edges)


def test_groups_of_leaders(spark, rows, tmp_path):
    """With the exact memory they are those of the program. Positions are structs."""
    some = rows[:1000]
    frame = spark.createDataFrame([(*row, "x") for row in some], "id long, text string, kind string").repartition(3)
    how = {"order": ["kind", "id"], "memory": "exact", "linkage": "leader"}
    out = dict(mithril_stream.spark.groups(frame, **how).select("id", "mithril_group.id").collect())
    assert out == groups_by_the_program(tmp_path, some, "--linkage", "leader") and len(set(out.values())) < 800
    with pytest.raises(ValueError, match="linkage must be one of single, leader, not 'complete'"):
        mithril_stream.spark.groups(frame, order="id", linkage="complete")


def test_a_day_of_other_settings_is_refused(spark, rows, tmp_path):
    frame = spark.createDataFrame(rows[:500], "id long, text string")
    check_other_settings(
        tmp_path,
        lambda day, **settings: ids(
            mithril_stream.spark.deduplicate(frame, order="id", index=str(tmp_path), day=day, **settings)
        ),
    )


def test_days(spark, rows, tmp_path):
    frames = [
        spark.createDataFrame(rows[start : start + 2000], "id long, text string") for start in range(0, 6000, 2000)
    ]
    memory = str(tmp_path / "memory")
    kept = []
    for n, frame in enumerate(frames):
        out = mithril_stream.spark.deduplicate(frame, order="id", index=memory, day=f"day{n}", annotate=True)
        kept.append(ids(out.where("not mithril_duplicate")))
        if n == 1:
            earlier = out.where("mithril_duplicate_day = 'day0'").collect()
            assert len(earlier) > 300 and all(r.mithril_duplicate_of < 2000 for r in earlier)
    assert sum(kept, []) == kept_by_the_rule(rows)
    # a day that is given again is done again
    again = mithril_stream.spark.deduplicate(frames[1], order="id", index=memory, day="day1")
    assert ids(again) == kept[1]
    # other rows for it are refused, and have forgotten nothing; as a part of it they are compared with it
    with pytest.raises(ValueError, match="other rows of the day 'day1', which would be forgotten: .* part='b'"):
        mithril_stream.spark.deduplicate(frames[2], order="id", index=memory, day="day1")
    late = mithril_stream.spark.deduplicate(frames[1], order="id", index=memory, day="day1", part="b")
    assert not any((dict(rows)[id] or "").strip(" .") for id in ids(late))  # those without a text stay
    # what a job has left that failed does not count
    (tmp_path / "memory" / "day=day2" / "_SUCCESS").unlink()
    third = mithril_stream.spark.deduplicate(frames[2], order="id", index=memory, day="day3")
    assert ids(third) == kept[2]
    with pytest.raises(ValueError, match="name of a day"):
        mithril_stream.spark.deduplicate(frames[0], order="id", index=memory, day="a/b")
    with pytest.raises(ValueError, match="go together"):
        mithril_stream.spark.deduplicate(frames[0], order="id", index=memory)


def test_days_of_an_order_of_several_columns(spark, rows, tmp_path):
    """Positions are structs of fields with any names, in what later days read, too."""
    some = [(i // 100, f"{i:05}", text) for i, text in rows[:900]]
    kept = []
    for n in range(3):
        frame = spark.createDataFrame(some[300 * n : 300 * n + 300], "`the n` int, `a.b` string, text string")
        how = {"order": ["the n", "a.b"], "index": str(tmp_path), "day": f"{n}", "annotate": True}
        out = mithril_stream.spark.deduplicate(frame, **how).where("not mithril_duplicate")
        kept += [int(id) for id in ids(out, "`a.b`")]
    assert kept == kept_by_the_rule(rows[:900])


def test_parts_of_a_day(spark, rows, tmp_path):
    def judged(some, day, part):
        frame = spark.createDataFrame(some, "id long, text string")
        how = {"index": str(tmp_path), "day": day, "part": part, "annotate": True}
        out = mithril_stream.spark.deduplicate(frame, order="id", **how).collect()
        return {r.id: (r.mithril_duplicate, r.mithril_duplicate_of, r.mithril_duplicate_day) for r in out}

    check_parts(rows[:1200], judged)
    with pytest.raises(ValueError, match="part='b' is a part of a day: give index and day"):
        mithril_stream.spark.deduplicate(spark.createDataFrame(rows[:1], "id long, text string"), order="id", part="b")


@pytest.mark.parametrize("memory", ["bloom", "exact"])
def test_a_failed_job_leaves_no_half_of_a_day(spark, rows, tmp_path, monkeypatch, memory):
    frames = [spark.createDataFrame(rows[start : start + 600], "id long, text string") for start in (0, 600)]
    how, write = {"order": "id", "index": str(tmp_path), "memory": memory}, DataFrameWriter.parquet
    want = ids(mithril_stream.spark.deduplicate(frames[1], order="id", memory=memory))

    def fail(writer, path, *args, **kwargs):
        if "/day=" in path:
            raise OSError("the disk is full")
        write(writer, path, *args, **kwargs)

    with monkeypatch.context() as broken:
        broken.setattr(DataFrameWriter, "parquet", fail)
        with pytest.raises(OSError, match="the disk is full"):
            mithril_stream.spark.deduplicate(frames[0], **how, day="a")
    there = "support=a" if memory == "bloom" else "sets=a"
    assert (tmp_path / there / "_SUCCESS").exists()
    out = mithril_stream.spark.deduplicate(frames[1], **how, day="b")
    assert ids(out) == want
    out = mithril_stream.spark.deduplicate(frames[1], **how, day="a")  # it has no rows yet
    assert ids(out) == want


def test_what_makes_no_sense_is_refused(spark, df):
    with pytest.raises(ValueError, match="does not tell rows apart: 2 rows have 1"):
        mithril_stream.spark.deduplicate(spark.createDataFrame([(1, "a"), (1, "b")], "id long, text string"), order="id")
    with pytest.raises(ValueError, match="is null in some rows"):
        mithril_stream.spark.deduplicate(spark.createDataFrame([(None, "a"), (1, "b")], "id long, text string"), order="id")
    with pytest.raises(ValueError, match="threshold must be between 0 and 1, got 7"):
        mithril_stream.spark.deduplicate(df, order="id", threshold=7)
    with pytest.raises(ValueError, match="options has --memory, which has no meaning on a cluster"):
        mithril_stream.spark.deduplicate(df, order="id", options=["--memory", "exact"])
    made = lambda rows, names: spark.createDataFrame(rows, list(names))  # noqa: E731
    check_refused(made, mithril_stream.spark.deduplicate, mithril_stream.spark.groups)
    with pytest.raises(ValueError, match="'id' is no column of strings"):
        mithril_stream.spark.sketch(df, "id")
    from pyspark.sql import functions as f

    numbered = df.select("text", f.monotonically_increasing_id().alias("n"))
    with pytest.raises(ValueError, match="order 'n' is monotonically_increasing_id"):
        mithril_stream.spark.deduplicate(numbered, order="n")
    window = "row_number() over (order by rand()) as n"
    for changing in ("uuid() as n", "cast(rand() * 1e15 as long) as n", window):
        other = df.selectExpr("text", changing, "rand() as score").selectExpr("text", "n as `the n`", "score", "1 as b")
        with pytest.raises(ValueError, match=r"order 'the n' is .*(uuid|rand|n).*, whose values are others when Spark"):
            mithril_stream.spark.groups(other, order=["b", "the n"])
    changing = mithril_stream.spark._checks.changing(df.selectExpr("id", "rand() as score", "id + 1 as next"))
    assert [name for name, _ in changing] == ["score"]


class OfConnect:
    """Stands for a data frame of Spark Connect, whose client is not installed."""


OfConnect.__module__ = "pyspark.sql.connect.dataframe"


def test_what_is_no_data_frame_of_spark_is_refused():
    import pandas

    for data, want in [
        (OfConnect(), "a data frame of Spark Connect, .* run the job in a classic session"),
        (pandas.DataFrame({"text": ["a"]}), r"pandas.DataFrame is no data frame of Spark: give spark.createDataFrame"),
        ([("a",)], "builtins.list is no data frame of Spark"),
    ]:
        for call in (mithril_stream.spark.deduplicate, mithril_stream.spark.groups):
            with pytest.raises(TypeError, match=want):
                call(data, order="id")
        with pytest.raises(TypeError, match=want):
            mithril_stream.spark.sketch(data)


def test_what_is_cached_is_released(spark, df):
    cached = lambda: spark.sparkContext._jsc.getPersistentRDDs().size()  # noqa: E731
    assert df.is_cached
    df.count()
    before = cached()
    unique = mithril_stream.spark.deduplicate(df, order="id")
    assert cached() == before + 1  # the verdicts
    kept = unique.count()
    mithril_stream.spark.release(unique)
    assert cached() == before and df.is_cached and unique.count() == kept
    grouped = mithril_stream.spark.groups(df, order="id")
    grouped.count()
    mithril_stream.spark.release(grouped)
    assert cached() == before
    with pytest.raises(ValueError, match="is not what deduplicate or groups has returned"):
        mithril_stream.spark.release(df)


def test_rows_reach_the_task_of_their_address(spark):
    """The addresses of many tasks are one for each, and those of many numbers too."""
    some = [*_packed.addresses(300), *(_packed.address(number, 300 - number, 300) for number in range(300))]
    frame = spark.createDataFrame([(i, address) for i, address in enumerate(some)], "i int, address long")
    got = frame.repartition(300, "address").selectExpr("i", "address", "spark_partition_id() as task").collect()
    want = {i: i if i < 300 else (300 - (i - 300)) % 300 for i in range(600)}
    assert {r.i: r.task for r in got} == want and len(set(some)) == 600


@pytest.mark.parametrize("piece", [1 << 17, 64])
def test_tables_that_are_sent(monkeypatch, piece):
    """They arrive as they were, in whatever order their pieces come."""
    import pyarrow as pa

    monkeypatch.setattr(_packed, "PIECE", piece)
    tables = [pa.table({"key": range(n, 2 * n), "at": [{"a": i, "b": f"{i}"} for i in range(n)]}) for n in (1, 40, 7)]
    sent = _packed.sent(_packed.Parcel(5, _packed.KEYS, -n, table) for n, table in enumerate(tables))
    assert (sent.num_rows > 3) == (piece < 1000)
    mixed = sent.take(pa.array(random.Random(1).sample(range(sent.num_rows), sent.num_rows)))
    got = _packed.received(mixed, _packed.KEYS)
    assert [(p.to, p.sender, p.table.to_pylist()) for p in got] == [(5, -n, tables[n].to_pylist()) for n in (2, 1, 0)]
    assert not _packed.received(mixed, _packed.REPLY)


def bytes_read(spark):
    """How many bytes each task of each stage has received from others, but for tasks that receive nothing."""
    context = spark.sparkContext
    lists, store = context._jvm.java.util.ArrayList, context._jsc.sc().statusStore()
    none = context._gateway.new_array(context._jvm.double, 0)
    stages, read = store.stageList(lists(), False, False, none, lists()), {}
    for i in range(stages.size()):
        stage = stages.apply(i)
        tasks = store.taskList(stage.stageId(), stage.attemptId(), 10_000)
        of = [tasks.apply(t).taskMetrics() for t in range(tasks.size())]
        there = [metrics.get().shuffleReadMetrics() for metrics in of if metrics.isDefined()]
        read[stage.stageId()] = sorted(n for n in (m.localBytesRead() + m.remoteBytesRead() for m in there) if n)
    return read


@pytest.mark.parametrize("within", always(1, None, "site"))
def test_skewed_rows(spark, within, monkeypatch):
    """A key of a template, a site with half of all rows, and a group of a tenth: no task gets more than its share,
    where rows are too many to go to all executors."""
    monkeypatch.setattr(_joins, "BROADCAST", 50)
    rows, before = skewed(4000), set(bytes_read(spark))
    pairs = by_the_rule(rows, within=within, values=[row[2] for row in rows] if within else None)
    spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    try:
        frame = spark.createDataFrame(rows, "id long, text string, site string").repartition(4)
        out = mithril_stream.spark.groups(frame, order="id", within=within).select("id", "mithril_group").collect()
    finally:
        spark.conf.unset("spark.sql.adaptive.coalescePartitions.enabled")
    assert dict(out) == dict(enumerate(components(len(rows), pairs))) and len(pairs) > 300
    large = [tasks for stage, tasks in bytes_read(spark).items() if stage not in before and sum(tasks) > 20_000]
    assert len(large) > 5 and all(max(tasks) <= 3 * tasks[len(tasks) // 2] for tasks in large), large


def test_an_executor_is_killed(spark, df, tmp_path):
    expected = ids(mithril_stream.spark.deduplicate(df, order="id"))
    with Killer("CoarseGrainedExecutorBackend") as killer:
        got = ids(mithril_stream.spark.deduplicate(df, order="id"))
    assert killer.killed and got == expected


def test_submit(cluster, spark, df, tmp_path):
    df = df.selectExpr("*", "id % 2 as half")
    df.write.parquet(str(tmp_path / "in"))
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "MITHRIL_STREAM_PROGRAM": find_program()}
    where = subprocess.run(
        [sys.executable, "-m", "mithril_stream.spark.submit", "--where"], check=True, capture_output=True, text=True
    ).stdout.strip()
    home = os.path.dirname(pyspark.__file__)
    subprocess.run(
        [f"{home}/bin/spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=false", where,
         "--order", "id", "--within", "half", "--no-check-order", "--memory", "exact",
         str(tmp_path / "in"), str(tmp_path / "out")],
        env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    want = ids(mithril_stream.spark.deduplicate(df, order="id", within="half", memory="exact"))
    assert ids(spark.read.parquet(str(tmp_path / "out"))) == want
    with pytest.raises(SystemExit):
        main(["in", "out"])


def test_the_readme_runs(df, rows):
    names = {"df": df}
    run(examples("python/README.md")[1], names)
    assert ids(names["unique"]) == kept_by_the_rule(rows)
