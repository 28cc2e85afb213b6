"""Writes vectors.jsonl beside this file: digests and distances by py-tlsh, the reference implementation.

    python3 -m venv /tmp/tlsh && /tmp/tlsh/bin/pip install py-tlsh==5.0.0
    /tmp/tlsh/bin/python generate.py

An input is `length` bytes: the first byte of each output of SplitMix64 from `seed` on, modulo `kinds`, plus 32; the bytes
before `changed` come from the seed + 1. `digest` is empty where there is none. `distance` is that to the digest of the line
before, if both have one.
"""

import json
import pathlib

import tlsh

MASK64 = 2**64 - 1


def data(seed: int, length: int, kinds: int, changed: int) -> bytes:
    return (part(seed + 1, kinds, changed) + part(seed, kinds, length)[changed:])[:length]


def part(state: int, kinds: int, length: int) -> bytes:
    out = bytearray()
    for _ in range(length):
        state = (state + 0x9E3779B97F4A7C15) & MASK64
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        out.append(((z ^ (z >> 31)) & 255) % kinds + 32)
    return bytes(out)


def cases():
    for length in (0, 49, 50, 51, 57, 58, 86, 87, 129, 130, 194, 195, 291, 292, 656, 657, 854, 855, 1110, 1111, 3199, 3200, 3475,
                   3476, 20000, 100000):
        yield 7, length, 26, 0
    for changed in (0, 1, 5, 20, 100, 300, 1000):
        yield 9, 2000, 60, changed
    for kinds in (1, 2, 3, 4, 5, 8, 16, 128, 223):
        for length in (50, 64, 300, 5000):
            yield 11, length, kinds, 0
    for seed in range(100, 220):
        yield seed, 50 + seed * seed % 3000, 20 + seed % 30, 0


with open(pathlib.Path(__file__).parent / "vectors.jsonl", "w", encoding="utf-8", newline="\n") as out:
    before = ""
    for seed, length, kinds, changed in cases():
        digest = tlsh.hash(data(seed, length, kinds, changed)).replace("TNULL", "")
        line = {"seed": seed, "length": length, "kinds": kinds, "changed": changed, "digest": digest}
        if digest and before:
            line["distance"] = tlsh.diff(before, digest)
        before = digest
        out.write(json.dumps(line) + "\n")
