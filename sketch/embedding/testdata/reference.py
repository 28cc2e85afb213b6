"""Makes a model directory of the weights in the package wordllama, and the vectors that model2vec
gives the texts, with 32-bit floats and without an end at 512 tokens.

    pip install model2vec==0.10.0 && pip install --no-deps wordllama==0.4.0.post1
    python reference.py DIRECTORY < TEXTS.jsonl > GOLDEN.jsonl
"""

import importlib.util
import json
import pathlib
import shutil
import sys

import numpy as np
from model2vec import StaticModel
from safetensors.numpy import load_file
from tokenizers import Tokenizer

package = pathlib.Path(importlib.util.find_spec("wordllama").submodule_search_locations[0])
directory = pathlib.Path(sys.argv[1])
shutil.copy(package / "weights" / "l2_supercat_256.safetensors", directory / "model.safetensors")
shutil.copy(package / "tokenizers" / "l2_supercat_tokenizer_config.json", directory / "tokenizer.json")

vectors = load_file(directory / "model.safetensors")["embedding.weight"].astype(np.float32)
model = StaticModel(vectors, Tokenizer.from_file(str(directory / "tokenizer.json")), normalize=True)
model.tokenizer.no_truncation()
texts = [json.loads(line)["text"] for line in sys.stdin]
for text, ids, vector in zip(texts, model.tokenize(texts), model.encode(texts, max_length=None)):
    print(json.dumps({"text": text, "ids": ids, "vector": vector.tolist() if ids else []}))
