"""What Spark costs: verdicts, shuffle bytes a record, and CPU time beside the pipe.

    python bench/python/spark.py [--records 1000000] [--file FILE.jsonl]

It needs pyspark, numpy, pyarrow, Java 17, and the package mithril-stream (or PYTHONPATH=python/src and
MITHRIL_STREAM_PROGRAM). The generated records are 60 words of 50,000, a fifth of them near duplicates.
"""

import argparse
import json
import os
import sys
import tempfile
import time

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import SparkSession  # noqa: E402

import mithril_stream.spark  # noqa: E402
from clusters import pipe, sketching, write_records  # noqa: E402


def task_metrics(directory):
    """The stage and the metrics of each task, by the event log."""
    for root, _, names in os.walk(directory):
        for name in names:
            if name.startswith(("events_", "app-", "local-")):
                with open(os.path.join(root, name)) as f:
                    for event in map(json.loads, f):
                        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                            yield event["Stage ID"], event["Task Metrics"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--records", type=int, default=1_000_000)
    p.add_argument("--file")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as d:
        path = a.file or os.path.join(d, "in.jsonl")
        if not a.file:
            write_records(path, a.records)
        want, pipe_wall, pipe_cpu = pipe(path, 50 * a.records, d)
        count = sum(1 for _ in open(path))

        os.mkdir(f"{d}/events")
        spark = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "6g")
            .config("spark.eventLog.enabled", "true")
            .config("spark.eventLog.dir", f"file://{d}/events")
            .config("spark.eventLog.compress", "false")
            .config("spark.sql.shuffle.partitions", "8")
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("ERROR")
        if a.file:
            rows = [(i, json.loads(line)["text"]) for i, line in enumerate(open(path))]
            spark.createDataFrame(rows, "id long, text string").write.parquet(f"{d}/in.parquet")
        else:
            spark.read.schema("id long, text string").json(path).write.parquet(f"{d}/in.parquet")
        df = spark.read.parquet(f"{d}/in.parquet")
        started = time.time()
        kept = mithril_stream.spark.deduplicate(df, order="id", check_order=False)
        got = sorted(row[0] for row in kept.select("id").collect())
        wall = time.time() - started
        bands = 32
        program, python, exact = sketching(f"{d}/in.parquet")
        spark.stop()
        total, cpu = {}, 0
        for stage, metrics in task_metrics(f"{d}/events"):
            cpu += metrics["Executor CPU Time"] / 1e9
            total[stage] = total.get(stage, 0) + metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
        bytes_a_record = sum(total.values()) / count
        print(f"records {count}, kept by the pipe {len(want)}, by Spark {len(got)}, equal: {got == want}")
        print(f"kept by the rule without filters {len(exact)}, equal to Spark: {got == exact}")
        print(f"pipe: {pipe_wall:.1f} s, {pipe_cpu:.1f} s of CPU")
        print(f"Spark, local[2]: {wall:.1f} s; the JVM's tasks {cpu:.1f} s of CPU")
        print(f"keys as on an executor: program {program:.1f} s of CPU; Python {python:.1f}")
        print(f"shuffle: {bytes_a_record:.0f} bytes a record, {bytes_a_record / bands / 24:.2f} times 24 a band")
        print("by stage:", {stage: round(b / count) for stage, b in sorted(total.items()) if b > count})


if __name__ == "__main__":
    main()
