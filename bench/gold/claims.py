"""The claims of the LSHBloom paper on labelled records: its classes, and this program, in one run.

    python gold/claims.py --program ../bin/mithril-stream FILE.jsonl…

Needs datasketch[bloom] 2.0.0. Records have the members text and cluster. Each way judges all records in
their order, in one thread, at the setting that the paper finds best: words, T = 0.5, 256
permutations. Times are CPU seconds. The size is that of what is kept on disk to go on tomorrow: the
pickled tables of MinHashLSH, the filters of LSHBloom, the directory of the program's index.
"""
import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time

import datasketch

THRESHOLD, PERMUTATIONS, RATE = 0.5, 256, 1e-5


def read(paths):
    """Yields the text and the label of each record."""
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                yield record["text"], record["cluster"]


def size_of(path):
    """Bytes of a file, or of the files below a directory."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names)


def f1_of(duplicates, removed):
    """F1 = TP/(TP+(FP+FN)/2)."""
    right = sum(a and b for a, b in zip(duplicates, removed, strict=True))
    wrong = sum(removed) - right
    return right / (right + (wrong + sum(duplicates) - right) / 2)


def signatures(texts):
    """MinHash of the words, as the paper's code takes them."""
    base = datasketch.MinHash(num_perm=PERMUTATIONS)
    made = []
    for text in texts:
        m = base.copy()
        m.update_batch([word.encode() for word in set(text.split())])
        made.append(m)
    return made


def minhashlsh(made, directory):
    """Judges with hash tables of the bands."""
    index = datasketch.MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    removed = []
    for number, m in enumerate(made):
        removed.append(bool(index.query(m)))
        index.insert(number, m)
    with open(os.path.join(directory, "tables"), "wb") as f:
        pickle.dump(index, f)
    return removed


def lshbloom(made, directory):
    """Judges with a Bloom filter for each band."""
    index = datasketch.MinHashLSHBloom(
        threshold=THRESHOLD, num_perm=PERMUTATIONS, n=len(made), fp=RATE, save_dir=directory)
    removed = []
    for m in made:
        removed.append(bool(index.query(m)))
        index.insert(m)
    index.sync()
    return removed


def program(binary, paths, options, directory):
    """Judges with this program, sketches included."""
    flags = os.path.join(directory, "flags")
    index = os.path.join(directory, "index")
    before = os.times()
    subprocess.run(
        [binary, "-q", "--threads", "1", "--index", index, "--flags", flags, "-o", os.devnull, *options, *paths],
        check=True)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    subprocess.run([binary, "index", "compact", index], check=True)
    with open(flags, encoding="ascii") as lines:
        return [line == "0\n" for line in lines], seconds, size_of(index)


def main():
    """Prints a row for each way."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="../bin/mithril-stream")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    texts, labels = zip(*read(args.files))
    seen, duplicates = set(), []
    for label in labels:
        duplicates.append(label in seen)
        seen.add(label)
    print(f"{len(texts)} records, {sum(duplicates)} duplicates; datasketch {datasketch.__version__}, "
          f"Python {sys.version.split()[0]}")
    print("way\tsketches, s\tindex, s\tbytes\tF1")
    began = time.process_time()
    made = signatures(texts)
    sketching = time.process_time() - began
    for name, judge in (("datasketch MinHashLSH", minhashlsh), ("datasketch LSHBloom", lshbloom)):
        with tempfile.TemporaryDirectory() as directory:
            began = time.process_time()
            removed = judge(made, directory)
            seconds = time.process_time() - began
            print(f"{name}\t{sketching:.2f}\t{seconds:.2f}\t{size_of(directory)}\t{f1_of(duplicates, removed):.4f}")
    planned = ["--num-perm", str(PERMUTATIONS), "--threshold", str(THRESHOLD), "--capacity", str(len(texts))]
    same = [*planned, "--normalize", "none", "--tokenize", "whitespace", "--shingle-size", "1"]
    one = [*same, "--tune", "balanced"]
    for name, options in (
            ("mithril-stream, LSHBloom", [*one, "--fp-rate", str(RATE)]),
            ("mithril-stream, votes", [*same, "--tune", "f2", "--fp-rate", str(RATE)]),
            ("mithril-stream, votes, n = 7",
             [*planned, "--shingle-size", "7", "--tune", "f2", "--fp-rate", str(RATE)])):
        with tempfile.TemporaryDirectory() as directory:
            removed, seconds, size = program(args.program, args.files, options, directory)
            print(f"{name}\tin the next\t{seconds:.2f}\t{size}\t{f1_of(duplicates, removed):.4f}")


if __name__ == "__main__":
    main()
