"""Rows for a cluster, as Parquet files of the columns id, text and site."""

import os
import random

import pyarrow as pa
import pyarrow.parquet as pq


def plain(count):
    """Yield texts of 60 words of 50,000. Every fifth text repeats all words but one of an earlier text among the first 20,000."""
    rng = random.Random(3)
    words, earlier = [f"{rng.getrandbits(30):x}" for _ in range(50_000)], []
    for i in range(count):
        if i % 5 == 4:
            text = list(rng.choice(earlier))
            text[rng.randrange(60)] = rng.choice(words)
        else:
            text = rng.choices(words, k=60)
            if len(earlier) < 20_000:
                earlier.append(text)
        yield " ".join(text), f"{i % 1000}.example"


def skewed(count):
    """Yield texts that all end in the same words, so that all have some keys in common: half of them pages of one site,
    a tenth near copies of one text."""
    rng = random.Random(9)
    words = [f"{rng.getrandbits(30):x}" for _ in range(50_000)]
    template, popular = rng.choices(words, k=20), rng.choices(words, k=60)
    for i in range(count):
        if i % 10 == 9:
            text = list(popular)
            text[rng.randrange(60)] = rng.choice(words)
            yield " ".join(text + template), "copies.example"
        else:
            site = "half.example" if i % 10 < 5 else f"{rng.randrange(count // 20)}.example"
            yield " ".join(rng.choices(words, k=40) + template), site


def write(directory, texts, count, files=4):
    """Divide the first rows evenly among that many files."""
    os.makedirs(directory)
    made = zip(*texts(count))
    texts, sites = map(list, made)
    table = pa.table({"id": pa.array(range(count), pa.int64()), "text": texts, "site": sites})
    for n in range(files):
        start, end = n * count // files, (n + 1) * count // files
        pq.write_table(table.slice(start, end - start), f"{directory}/part-{n}.parquet")
