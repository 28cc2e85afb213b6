"""Writes datasketch.jsonl: MinHash signatures as the Python library datasketch computes them, from its definition,
before its release 2.0 ("datasketch", there "legacy") and from then on ("datasketch-affine32", there "affine32").

Needs nothing but Python: numpy's RandomState(seed) is Python's own Mersenne Twister, seeded the older way.

    python3 datasketch.py > datasketch.jsonl
"""
import hashlib
import json
import random

P = 2**61 - 1


def random_state(seed):
    words = [seed]
    for i in range(1, 624):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + i) % 2**32)
    r = random.Random()
    r.setstate((3, tuple(words) + (624,), None))
    return r


def randint(r, low, high):
    """A number of low … high-1, drawn from 64-bit words that are masked and rejected."""
    span = high - 1 - low
    mask = (1 << span.bit_length()) - 1
    while True:
        word = r.getrandbits(32) << 32
        word |= r.getrandbits(32)
        if word & mask <= span:
            return low + (word & mask)


def legacy(hashes, num_perm, seed):
    r = random_state(seed)
    slots = []
    for _ in range(num_perm):
        a = randint(r, 1, P)
        b = randint(r, 0, P)
        slots.append(min((a * h + b) % 2**64 % P % 2**32 for h in hashes))
    return slots


def fmix(h):
    h = (h ^ h >> 16) * 0x85EBCA6B % 2**32
    h = (h ^ h >> 13) * 0xC2B2AE35 % 2**32
    return h ^ h >> 16


def affine32(hashes, num_perm, seed):
    r = random_state(seed)
    odd = [r.getrandbits(32) % 2**31 * 2 + 1 for _ in range(num_perm)]
    added = [r.getrandbits(32) for _ in range(num_perm)]
    return [min((a * fmix(h) + b) % 2**32 for h in hashes) for a, b in zip(odd, added)]


SETS = [["a"], ["a", "b", "a"], ["café", "cafe\u0301", "漢字", "🙂"], ["the %d" % i for i in range(200)]]

for sketch, signature in (("datasketch", legacy), ("datasketch-affine32", affine32)):
    for tokens in SETS:
        hashes = [int.from_bytes(hashlib.sha1(t.encode()).digest()[:4], "little") for t in tokens]
        for num_perm, seed in [(16, 1), (128, 1), (16, 42), (16, 2**32 - 1)]:
            slots = signature(hashes, num_perm, seed)
            print(json.dumps({"sketch": sketch, "num_perm": num_perm, "seed": seed, "tokens": tokens, "slots": slots}))
