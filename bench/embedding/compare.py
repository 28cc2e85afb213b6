"""Texts that say the same in other words: the program beside semhash, with the same static embeddings, and beside a
comparison of all pairs of the vectors that model2vec makes of the whole texts.

    python embedding/compare.py --model DIR FILE.jsonl

DIR has model.safetensors and tokenizer.json; sketch/embedding/testdata/reference.py makes one of the package wordllama.
It needs model2vec and semhash. CPU time is user and system, in turns, the median; that of semhash is without Python's
start, its imports and the model.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np


def model_of(directory):
    from model2vec import StaticModel
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    tensors = load_file(directory / "model.safetensors")
    vectors = tensors.get("embeddings", tensors.get("embedding.weight")).astype(np.float32)
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    return StaticModel(
        vectors, tokenizer, normalize=True, weights=tensors.get("weights"), token_mapping=tensors.get("mapping")
    )


def texts_of(path):
    with open(path) as lines:
        return [json.loads(line)["text"] for line in lines]


def semhash(args):
    """Prints the numbers of the removed texts and the CPU time, as JSON."""
    from semhash import SemHash

    texts, model = texts_of(args.file), model_of(args.model)
    before = time.process_time()
    # its own records are keyed by the text, so that a number is put beside
    records = [{"text": text, "number": str(i)} for i, text in enumerate(texts)]
    result = SemHash.from_records(records, columns=["text"], model=model).self_deduplicate(threshold=args.threshold)
    seconds = time.process_time() - before
    kept = {int(r["number"]) for r in result.selected}
    print(json.dumps({"seconds": seconds, "removed": [i for i in range(len(texts)) if i not in kept]}))


def encode(args):
    """Prints the CPU time of the vectors alone."""
    texts, model = texts_of(args.file), model_of(args.model)
    before = time.process_time()
    model.encode(texts, max_length=None, use_multiprocessing=False)
    print(json.dumps({"seconds": time.process_time() - before, "removed": []}))


def all_pairs(args):
    """The texts for which any earlier one is within the threshold."""
    texts = texts_of(args.file)
    vectors = model_of(args.model).encode(texts, max_length=None, use_multiprocessing=False)
    removed = []
    for start in range(0, len(vectors), 1024):
        block = vectors[start : start + 1024]
        cosines = block @ vectors[: start + len(block)].T
        for i, row in enumerate(cosines):
            if start + i and row[: start + i].max() >= args.threshold:
                removed.append(start + i)
    return set(removed)


def program(args):
    with tempfile.TemporaryDirectory() as folder:
        flags = os.path.join(folder, "flags")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [args.program, "-q", "--sketch", "embedding", "--model", str(args.model),
             "--threshold", str(args.threshold),
             "--flags", flags, "-o", os.devnull, args.file],
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(flags) as lines:
            removed = [i for i, line in enumerate(lines) if line == "0\n"]
    return {"seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "removed": removed}


def child(args, what):
    command = [sys.executable, __file__, "--only", what, "--threshold", str(args.threshold), "--model",
               str(args.model), args.file]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, type=pathlib.Path)
    parser.add_argument("--program", default="../bin/mithril-stream")
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=["semhash", "encode"])
    parser.add_argument("file")
    args = parser.parse_args()
    if args.only:
        return globals()[args.only](args)
    contestants = {
        "mithril-stream": lambda: program(args),
        "semhash": lambda: child(args, "semhash"),
        "model2vec, vectors alone": lambda: child(args, "encode"),
    }
    seconds, removed = {name: [] for name in contestants}, {}
    for turn in range(args.rounds):
        for name in list(contestants)[:: 1 if turn % 2 == 0 else -1]:
            result = contestants[name]()
            seconds[name].append(result["seconds"])
            removed[name] = set(result["removed"])
    truth, documents = all_pairs(args), len(texts_of(args.file))
    print(f"{documents} texts; {len(truth)} have an earlier one within {args.threshold}")
    for name, taken in seconds.items():
        line = f"{name:25} {statistics.median(taken):6.2f} s CPU {documents / statistics.median(taken):8.0f} texts/s"
        ratios = [t / ours for t, ours in zip(taken, seconds["mithril-stream"])]
        line += f"  {statistics.median(ratios):5.2f} x"
        if found := removed[name]:
            right = len(found & truth)
            line += f"  removed {len(found)}, of the {len(truth)} {right / len(truth):.4f}, others {len(found) - right}"
        print(line)


main()
