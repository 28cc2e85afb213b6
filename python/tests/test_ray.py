"""Ray, on a cluster of its own: two nodes on this machine."""

import datetime
import logging
import os
import random
import tempfile

import pytest

from mithril_stream._program import MithrilError

if not os.environ.get("CI"):
    pytest.importorskip("ray")
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import ray  # noqa: E402
import ray.data  # noqa: E402
from ray._private.utils import get_ray_address_file  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

import mithril_stream.ray  # noqa: E402
from mithril_stream._keys import keys_of_words, rule_of  # noqa: E402
from mithril_stream._votes import HOLDERS, Votes  # noqa: E402
from mithril_stream import _counts, _holders, _known, _positions  # noqa: E402
from mithril_stream.ray import _again, _components, _known as _tables, _leaders, _order, _sketch, _verdicts  # noqa: E402
from mithril_stream.ray._components import roots  # noqa: E402
from mithril_stream.ray._days import Days  # noqa: E402
from mithril_stream.ray._tasks import start  # noqa: E402
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
    generated,
    groups_by_the_program,
    kept_by_the_program,
    kept_by_the_rule,
    leaders,
    originals_by_the_rule,
    skewed,
    valued,
)
from pages import examples, run  # noqa: E402
from rule import judged, originals  # noqa: E402

NEW = ["mithril_duplicate", "mithril_duplicate_of", "mithril_duplicate_day", "mithril_similarity"]
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster():
    """Two nodes of one processor each, without a dashboard."""
    with tempfile.TemporaryDirectory(prefix="ray-") as directory:
        # Ray also writes where it looks for clusters by default, and does not make that directory
        os.makedirs(os.path.dirname(get_ray_address_file(None)), exist_ok=True)
        nodes = Cluster(initialize_head=True, head_node_args={**NODE, "temp_dir": directory})
        nodes.add_node(**NODE)
        ray.init(address=nodes.address, logging_level="error", log_to_driver=False)
        logging.getLogger("ray.data").setLevel("ERROR")
        yield nodes
        ray.shutdown()
        nodes.shutdown()


@pytest.fixture(autouse=True)
def many_ranges(monkeypatch):
    """Have few rows split as very many would be."""
    monkeypatch.setattr(_verdicts, "KEYS_OF_A_RANGE", 60_000)
    monkeypatch.setattr(_tables, "ROWS_OF_A_RANGE", 2500)


def dataset(rows, blocks, names=("id", "text")):
    """A dataset of rows, shuffled into so many blocks."""
    shuffled = random.Random(1).sample(rows, len(rows))
    return ray.data.from_arrow(
        [pa.table(list(map(pa.array, zip(*shuffled[i::blocks]))), names=list(names)) for i in range(blocks)]
    )


@pytest.fixture(scope="module")
def ds(cluster, rows):
    return dataset(rows, 4)


def ids(ds, column="id"):
    return sorted(row[column] for row in ds.select_columns([column]).take_all())


@pytest.mark.parametrize("parts, memory", PARTS)
def test_all_verdicts(cluster, rows, parts, memory):
    def judged(some, parts, memory):
        out = mithril_stream.ray.deduplicate(dataset(some, parts), order="id", annotate=True, memory=memory)
        names = "id", "mithril_duplicate", "mithril_duplicate_of", "mithril_similarity"
        return [tuple(row[name] for name in names) for row in out.take_all()]

    check_verdicts(rows[:1500], parts, memory, judged)


def test_verdicts_follow_the_rule(ds, rows, tmp_path):
    kept = ids(mithril_stream.ray.deduplicate(ds, order="id"))
    assert kept == kept_by_the_rule(rows)
    assert 2500 < len(kept) < 5000
    one = ids(mithril_stream.ray.deduplicate(ds, order="id", options=ONE))
    assert one == kept_by_the_program(tmp_path, rows, "--fp-rate", "1e-14", *ONE)
    other = ids(mithril_stream.ray.deduplicate(ds, order="id", threshold=0.6))
    assert other == kept_by_the_rule(rows, threshold=0.6)
    assert len({len(kept), len(one), len(other)}) == 3


def test_hard_rows(cluster, hard_rows, monkeypatch):
    monkeypatch.setattr(_verdicts, "KEYS_OF_A_RANGE", 3000)
    monkeypatch.setattr(_tables, "ROWS_OF_A_RANGE", 100)
    out = mithril_stream.ray.deduplicate(dataset(hard_rows, 3), order="id", annotate=True).take_all()
    want = originals_by_the_rule(hard_rows)
    assert {r["id"]: r["mithril_duplicate_of"] for r in out if r["mithril_duplicate"]} == want and 10 < len(want) < 40


def test_exact_verdicts_are_those_of_the_program(cluster, rows, hard_rows, tmp_path):
    """Also day after day, and of what is compared within values."""
    some = rows[:1500]
    for those in some, hard_rows:
        out = mithril_stream.ray.deduplicate(dataset(those, 3), order="id", annotate=True, memory="exact").take_all()
        out = {r["id"]: r for r in out}
        kept = sorted(i for i, r in out.items() if not r["mithril_duplicate"])
        assert kept == kept_by_the_program(tmp_path, those, "--memory", "exact") and len(kept) < len(those)
        for r in out.values():
            similar = r["mithril_similarity"]
            assert similar >= 0.85 if r["mithril_duplicate"] else similar is None
    kept, index = [], str(tmp_path / "index")
    for n in range(3):
        frame = dataset(some[500 * n : 500 * n + 500], 2)
        kept += ids(mithril_stream.ray.deduplicate(frame, order="id", memory="exact", index=index, day=f"{n}"))
    assert kept == kept_by_the_program(tmp_path, some, "--memory", "exact")
    with pytest.raises(ValueError, match="other settings"):
        mithril_stream.ray.deduplicate(frame, order="id", index=index, day="4")
    frame = dataset(some, 3)
    groups = mithril_stream.ray.groups(frame, order="id", memory="exact").take_all()
    groups = {r["id"]: r["mithril_group"] for r in groups}
    assert {group for group in groups.values()} <= set(kept)
    marked = valued(some[:600])
    frame = dataset(marked, 2, ("id", "text", *VALUED))
    kept = ids(mithril_stream.ray.deduplicate(frame, order="id", memory="exact", within="lang"))
    assert kept == kept_by_the_program(tmp_path, marked, "--memory", "exact", "--within", "lang")
    with pytest.raises(ValueError, match="memory must be one of bloom, exact, not '/tmp': the directory"):
        mithril_stream.ray.deduplicate(frame, order="id", memory="/tmp")


@pytest.mark.parametrize("within", WITHIN)
def test_verdicts_within_values_are_those_of_the_program(cluster, rows, tmp_path, within):
    some = valued(rows[:1500])
    frame = dataset(some, 3, ("id", "text", *VALUED))
    out = {r["id"]: r for r in mithril_stream.ray.deduplicate(frame, order="id", within=within, annotate=True, options=ONE).take_all()}
    kept = [i for i, r in sorted(out.items()) if not r["mithril_duplicate"]]
    assert kept == kept_by_the_program(tmp_path, some, "--fp-rate", "1e-14", "--within", within, *ONE)
    assert len(ids(mithril_stream.ray.deduplicate(frame, order="id", options=ONE))) < len(kept) < 1500
    grouped = mithril_stream.ray.groups(frame, order="id", within=within, options=ONE).take_all()
    grouped = {r["id"]: r["mithril_group"] for r in grouped}
    if within != "url:domain":
        pairs = [(i, r["mithril_duplicate_of"]) for i, r in out.items() if r["mithril_duplicate"]]
        for i, first in [*pairs, *grouped.items()]:
            a, b = out[i][within], out[first][within]
            assert a == b or {a, b} <= {None} or a != a or b != b  # NaN and a missing one are the same
    assert all(grouped[i] <= i for i in grouped) and len(set(grouped.values())) >= len(kept) // 2


def test_days_within_values(cluster, rows, tmp_path):
    some = valued(rows[:1200])
    kept = []
    for n in range(2):
        frame = dataset(some[600 * n : 600 * n + 600], 2, ("id", "text", *VALUED))
        index = {"index": str(tmp_path), "day": f"{n}"}
        kept += ids(mithril_stream.ray.deduplicate(frame, order="id", within="lang", options=ONE, **index))
    assert kept == kept_by_the_program(tmp_path, some, "--fp-rate", "1e-14", "--within", "lang", *ONE)


def test_what_is_no_column_to_compare_within_is_refused(cluster, rows):
    frame = dataset([(1, "a b", [1])], 1, ("id", "text", "list"))
    mapped = frame.map(lambda row: row)  # whose types are known only when it runs
    for function in (mithril_stream.ray.deduplicate, mithril_stream.ray.groups, mithril_stream.ray.sketch):
        order = {} if function is mithril_stream.ray.sketch else {"order": "id"}
        with pytest.raises(ValueError, match="no column 'lang' for within=: there are "):
            function(frame, within="lang", **order)
        with pytest.raises(ValueError, match="within 'list' has values of type .*: give a column of strings"):
            function(frame, within="list", **order)
        with pytest.raises(Exception, match="within 'list' has values of type"):
            function(mapped, within="list", **order).take_all()
        with pytest.raises(TypeError, match="within must be the name of a column"):
            function(frame, within=3, **order)


@pytest.mark.parametrize("seed", always(1, 2, 0, 1))
def test_verdicts_of_other_records(cluster, seed):
    rows = generated(random.Random(seed).randrange(200, 1500), seed)
    kept = ids(mithril_stream.ray.deduplicate(dataset(rows, 1 + 2 * seed), order="id", check_order=False))
    assert kept == kept_by_the_rule(rows)


@pytest.mark.parametrize("seed", range(60))
def test_votes_follow_the_rule(seed):
    """All that tasks do, in this process, with few different keys."""
    rng = random.Random(seed)
    bands, needed, ranges = rng.choice([1, 3, 8]), rng.choice([1, 2, 3]), rng.choice([1, 2, 5])
    n, rule = rng.randrange(1, 60), Votes(bands, needed)
    words = [0, 1, 7, 1 << 63, (1 << 64) - 1][: rng.choice([2, 5])]
    places = rng.sample(range(-1000, 1000), n)
    several = rng.random() < 0.5
    where = [(p // 10, f"{p % 10}") if several else p for p in places]
    raw = {p: [(rng.choice(words), rng.choice(words)) for _ in range(bands)] for p in where}
    for p in rng.sample(where, n // 5):
        raw[p] = None
    blocks, size = [], rng.choice([1, 4, 20, 100])
    for i in range(0, n, size):
        some = where[i : i + size]
        columns = list(map(pa.array, zip(*some))) if several else [pa.array(some)]
        names = ["a", "b"][: len(columns)]
        there = _order.Order(names).positions(pa.table(columns, names=names))
        made = [raw[p] and np.array(raw[p], "<u8").tobytes() for p in some]
        blocks.append(pa.table([there, pa.array(made, pa.binary(16 * bands))], names=["position", "keys"]))
    split = [_holders.split(block, bands, ranges) for block in blocks]
    replies = list(zip(*[_holders.holders(len(split), *parts) for parts in zip(*[s[:-1] for s in split])]))
    support = [_counts.support(rule, s[-1], *to_block)[0] for s, to_block in zip(split, replies)]
    tables = [table if rows else None for table, rows in
              (_known.merged(*parts) for parts in zip(*[_known.by_hash(t, 2) for t in support]))]  # fmt: skip
    keys = {p: k and keys_of_words(np.array([k], "<u8"))[0].tolist() for p, k in raw.items()}
    pairs = judged(keys, rule)
    for expected, judge in (originals(pairs), _counts.duplicates), (pairs, _counts.pairs):
        got = {}
        for s, to_block in zip(split, replies):
            for row in judge(rule, s[-1], tables, *to_block)[0].to_pylist():
                p, f = (tuple(row[x].values()) if several else row[x] for x in ("position", "first"))
                got.update({(p, f): row["votes"]} if expected is pairs else {p: (f, row["votes"])})
        assert got == expected


def test_few_rows_of_a_key_are_sent_by_each_block():
    """No row is gathered in a list or a window: a block sends a key four times, whoever has it."""
    n, bands = 5000, 4
    same = pa.array([b"\1" * 16 * bands] * n, pa.binary(16 * bands))
    block = pa.table([pa.array(range(n, 0, -1)), same], names=["position", "keys"])
    parts = _holders.split(block, bands, 3)[:-1]
    assert sum(part.num_rows for part in parts) == HOLDERS * (bands + 1)
    assert {row["position"] for part in parts for row in part.to_pylist()} == {1, 2, 3, 4}
    (answers,) = _holders.holders(1, next(part for part in parts if part.num_rows))
    assert answers.num_rows <= HOLDERS * (bands + 1)


KINDS = {
    "int32": lambda i: pa.array([i], pa.int32())[0],
    "date": lambda i: pa.scalar(datetime.date(1969, 12, 30) + datetime.timedelta(i)),
    "timestamp": lambda i: pa.scalar(datetime.datetime(1969, 12, 31, 23, 59, 58) + datetime.timedelta(0, i, 3)),
    "string": lambda i: pa.scalar(f"{i:03}"),
    "uint64": lambda i: pa.scalar((1 << 64) - 20 + i, pa.uint64()),
}


@pytest.mark.parametrize("kind", always(3, "timestamp", "string", "uint64", "int32", "date"))
def test_order_of_any_type(cluster, kind):
    scalars = [KINDS[kind](i) for i in range(8)]
    at = pa.array([s.as_py() for s in scalars], scalars[0].type)
    texts = pa.array([f"some text of many words, the number {i // 2} of them all" for i in range(8)])
    some = [pa.array([5, 0, 3, 6]), pa.array([7, 2, 1, 4])]
    frame = ray.data.from_arrow([pa.table([at.take(s), texts.take(s)], names=["at", "text"]) for s in some])
    out = mithril_stream.ray.deduplicate(frame, order="at", annotate=True).take_all()
    out.sort(key=lambda row: row["at"])
    assert [r["mithril_duplicate"] for r in out] == [False, True] * 4
    assert [r["mithril_duplicate_of"] for r in out[1::2]] == [r["at"] for r in out[::2]]


def test_order_may_be_of_several_columns(cluster, rows):
    some = [(i % 7, f"{i:05}", text) for i, text in rows[:900]]
    frame = dataset(some, 3, ("a", "b", "text"))
    expected = sorted(some, key=lambda r: r[:2])
    numbered = dataset([(i, r[2]) for i, r in enumerate(expected)], 2)
    want = ids(mithril_stream.ray.deduplicate(numbered, order="id"))
    out = mithril_stream.ray.deduplicate(frame, order=["a", "b"], annotate=True).take_all()
    assert sorted(r["b"] for r in out if not r["mithril_duplicate"]) == sorted(expected[i][1] for i in want)
    assert all(tuple(r["mithril_duplicate_of"].values()) < (r["a"], r["b"]) for r in out if r["mithril_duplicate"])


def test_rows_of_pandas_and_of_functions(cluster, rows):
    """Blocks that are no tables of Arrow, and a dataset whose columns are known only when it runs."""
    import pandas as pd

    some = rows[:300]
    want = ids(mithril_stream.ray.deduplicate(dataset(some, 2), order="id"))
    frame = ray.data.from_pandas(pd.DataFrame(some, columns=["id", "text"]))
    assert ids(mithril_stream.ray.deduplicate(frame, order="id")) == want
    mapped = dataset(some, 2, ("number", "text")).map(lambda row: {"id": row["number"], "text": row["text"]})
    assert ids(mithril_stream.ray.deduplicate(mapped, order="id")) == want


def test_frames_of_daft(cluster, rows, tmp_path):
    if not os.environ.get("CI"):
        pytest.importorskip("daft")
    names = {"source": str(tmp_path / "rows.parquet")}
    pq.write_table(pa.table(list(map(pa.array, zip(*rows))), names=["id", "text"]), names["source"])
    run(examples("docs/recipes/ray.md")[-1], names)
    assert names["unique"].sort("id").to_pydict()["id"] == kept_by_the_rule(rows)


def test_annotations_name_the_original(ds, rows):
    out = {r["id"]: r for r in mithril_stream.ray.deduplicate(ds, order="id", annotate=True).take_all()}
    assert len(out) == len(rows)
    assert list(out[0]) == ["id", "text", *NEW]
    texts = dict(rows)
    for i, r in out.items():
        assert r["text"] == texts[i]
        if r["mithril_duplicate"]:
            assert r["mithril_duplicate_of"] < i and 0 < r["mithril_similarity"] <= 1
        else:
            assert r["mithril_duplicate_of"] is None and r["mithril_similarity"] is None
    copies = [out[i] for i in range(5, len(rows), 6)]  # all have the same text
    assert {r["mithril_duplicate_of"] for r in copies[1:]} == {5} and not copies[0]["mithril_duplicate"]


def test_sketches_are_those_of_the_program(ds, rows):
    from mithril_stream.minhash import band_keys

    out = {r["id"]: r["mithril_keys"] for r in mithril_stream.ray.sketch(ds, threshold=0.7).take_all()}
    some = rows[:200]
    want = band_keys(
        [t or "" for _, t in some], num_permutations=256, options=["--memory", "bloom", "--threshold", "0.7"]
    )
    for (i, _), keys in zip(some, want):
        expected = [k.astype(">u8").tobytes() for k in keys] if keys.any() else None
        assert (None if out[i] is None else [bytes(k) for k in out[i]]) == expected
    assert np.any(want)


@pytest.mark.parametrize("seed", always(1, 1, 0, 2))
def test_components(cluster, seed):
    rng = random.Random(seed)
    n = 60
    edges = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.choice([1, 20, 45]))]
    edges += [(i, i + 1) for i in range(20, 40)] if seed == 1 else []  # a long chain
    edges = [(max(e), min(e)) for e in edges if e[0] != e[1]]
    blocks = [edges[i::3] for i in range(3)]
    kind = pa.schema([("position", pa.int64()), ("first", pa.int64())])
    tables = [ray.put(pa.Table.from_pylist([dict(zip(kind.names, e)) for e in b], kind)) for b in blocks]
    got = {}
    for table in filter(None, roots(tables, 2)):
        got.update({row["position"]: row["root"] for row in table.to_pylist()})
    assert got == {i: root for i, root in enumerate(components(n, edges)) if i != root}


def test_groups_are_what_pairs_join(cluster, rows):
    some = rows[:1500]
    pairs = by_the_rule(some)
    out = {r["id"]: r["mithril_group"] for r in mithril_stream.ray.groups(dataset(some, 3), order="id").take_all()}
    assert out == dict(enumerate(components(len(some), pairs)))
    assert len(pairs) > 200


@pytest.mark.parametrize("seed, few", SEEDS_OF_LEADERS)
def test_leaders(cluster, seed, few, monkeypatch):
    """Decided by one task, and in rounds."""
    monkeypatch.setattr(_leaders, "FEW", few)
    rng, n = random.Random(seed), 60
    edges = {(rng.randrange(n), rng.randrange(n)) for _ in range((0, 40, 90)[seed])}
    edges |= {(i, i + 1) for i in range(20, 32)} if seed == 1 else set()  # a chain
    edges = [(max(e), min(e)) for e in edges if e[0] != e[1]]
    kind = pa.schema([("position", pa.int64()), ("first", pa.int64())])
    blocks = [[e for e in edges if e[0] % 3 == i] for i in range(3)]
    tables = [ray.put(pa.Table.from_pylist([dict(zip(kind.names, e)) for e in b], kind)) for b in blocks]
    got = list(range(n))
    for table in filter(None, _leaders.leaders(tables, 2)):
        for row in table.to_pylist():
            got[row["position"]] = row["first"]
    assert got == leaders(n, edges)


def test_groups_of_leaders(cluster, rows, tmp_path):
    """Those of all pairs, and with the exact memory those of the program."""
    some = rows[:1500]
    frame, names = dataset(some, 3), ("id", "mithril_group")

    def grouped(**how):
        out = mithril_stream.ray.groups(frame, order="id", linkage="leader", **how).take_all()
        return dict(sorted(tuple(r[name] for name in names) for r in out))

    assert grouped() == dict(enumerate(leaders(len(some), by_the_rule(some))))
    found = grouped(memory="exact")
    assert found == groups_by_the_program(tmp_path, some, "--linkage", "leader") and len(set(found.values())) < 1200
    with pytest.raises(ValueError, match="linkage must be one of single, leader, not 'complete'"):
        mithril_stream.ray.groups(frame, order="id", linkage="complete")


@pytest.mark.parametrize("within", always(1, None, "site"))
def test_skewed_rows(cluster, within, monkeypatch):
    """A key of a template, a site with half of all rows, and a group of a tenth: no task gets more than its share."""
    got, gather = [], _verdicts.gather

    def gathered(split, function, *args, **kwargs):
        got.append([sum(part.num_rows for part in ray.get(list(parts))) for parts in zip(*split)])
        return gather(split, function, *args, **kwargs)

    rows = skewed(4000)
    for module in _verdicts, _components, _tables:
        monkeypatch.setattr(module, "gather", gathered)
    monkeypatch.setattr(_verdicts, "KEYS_OF_A_RANGE", 20_000)
    monkeypatch.setattr(_tables, "ROWS_OF_A_RANGE", 1000)
    frame = dataset(rows, 4, ("id", "text", "site"))
    pairs = by_the_rule(rows, within=within, values=[row[2] for row in rows] if within else None)
    out = mithril_stream.ray.groups(frame, order="id", within=within).take_all()
    assert {r["id"]: r["mithril_group"] for r in out} == dict(enumerate(components(len(rows), pairs)))
    assert len(pairs) > 300
    large = [parts for parts in got if sum(parts) > 300]
    assert len(large) >= 3 and all(max(parts) <= 3 * sorted(parts)[len(parts) // 2] for parts in large)


def test_a_day_of_other_settings_is_refused(cluster, rows, tmp_path):
    frame = dataset(rows[:500], 2)
    check_other_settings(
        tmp_path,
        lambda day, **settings: ids(
            mithril_stream.ray.deduplicate(frame, order="id", index=str(tmp_path), day=day, **settings)
        ),
    )


def test_days(cluster, rows, tmp_path):
    frames = [dataset(rows[start : start + 2000], 2) for start in range(0, 6000, 2000)]
    memory = str(tmp_path / "a memory")
    kept = []
    for n, frame in enumerate(frames):
        out = mithril_stream.ray.deduplicate(frame, order="id", index=memory, day=f"day{n}", annotate=True).take_all()
        kept.append(sorted(r["id"] for r in out if not r["mithril_duplicate"]))
        if n == 1:
            earlier = [r for r in out if r["mithril_duplicate_day"] == "day0"]
            assert len(earlier) > 300 and all(r["mithril_duplicate_of"] < 2000 for r in earlier)
            assert {r["mithril_duplicate_day"] for r in out} == {"day0", None}
    assert sum(kept, []) == kept_by_the_rule(rows)
    # a day that is given again is done again
    again = mithril_stream.ray.deduplicate(frames[1], order="id", index=memory, day="day1")
    assert ids(again) == kept[1]
    # other rows for it are refused, and have forgotten nothing; as a part of it they are compared with it
    with pytest.raises(ValueError, match="other rows of the day 'day1', which would be forgotten: .* part='b'"):
        mithril_stream.ray.deduplicate(frames[2], order="id", index=memory, day="day1")
    late = mithril_stream.ray.deduplicate(frames[1], order="id", index=memory, day="day1", part="b")
    assert not any((dict(rows)[id] or "").strip(" .") for id in ids(late))  # those without a text stay
    # what a job has left that failed does not count
    (tmp_path / "a memory" / "day=day2" / "_SUCCESS").unlink()
    third = mithril_stream.ray.deduplicate(frames[2], order="id", index=memory, day="day3")
    assert ids(third) == kept[2]
    with pytest.raises(ValueError, match="name of a day"):
        mithril_stream.ray.deduplicate(frames[0], order="id", index=memory, day="a/b")
    with pytest.raises(ValueError, match="go together"):
        mithril_stream.ray.deduplicate(frames[0], order="id", index=memory)
    with pytest.raises(ValueError, match="2 rows have 7"):
        mithril_stream.ray.deduplicate(dataset([(7, "a"), (7, "b")], 1), order="id", index=memory, day="day4")


def test_parts_of_a_day(cluster, rows, tmp_path):
    def judged(some, day, part):
        how = {"index": str(tmp_path), "day": day, "part": part, "annotate": True}
        out = mithril_stream.ray.deduplicate(dataset(some, 2), order="id", **how).take_all()
        return {r["id"]: tuple(r[name] for name in NEW[:3]) for r in out}

    check_parts(rows[:1200], judged)
    with pytest.raises(ValueError, match="part='b' is a part of a day: give index and day"):
        mithril_stream.ray.deduplicate(dataset(rows[:1], 1), order="id", part="b")


@pytest.mark.parametrize("memory", ["bloom", "exact"])
def test_a_failed_job_leaves_no_half_of_a_day(cluster, rows, tmp_path, monkeypatch, memory):
    frames = [dataset(rows[start : start + 600], 2) for start in (0, 600)]
    how = {"order": "id", "index": str(tmp_path), "memory": memory}
    want = ids(mithril_stream.ray.deduplicate(frames[1], order="id", memory=memory))

    def fail(days):
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(Days, "end", fail)
        with pytest.raises(OSError, match="the disk is full"):
            mithril_stream.ray.deduplicate(frames[0], **how, day="a")
    there = "support=a" if memory == "bloom" else "sets=a"
    assert list((tmp_path / "day=a").iterdir()) and list((tmp_path / there).iterdir())
    out = mithril_stream.ray.deduplicate(frames[1], **how, day="b")
    assert ids(out) == want
    out = mithril_stream.ray.deduplicate(frames[1], **how, day="a")  # it has no rows yet
    assert ids(out) == want


def test_positions_with_one_hash(monkeypatch):
    """Two positions of the same hash are told apart by their values."""
    monkeypatch.setattr(_known, "hashes", lambda positions: np.zeros(len(positions), "<u8"))
    table = pa.table([pa.array([4, 7, 9]), pa.array([1, 2, 3])], names=["position", "first"])
    (known, rows) = _known.merged(*_known.by_hash(table, 1))
    there = pa.array([9, 5, 4])
    mine, at = _known.probe(there, _known.hashes(there), np.arange(3), known)
    assert rows == 3 and dict(zip(mine.tolist(), at.tolist())) == {0: 2, 2: 0}


def test_what_makes_no_sense_is_refused(ds):
    for position, message in (1, "does not tell rows apart: 2 rows have 1"), (None, "is null in some rows"):
        with pytest.raises(ValueError, match=message):
            mithril_stream.ray.deduplicate(dataset([(1, "a"), (position, "b"), (3, "c")], 2), order="id")
    check_refused(lambda rows, names: dataset(rows, 1, names), mithril_stream.ray.deduplicate, mithril_stream.ray.groups)
    with pytest.raises(ValueError, match="'id' is no column of strings"):
        mithril_stream.ray.sketch(ds, "id")
    with pytest.raises(ValueError, match="options has --memory, which has no meaning on a cluster"):
        mithril_stream.ray.deduplicate(ds, order="id", options=["--memory", "exact"])
    with pytest.raises(ValueError, match="threshold must be between 0 and 1, got 7"):
        mithril_stream.ray.deduplicate(ds, order="id", threshold=7)
    with pytest.raises(MithrilError, match="has mithril-stream .*, and the driver 0.0: install the same on all"):
        older = rule_of(None, None, [])._replace(version="0.0")
        list(_sketch.keys_of(pa.table({"text": ["a"]}), older, "text"))


CALLS = {
    "deduplicate": lambda ds: mithril_stream.ray.deduplicate(ds, order="id"),
    "annotate": lambda ds: mithril_stream.ray.deduplicate(ds, order="id", annotate=True),
    "exact": lambda ds: mithril_stream.ray.deduplicate(ds, order="id", memory="exact"),
    "groups": lambda ds: mithril_stream.ray.groups(ds, order="id"),
}
CHANGING = always(
    2,
    ("new", ["deduplicate", "exact"]),
    ("permuted", ["annotate", "groups"]),
    ("new", ["annotate", "groups"]),
    ("permuted", ["deduplicate", "exact"]),
)


@pytest.mark.parametrize("how, calls", CHANGING)
def test_ids_that_change_are_an_error(cluster, rows, how, calls):
    """They would remove nothing, or wrong rows. The dataset is one block, so that permuted ids are unique."""

    def renumbered(batch):  # a closure, which travels to the nodes
        n, made = batch.num_rows, random.SystemRandom()
        ids = [f"{made.getrandbits(128)}" for _ in range(n)] if how == "new" else made.sample(range(n), n)
        return batch.set_column(0, "id", pa.array(ids))

    changing = dataset(rows[:300], 1).map_batches(renumbered, batch_format="pyarrow", batch_size=None)
    for call in calls:
        with pytest.raises(Exception, match=r"other rows when it is read again: .* call ds.materialize\(\) before"):
            CALLS[call](changing).take_all()
    fixed = changing.materialize()
    out = mithril_stream.ray.deduplicate(fixed, order="id", annotate=True).take_all()
    assert sum(r["mithril_duplicate"] for r in out) > 50


def test_rows_in_another_order_are_the_same(cluster, rows):
    shuffled = dataset(rows[:300], 2).random_shuffle()
    want = ids(mithril_stream.ray.deduplicate(dataset(rows[:300], 2), order="id"))
    assert ids(mithril_stream.ray.deduplicate(shuffled, order="id")) == want
    twice = dataset([(1, "a b c d e f"), (1, "another one of some words"), (2, "a b c d e f")], 2)
    assert mithril_stream.ray.deduplicate(twice, order="id", check_order=False).count() == 2


def test_rows_of_many_are_remembered_by_a_share(monkeypatch):
    """About as many as are asked for, and the same rows of whatever blocks."""
    monkeypatch.setattr(_again, "MOST", 500)
    positions = pa.array(range(40_000))
    texts = _positions.hashes(pa.array([f"text {i}" for i in range(40_000)]))
    below = _again.share_of(40_000)
    some, all_of = _again.remembered(positions, texts, below)
    assert 400 < len(some) < 600
    parts = [_again.remembered(positions.slice(i, 5000), texts[i : i + 5000], below)[1] for i in range(0, 40_000, 5000)]
    assert np.concatenate(parts).tolist() == all_of.tolist() and _again.share_of(500) == (1 << 64) - 1


def test_what_is_no_dataset_of_ray_is_refused():
    import pandas as pd

    for data, want in [
        (pd.DataFrame({"text": ["a"]}), r"pandas.DataFrame is no dataset of Ray: give ray.data.from_pandas\(df\)"),
        (pa.table({"text": ["a"]}), r"pyarrow.Table is no dataset of Ray: give ray.data.from_arrow\(table\)"),
        ([{"text": "a"}], "builtins.list is no dataset of Ray: give a ray.data.Dataset"),
    ]:
        for call in (mithril_stream.ray.deduplicate, mithril_stream.ray.groups):
            with pytest.raises(TypeError, match=want):
                call(data, order="id")
        with pytest.raises(TypeError, match=want):
            mithril_stream.ray.sketch(data)


def test_what_is_empty_stays_empty(cluster):
    none = ray.data.from_arrow(pa.table({"id": pa.array([], pa.int64()), "text": pa.array([], pa.string())}))
    assert mithril_stream.ray.deduplicate(none, order="id").count() == 0
    assert mithril_stream.ray.groups(none, order="id").count() == 0
    blank = dataset([(1, None), (2, None)], 2)
    assert ids(mithril_stream.ray.deduplicate(blank, order="id")) == [1, 2]
    assert ids(mithril_stream.ray.groups(blank, order="id"), "mithril_group") == [1, 2]


def test_a_worker_is_killed(ds):
    expected = ids(mithril_stream.ray.deduplicate(ds, order="id"))
    with Killer("ray::") as killer:
        got = ids(mithril_stream.ray.deduplicate(ds, order="id"))
    assert killer.killed and got == expected


def test_a_node_is_lost(cluster, ds, monkeypatch):
    """What it had is made again: keys, and the parts that they were split into."""
    expected = ids(mithril_stream.ray.deduplicate(ds, order="id"))
    node, lost = cluster.add_node(**NODE), []
    judged = _verdicts.Entries.judged

    def lose(*args, **kwargs):
        made = judged(*args, **kwargs)
        if not lost:
            ray.wait(made.pairs, num_returns=1)
            lost.append(cluster.remove_node(node, allow_graceful=False))
        return made

    monkeypatch.setattr(_verdicts.Entries, "judged", lose)
    assert ids(mithril_stream.ray.deduplicate(ds, order="id")) == expected and lost


def test_the_readme_runs(ds, rows):
    names = {"ds": ds}
    run(examples("python/README.md")[2], names)
    assert ids(names["unique"]) == kept_by_the_rule(rows)
