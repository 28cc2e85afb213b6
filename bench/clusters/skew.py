"""How even the tasks of skewed rows are: the slowest task over the median, in time and in bytes or rows received, of each
large stage. All rows have a template, half of them are of one site, and a tenth are near copies of one text.

    python clusters/skew.py --rows 300000

It needs what cost.py needs, and ray[data] for --engine ray.
"""

import argparse
import statistics
import tempfile
import time
from collections import defaultdict

import records

SHARE = 0.05  # of the time of all tasks: shorter stages are not listed
PARTS = 16  # files, and tasks of a stage
FEW = 4  # tasks, which say nothing of the median


def of_spark(source, function, within, rows):
    import job
    import mithril_stream.spark

    def work(df):
        how = {"order": "id", "within": within, "check_order": False}
        return getattr(mithril_stream.spark, function)(df, **how).select("id").count()

    settings = {"spark.sql.shuffle.partitions": str(PARTS), "spark.sql.adaptive.coalescePartitions.enabled": "false"}
    made = job.measured(source, work, settings)
    for number, stage in enumerate(made["stages"]):
        yield f"{number} {stage['name']}", stage["seconds"], stage["bytes"]


def of_ray(source, function, within, rows):
    import ray

    import mithril_stream.ray
    from mithril_stream.ray import _known, _verdicts

    _verdicts.KEYS_OF_A_RANGE = rows * 33 // PARTS  # as many tasks as of Spark: by default these rows have three
    _known.ROWS_OF_A_RANGE = rows // PARTS
    ray.init("local", num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    ds = ray.data.read_parquet(source).repartition(PARTS).materialize()  # reading would make one block of small files
    how = {"order": "id", "within": within, "check_order": False}
    getattr(mithril_stream.ray, function)(ds, **how).count()
    time.sleep(2)  # tasks report what they took once a second
    seconds = defaultdict(list)
    for event in ray.timeline():
        if event.get("cat", "").startswith("task::") and "Actor" not in event["cat"]:
            seconds[event["cat"].removeprefix("task::")].append(event["dur"] / 1e6)
    ray.shutdown()
    for name, times in seconds.items():
        yield name, times, []


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", type=int, default=300_000)
    p.add_argument("--engine", choices=["spark", "ray"], default="spark")
    p.add_argument("--function", choices=["deduplicate", "groups"], default="deduplicate")
    p.add_argument("--within")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        source = f"{directory}/rows"
        records.write(source, records.skewed, a.rows, files=PARTS)
        stages = list((of_spark if a.engine == "spark" else of_ray)(source, a.function, a.within, a.rows))
    total = sum(sum(times) for _, times, _ in stages)
    print("| stage | tasks | seconds | median | slowest | slowest over median | most bytes over median |")
    print("|---" * 7 + "|")
    for name, times, received in stages:
        if sum(times) > SHARE * total and len(times) > FEW:
            median, most = statistics.median(times), max(times)
            bytes_of = f"{max(received) / (statistics.median(received) or 1):.2f}" if any(received) else "–"
            print(f"| {name} | {len(times)} | {sum(times):.1f} | {median:.2f} | {most:.2f} | {most / median:.2f} |",
                  f"{bytes_of} |")  # fmt: skip


if __name__ == "__main__":
    main()
