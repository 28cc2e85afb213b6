"""Compares the program with ONNX Runtime in Python, on the same texts and with the same model: how many
texts a second of processor time is enough for, in turns. Python's is without its start and the model's;
that of the program, and of its child, has everything in it.

    pip install onnxruntime==1.32.0 tokenizers==0.23.3
    python onnx.py --model DIR [--program ../bin/mithril-stream] [--count 200] [--rounds 3] FILE.jsonl

The program finds mithril-onnx and the library of ONNX Runtime as docs/embedding.md says.
"""

import argparse
import itertools
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

REFERENCE = pathlib.Path(__file__).parent / "../../sketch/onnx/testdata/reference.py"

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--program", default=str(pathlib.Path(__file__).parent / "../../bin/mithril-stream"))
parser.add_argument("--count", type=int, default=200)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("file")
options = parser.parse_args()


def by_program(path):
    before = os.times()
    subprocess.run([options.program, "-q", "--sketch", "embedding", "--model", options.model, "--threads", "1",
                    "-o", os.devnull, path], check=True)
    after = os.times()
    return options.count / (after.children_user + after.children_system - before.children_user - before.children_system)


def by_python(path):
    with open(path) as texts:
        out = subprocess.run([sys.executable, str(REFERENCE), options.model, "mean", "--speed"], stdin=texts, check=True,
                             stdout=subprocess.PIPE)
    return float(out.stdout)


with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "texts.jsonl")
    with open(options.file) as lines, open(path, "w") as texts:
        texts.writelines(itertools.islice(lines, options.count))
    program, python = zip(*[(by_program(path), by_python(path)) for _ in range(options.rounds)])
print(f"program {statistics.median(program):.1f} texts/s, Python {statistics.median(python):.1f}: "
      f"{statistics.median(a / b for a, b in zip(program, python)):.3f}")
