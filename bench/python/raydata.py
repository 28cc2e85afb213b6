"""What Ray costs: verdicts, shuffled bytes a record, and CPU time beside the pipe.

    python bench/python/raydata.py [--records 1000000] [--file FILE.jsonl] [--store 2000000000]

It needs ray[data], and the package mithril-stream (or PYTHONPATH=python/src and MITHRIL_STREAM_PROGRAM). The generated
records are 60 words of 50,000, a fifth of them near duplicates. --store is the size of the object store of each of two
nodes, in bytes; what has no room there is spilled to disk.
"""

import argparse
import json
import logging
import os
import re
import tempfile
import time
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import ray  # noqa: E402
import ray.data  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

import mithril_stream.ray  # noqa: E402
from clusters import children, pipe, sketching, write_records  # noqa: E402
from mithril_stream._keys import rule_of  # noqa: E402
from mithril_stream.ray import _sketch, _verdicts  # noqa: E402
from mithril_stream.ray._order import Order  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def processes():
    """Seconds of CPU of each process below this one, with those of its children that have ended."""
    parents, seconds = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            parents[int(entry.name)] = int(fields[1])
            seconds[int(entry.name)] = sum(map(int, fields[11:15])) / TICK
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(seconds[pid] for pid in below - {os.getpid()})


def on_a_node(path):
    """Seconds of CPU for the entries of a block, as a task makes them: of the program, and of Python."""
    rule = rule_of(None, None, [])
    table = pq.read_table(path)
    before, own = children(), time.process_time()
    for start in range(0, table.num_rows, 100_000):
        for _ in _sketch.entries_of(table.slice(start, 100_000), rule, "text", Order(["id"])):
            pass
    return children() - before, time.process_time() - own


class Shuffle:
    """Adds up the sizes of what tasks send to others, as the object store has them."""

    def __init__(self):
        self.bytes, self._gather = 0, _verdicts.gather

    def gather(self, split, function, *args, **kwargs):
        made = self._gather(split, function, *args, **kwargs)
        sent = [ref for refs in split for ref in refs]
        if function.__name__ == "minima":
            sent += [ref for refs in made for ref in refs]
        while sent:
            done, sent = ray.wait(sent, num_returns=min(len(sent), 100), fetch_local=False)
            self.bytes += sum(ray.get([size.remote(ref) for ref in done]))
        return made


@ray.remote
def size(table):
    return table.nbytes


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--records", type=int, default=1_000_000)
    p.add_argument("--file")
    p.add_argument("--store", type=int, default=2_000_000_000)
    a = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="ray-") as d:
        path = a.file or os.path.join(d, "in.jsonl")
        if not a.file:
            write_records(path, a.records)
        want, pipe_wall, pipe_cpu = pipe(path, 50 * a.records, d)
        texts = [json.loads(line)["text"] for line in open(path)]
        count = len(texts)
        os.mkdir(f"{d}/parquet")
        for start in range(0, count, 50_000):
            some = texts[start : start + 50_000]
            table = pa.table({"id": pa.array(range(start, start + len(some))), "text": some})
            pq.write_table(table, f"{d}/parquet/{start:09}.parquet")
        del texts
        made, python = on_a_node(f"{d}/parquet")
        program, _, exact = sketching(f"{d}/parquet")

        node = {"num_cpus": 1, "object_store_memory": a.store, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args={**node, "temp_dir": f"{d}/ray"})
        cluster.add_node(**node)
        ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
        logging.getLogger("ray.data").setLevel("ERROR")
        ds = ray.data.read_parquet(f"{d}/parquet")
        shuffle = Shuffle()
        _verdicts.gather = shuffle.gather
        before, own, started = processes(), time.process_time(), time.time()
        out = mithril_stream.ray.deduplicate(ds, order="id", check_order=False)
        known = time.time() - started
        got = sorted(id for batch in out.select_columns(["id"]).iter_batches() for id in batch["id"].tolist())
        wall, cpu, own = time.time() - started, processes() - before, time.process_time() - own
        ray.shutdown()
        cluster.shutdown()
        logs = [p.read_text(errors="replace") for p in Path(f"{d}/ray").glob("session_2*/logs/raylet*")]
        print(f"records {count}, kept by the pipe {len(want)}, by Ray {len(got)}, equal: {got == want}")
        print(f"kept by the rule without filters {len(exact)}, equal to Ray: {got == exact}")
        print(f"pipe: {pipe_wall:.1f} s, {pipe_cpu:.1f} s of CPU")
        print(f"keys: program {made:.1f} s of CPU ({program:.1f} in blocks of 10,000), Python beside it {python:.1f}; "
              f"together {(made + python) / pipe_cpu:.2f} of the pipe")
        print(f"shuffle: {shuffle.bytes / count:.0f} bytes a record, "
              f"{shuffle.bytes / count / 32 / 24:.2f} times 24 a band")
        print(f"Ray, two nodes of one processor: {wall:.1f} s, verdicts after {known:.1f}; {cpu:.1f} s of CPU, "
              f"and {own:.1f} of this process; {(cpu + own) / count * 1e6:.1f} µs a record")
        for log in logs:
            for line in re.findall(r"Spilled \d.*", log)[-1:]:
                print("a node:", line)


if __name__ == "__main__":
    main()
