"""Prints, for each text, its tokens and the vector that Python makes with ONNX Runtime, of windows as
docs/reference/embedding.md defines them. With --speed it says what a second is enough for instead.

    pip install onnxruntime==1.32.0 tokenizers==0.23.3
    python reference.py DIRECTORY POOLING < TEXTS.jsonl
"""

import json
import pathlib
import sys
import time

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

directory, pooling = pathlib.Path(sys.argv[1]), sys.argv[2]
tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
most = (tokenizer.truncation or {"max_length": 512})["max_length"]
tokenizer.no_truncation()
tokenizer.no_padding()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(str(directory / "model.onnx"), options, providers=["CPUExecutionProvider"])
first, last = tokenizer.encode("").ids


def run(ids):
    ids = np.array([ids], dtype=np.int64)
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    return session.run(None, {i.name: given[i.name] for i in session.get_inputs()})[0][0].astype(np.float64)


def vector(ids):
    if not ids:
        return []
    size = most - 2
    windows = [ids[i:i + size] for i in range(0, len(ids), size)]
    rows = [run([first, *window, last]) for window in windows]
    if pooling == "mean":
        pooled = np.concatenate(rows).sum(axis=0)
    elif pooling == "max":
        pooled = np.concatenate(rows).max(axis=0)
    else:
        pooled = sum(r[0] * len(w) for r, w in zip(rows, windows))
    return (pooled / np.linalg.norm(pooled)).tolist()


texts = [json.loads(line)["text"] for line in sys.stdin]
if "--speed" in sys.argv:
    started = time.process_time()
    for text in texts:
        vector(tokenizer.encode(text, add_special_tokens=False).ids)
    print(len(texts) / (time.process_time() - started))
else:
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        print(json.dumps({"text": text, "ids": ids, "vector": vector(ids)}))
