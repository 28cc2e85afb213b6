"""What the measurements of Spark and Ray have in common: records, the pipe, and the rule without filters."""

import json
import os
import random
import resource
import subprocess
import time

from mithril_stream._judge import Judge
from mithril_stream._keys import words_of
from mithril_stream._program import find_program


def write_records(path, count):
    """Write records of 60 words of 50,000, a fifth of them near duplicates."""
    rng = random.Random(3)
    words = [f"{rng.getrandbits(30):x}" for _ in range(50_000)]
    earlier = []
    with open(path, "w") as f:
        for i in range(count):
            if i % 5 == 4:
                text = list(rng.choice(earlier))
                text[rng.randrange(60)] = rng.choice(words)
            else:
                text = rng.choices(words, k=60)
                if len(earlier) < 20_000:
                    earlier.append(text)
            f.write(json.dumps({"id": i, "text": " ".join(text)}) + "\n")


def children():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def pipe(path, capacity, directory):
    """Return which records the program keeps, and its seconds: by the clock, and of CPU."""
    before, started = children(), time.time()
    subprocess.run(
        [find_program(), "-q", "--threads", "2", "--capacity", str(capacity),
         "--flags", f"{directory}/flags", "-o", os.devnull, path],
        check=True,
    )  # fmt: skip
    took, cpu = time.time() - started, children() - before
    return [i for i, flag in enumerate(open(f"{directory}/flags")) if flag == "1\n"], took, cpu


def sketching(path):
    """Return the seconds of CPU that the program takes for the keys alone, as on a node, those of Python beside it, and
    the rows that the rule keeps, worked out without an engine and without filters."""
    import numpy as np
    import pandas as pd
    import pyarrow.parquet as pq

    before, own = children(), time.process_time()
    judge = Judge(["--memory", "bloom", "--threads", "1"])
    table = pq.ParquetDataset(path).read().sort_by("id")
    words = [words_of(judge, b.column("text"), 32)[0] for b in table.to_batches(max_chunksize=10_000)]
    judge.close()
    program, python = children() - before, time.process_time() - own
    words = np.concatenate(words)
    votes = np.zeros(len(words), int)
    for band in range(32):
        votes += pd.DataFrame(words[:, band]).duplicated().to_numpy() & words[:, band].any(axis=1)
    return program, python, np.nonzero(votes < 8)[0].tolist()
