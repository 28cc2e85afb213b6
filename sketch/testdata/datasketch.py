"""Writes datasketch.jsonl: MinHash signatures as the Python library datasketch computes them, from its definition.

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


def signature(tokens, num_perm, seed):
    r = random_state(seed)
    slots = []
    hashes = [int.from_bytes(hashlib.sha1(t.encode()).digest()[:4], "little") for t in tokens]
    for _ in range(num_perm):
        a = randint(r, 1, P)
        b = randint(r, 0, P)
        slots.append(min((a * h + b) % 2**64 % P % 2**32 for h in hashes))
    return slots


SETS = [["a"], ["a", "b", "a"], ["café", "cafe\u0301", "漢字", "🙂"], ["the %d" % i for i in range(200)]]

for tokens in SETS:
    for num_perm, seed in [(16, 1), (128, 1), (16, 42), (16, 2**32 - 1)]:
        print(json.dumps({"num_perm": num_perm, "seed": seed, "tokens": tokens, "slots": signature(tokens, num_perm, seed)}))
