"""A job of Spark, measured: what takes CPU time, by the event log, the threads of the JVM and the processes below it."""

import json
import os
import sys
import tempfile
import time
from collections import defaultdict

OPERATORS = "Scan parquet", "MapInArrow", "FlatMapGroupsInArrow", "FlatMapCoGroupsInArrow", "Exchange", "Join"


def measured(source, work, settings=None):
    """Return what work makes of the data frame of Parquet files, and what that takes: seconds by the clock, and of CPU
    by the JVM as a whole, before it began, by its tasks, and by Python and the program beside it; bytes shuffled, and
    the stages."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as events:
        builder = SparkSession.builder.master("local[2]")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "6g",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file://{events}",
            "spark.eventLog.compress": "false",
            "spark.sql.shuffle.partitions": "8",
            "spark.local.dir": events,
            **(settings or {}),
        }.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
        df = spark.read.parquet(source)
        start, started = cpu_of(jvm), time.time()
        result = work(df)
        made = {"result": result, "seconds": time.time() - started, "start": start, "JVM": cpu_of(jvm)}
        made.update(threads_of(jvm))
        made["beside"] = below(jvm)
        spark.stop()
        stages = stages_of(events)
    made["tasks"] = sum(stage["cpu"] for stage in stages)
    made["shuffled"] = sum(stage["written"] for stage in stages)
    return {**made, "stages": stages}


def cpu_of(process, thread=None):
    """Return the seconds of CPU that a process has taken, or one of its threads."""
    return sum(times(f"/proc/{process}/stat" if thread is None else f"/proc/{process}/task/{thread}/stat")[:2])


def times(path):
    with open(path) as file:
        fields = file.read().rpartition(")")[2].split()
    return [int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15]]


def below(process):
    """Return the seconds of CPU of the processes that a process has started, and that these have, Python and the
    program, with those of their children that have ended."""
    parents, taken = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            taken[int(name)] = sum(times(f"/proc/{name}/stat"))
        except OSError:
            pass  # it has ended
    total, last = 0.0, [process]
    while last:
        last = [child for child, parent in parents.items() if parent in last]
        total += sum(taken.get(child, 0) for child in last)
    return total


def threads_of(process):
    """Return the seconds of CPU of threads that still run, by kind: the compilers and collectors do until the end."""
    kinds = defaultdict(float)
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{thread}/comm") as file:
                name = file.read()
            kind = "compiler" if name.startswith(("C1", "C2")) else "collector" if name.startswith("G") else "other"
            kinds[kind] += cpu_of(process, thread)
        except OSError:
            pass  # it has ended
    return dict(kinds)


def stages_of(events):
    """Return the stages of an event log: what its tasks took, and what they received and wrote."""
    stages = {}
    for root, _, names in os.walk(events):
        for name in names:
            if name.startswith(("events_", "app-", "local-")):
                with open(os.path.join(root, name)) as file:
                    for event in map(json.loads, file):
                        add(stages, event)
    return [stages[number] for number in sorted(stages) if stages[number]["seconds"]]


def add(stages, event):
    if event["Event"] == "SparkListenerStageCompleted":
        info = event["Stage Info"]
        stage = stages.setdefault(info["Stage ID"], new_stage())
        stage["name"] = ", ".join(o for o in OPERATORS if any(o in r.get("Scope", "") for r in info["RDD Info"]))
        stage["operators"] = sorted({json.loads(r["Scope"])["name"] for r in info["RDD Info"] if r.get("Scope")})
    elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
        stage, metrics = stages.setdefault(event["Stage ID"], new_stage()), event["Task Metrics"]
        stage["cpu"] += metrics["Executor CPU Time"] / 1e9
        stage["seconds"].append(metrics["Executor Run Time"] / 1e3)
        stage["written"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
        read = metrics["Shuffle Read Metrics"]
        stage["bytes"].append(read["Local Bytes Read"] + read["Remote Bytes Read"])


def new_stage():
    return {"cpu": 0.0, "seconds": [], "bytes": [], "written": 0, "operators": [], "name": ""}
