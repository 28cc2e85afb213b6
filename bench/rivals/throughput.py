"""Near-duplicates among rows of 2 KB: the Python module beside the program on the same texts as a file, and beside
other packages. Each line is the fastest of some rounds, in turns.

    python rivals/throughput.py --rows 200000 --rounds 3

It needs mithril-stream, numpy, pandas, polars and pyarrow; rensa, datasketch and text-dedup (a program of its own,
with its start of some seconds) where they are to be compared. semhash compares by a model, which it downloads.
"""

import argparse
import gc
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import pandas as pd
import polars as pl
import pyarrow as pa

import mithril_stream
import mithril_stream.dedup as dedup


def texts_of(rows):
    """English-like texts of about 2 KB; every fifth is one of the last hundred with a word changed."""
    rng = random.Random(1)
    words = ["".join(rng.choices("etaoinshrdlucmfw", k=rng.randint(2, 9))) for _ in range(20_000)]
    weights = [1 / (i + 3) for i in range(len(words))]
    made = []
    for i in range(rows):
        if i % 5 == 4:
            changed = made[-rng.randint(1, min(100, i))].split(" ")
            changed[rng.randrange(len(changed))] = "changed"
            made.append(" ".join(changed))
        else:
            made.append(" ".join(rng.choices(words, weights, k=330)))
    return made


def program(path, memory):
    subprocess.run(
        [mithril_stream.find_program(), "-q", "--memory", memory, "-o", os.devnull, path], check=True
    )


def rensa(texts):
    from rensa import RMinHash, RMinHashLSH

    lsh, kept = RMinHashLSH(0.85, 128, 16), 0
    for i, text in enumerate(texts):
        words = text.split()
        m = RMinHash(128, 42)
        m.update([" ".join(words[j : j + 5]) for j in range(len(words) - 4)])
        kept += not lsh.query(m)
        lsh.insert(i, m)
    return kept


def datasketch(texts):
    from datasketch import MinHash, MinHashLSH

    lsh, kept = MinHashLSH(0.85, 128), 0
    for i, text in enumerate(texts):
        words = text.split()
        m = MinHash(128)
        m.update_batch([" ".join(words[j : j + 5]).encode() for j in range(len(words) - 4)])
        kept += not lsh.query(m)
        lsh.insert(i, m)
    return kept


def text_dedup(texts):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "texts.jsonl")
        with open(path, "w") as f:
            f.writelines(json.dumps({"text": text}) + "\n" for text in texts)
        subprocess.run(
            [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", path, "--split", "train",
             "--cache_dir", os.path.join(scratch, "cache"), "--output", os.path.join(scratch, "out"),
             "--column", "text", "--ngram", "5", "--threshold", "0.85", "--num_perm", "128", "--batch_size", "1000",
             "--hash_func", "xxh3"],
            check=True, capture_output=True,
        )  # fmt: skip


def adds(texts):
    with dedup.Deduplicator() as d:
        for text in texts:
            d.add(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-rows", type=int, default=10_000, help="rows for the other packages, which are slower")
    args = parser.parse_args()
    texts = texts_of(args.rows)
    short = [f"a short text, number {i}, of ten words or so {i * 7}" for i in range(100_000)]
    few = texts[: args.peer_rows]
    frames = {
        "pandas": pd.DataFrame({"text": texts}), "polars": pl.DataFrame({"text": texts}),
        "arrow": pa.table({"text": texts}), "list": texts,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "texts.jsonl")
        with open(path, "w") as f:
            f.writelines(json.dumps({"text": text}) + "\n" for text in texts)
        runs = {}
        for memory in ("bloom", "exact"):
            runs[f"program, {memory}"] = (args.rows, lambda m=memory: program(path, m))
            for name, data in frames.items():
                runs[f"{name}, {memory}"] = (args.rows, lambda d=data, m=memory: dedup.deduplicate(d, memory=m))
        runs["add, 2 KB"] = (len(few), lambda: adds(few))
        runs["add, 50 bytes"] = (len(short), lambda: adds(short))
        for peer in (rensa, datasketch, text_dedup):
            if importlib.util.find_spec(peer.__name__):
                runs[peer.__name__] = (len(few), lambda p=peer: p(few))
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(args.rounds):
            for name, (_, run) in runs.items():
                gc.collect()
                began = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - began)
    print(f"{'':16} {'rows':>8} {'seconds':>8} {'rows/s':>9}  of the program")
    for name, (rows, _) in runs.items():
        rate = rows / best[name]
        memory = "bloom" if "bloom" in name else "exact"
        share = rate / (args.rows / best[f"program, {memory}"])
        print(f"{name:16} {rows:8} {best[name]:8.2f} {rate:9.0f}  {share:.2f}")


if __name__ == "__main__":
    main()
