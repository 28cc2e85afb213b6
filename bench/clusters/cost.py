"""What a batch job of Spark costs: CPU time of the JVM, its tasks, Python and the program, and bytes shuffled a row. More
versions of the package take turns.

    python clusters/cost.py --rows 1000000 --turns 3 --package new=../python/src --package old=/tmp/old/python/src

It needs Java 17, pyspark, numpy, pandas, pyarrow, and a program of this version in MITHRIL_STREAM_PROGRAM.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import records

COLUMNS = "JVM", "start", "compiler", "collector", "tasks", "beside", "seconds"


def one(source, memory):
    """Print what a job takes."""
    import job
    import mithril_stream.spark

    def kept(df):
        how = {} if memory == "bloom" else {"memory": memory}  # which versions of before did not have
        return mithril_stream.spark.deduplicate(df, order="id", check_order=False, **how).select("id").collect()

    made = job.measured(source, lambda df: len(kept(df)))
    print(json.dumps(made))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", type=int, default=1_000_000)
    p.add_argument("--turns", type=int, default=1)
    p.add_argument("--memory", nargs="+", default=["bloom"])
    p.add_argument("--package", action="append", help="NAME=DIRECTORY that has mithril_stream")
    p.add_argument("--stages", action="store_true", help="say which stages take more than a second")
    p.add_argument("--one", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.one:
        return one(a.one, *a.memory)
    here = os.path.dirname(os.path.abspath(__file__))
    packages = dict(text.split("=", 1) for text in a.package or [f"this={here}/../../python/src"])
    with tempfile.TemporaryDirectory() as directory:
        source = f"{directory}/rows"
        records.write(source, records.plain, a.rows)
        print("| package | memory | kept | bytes a row |", *(f"{name} |" for name in COLUMNS))
        print("|---" * (4 + len(COLUMNS)) + "|")
        for turn in range(a.turns):
            for name, path in packages.items():
                for memory in a.memory:
                    command = [sys.executable, __file__, "--one", source, "--memory", memory]
                    env = {**os.environ, "PYTHONPATH": os.path.abspath(path)}
                    out = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
                    made = json.loads(out.splitlines()[-1])
                    row = [name, memory, f"{made['result']:,}", f"{made['shuffled'] / a.rows:.1f}"]
                    print("|", " | ".join([*row, *(f"{made[column]:.1f}" for column in COLUMNS)]), "|", flush=True)
                    if a.stages:
                        print_stages(made["stages"])


def print_stages(stages):
    for stage in stages:
        if stage["cpu"] > 1:
            print(f"  {stage['cpu']:.1f} s, {stage['written'] / 1e6:.0f} MB written:", *stage["operators"])


if __name__ == "__main__":
    main()
