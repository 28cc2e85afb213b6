"""Each way removes near-duplicates of a file of JSON Lines with another program: python ways.py WAY FILE FLAGS.

FLAGS gets a line for each record, 1 if it is kept. All get shingles of five words and 128 hashes, and are asked for a
Jaccard similarity of .85 where they can be asked; bands are their own, or 16 of 8 where they have none.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

THRESHOLD, HASHES, BANDS, ROWS, WORDS = 0.85, 128, 16, 8, 5


def texts_of(path):
    with open(path) as lines:
        for line in lines:
            yield json.loads(line)["text"]


def shingles(text):
    words = text.split()
    return [" ".join(words[i : i + WORDS]) for i in range(max(1, len(words) - WORDS + 1))]


def streamed(path, query, insert):
    """What is kept if a record is asked for before it is inserted."""
    for number, text in enumerate(texts_of(path)):
        found, what = query(text)
        insert(number, what)
        yield not found


def datasketch_tables(path):
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=THRESHOLD, num_perm=HASHES)

    def query(text):
        m = MinHash(num_perm=HASHES)
        m.update_batch([s.encode() for s in shingles(text)])
        return lsh.query(m), m

    return streamed(path, query, lsh.insert)


def datasketch_bloom(path):
    from datasketch import MinHash, MinHashLSHBloom

    records = sum(1 for _ in texts_of(path))
    lsh = MinHashLSHBloom(threshold=THRESHOLD, num_perm=HASHES, n=records, fp=1e-5)

    def query(text):
        m = MinHash(num_perm=HASHES)
        m.update_batch([s.encode() for s in shingles(text)])
        return lsh.query(m), m

    return streamed(path, query, lambda _, m: lsh.insert(m))


def rensa(path):
    from rensa import RMinHash, RMinHashLSH

    lsh = RMinHashLSH(THRESHOLD, HASHES, BANDS)

    def query(text):
        m = RMinHash(HASHES, 42)
        m.update(shingles(text))
        return lsh.query(m), m

    return streamed(path, query, lsh.insert)


def gaoya(path):
    from gaoya.minhash import MinHashStringIndex

    size = {"num_bands": BANDS, "band_size": ROWS, "ngram_range": (WORDS, WORDS)}
    index = MinHashStringIndex(32, THRESHOLD, analyzer="word", id_container="smallvec", **size)
    return streamed(path, lambda text: (index.query(text), text), index.insert_document)


def fastsketchlsh(path):
    from FastSketchLSH import LSH, FastSimilaritySketch

    sketch, lsh = FastSimilaritySketch(size=HASHES), LSH(HASHES, BANDS, num_threads=1)

    def of(block):
        sketches = sketch.batch([shingles(text) for text in block], num_threads=1)
        return (not flag for flag in lsh.insert_and_query_duplicates(sketches))

    block = []
    for text in texts_of(path):
        block.append(text)
        if len(block) == 10_000:
            yield from of(block)
            block = []
    if block:
        yield from of(block)


def lshcurator(path):
    from lshcurator import Bucket, Deduper

    size = {"shingle_k": 25, "shingle_step": 1}  # characters: it has no words
    bucket = Bucket(bands=BANDS, rows_per_band=ROWS, **size)
    for text in texts_of(path):
        bucket.insert(text)
    judge = Deduper(bucket.extract_keys(2), bands=BANDS, rows_per_band=ROWS, similarity_threshold=THRESHOLD, **size)
    return map(judge, texts_of(path))


def daft(path):
    import daft
    import numpy as np
    from daft import col
    from daft.functions import minhash

    hashes = daft.read_json(path).with_column(
        "hashes", minhash(col("text"), num_hashes=HASHES, ngram_size=WORDS, hash_function="xxhash3_64")
    )
    hashes = hashes.select("id", "hashes").to_arrow()
    rows = hashes["hashes"].combine_chunks().values.to_numpy().astype(np.uint64).reshape(-1, BANDS, ROWS)
    odd = np.random.default_rng(1).integers(0, 1 << 63, ROWS, np.uint64) * np.uint64(2) + np.uint64(1)
    order = hashes["id"].to_numpy()
    bands = daft.from_pydict(
        {
            "id": np.repeat(order, BANDS),
            "band": np.tile(np.arange(BANDS), len(order)),
            "key": (rows * odd).sum(axis=2, dtype=np.uint64).ravel(),  # a hash of each band
        }
    )
    first = bands.groupby("band", "key").agg(col("id").min().alias("first"))
    removed = bands.join(first, on=["band", "key"]).where(col("first") < col("id")).select("id").distinct()
    gone = set(removed.to_pydict()["id"])
    return (i not in gone for i in range(len(order)))


def duckdb(path):
    """Keys by this program, and the records that share one by DuckDB."""
    import duckdb

    with tempfile.TemporaryDirectory() as work:
        keys = f"{work}/keys.parquet"
        run = [os.environ["MITHRIL_STREAM_PROGRAM"], "fingerprint", "-q", "--threads", "1", "--id", "id"]
        subprocess.run([*run, path, "-o", keys], check=True)
        db = duckdb.connect(config={"threads": 1, "temp_directory": work})
        rows = db.execute(
            f"""WITH signatures AS (SELECT record::BIGINT AS id, minhash::UBIGINT[] AS slots FROM '{keys}'),
                bands AS (
                  SELECT id, band, slots[{ROWS} * band + 1 : {ROWS} * band + {ROWS}] AS key
                  FROM signatures, range({BANDS}) AS of(band)),
                firsts AS (SELECT band, key, min(id) AS first FROM bands GROUP BY ALL)
                SELECT DISTINCT id FROM bands JOIN firsts USING (band, key) WHERE first < id"""
        ).fetchall()
    gone = {int(i) for (i,) in rows}
    return (i not in gone for i in range(sum(1 for _ in texts_of(path))))


def spark_lshbloom(path):
    from pyspark.sql import SparkSession
    from spark_lshbloom import SparkLSHBloom

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    lsh = SparkLSHBloom(threshold=THRESHOLD, num_perm=HASHES, mode="lshbloom")
    rows = lsh.deduplicate(spark.read.json(path), text_col="text", id_col="id").select("id").collect()
    kept = {int(row.id) for row in rows}
    return (i in kept for i in range(sum(1 for _ in texts_of(path))))


def text_dedup(path):
    with tempfile.TemporaryDirectory() as work:
        run = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", path, "--split", "train"]
        run += ["--cache_dir", f"{work}/cache", "--output", f"{work}/kept", "--column", "text", "--idx_column", "id"]
        run += ["--ngram", WORDS, "--num_perm", HASHES, "--threshold", THRESHOLD]
        run += ["--hash_func", "xxh3", "--num_proc", "1"]
        subprocess.run([str(a) for a in run], check=True, stdout=subprocess.DEVNULL)
        import datasets

        kept = set(datasets.load_from_disk(f"{work}/kept")["id"])
    return (i in kept for i in range(sum(1 for _ in texts_of(path))))


def data_juicer(path):
    from data_juicer.core.data import NestedDataset
    from data_juicer.ops.deduplicator.document_minhash_deduplicator import DocumentMinhashDeduplicator
    from datasets import load_dataset

    with tempfile.TemporaryDirectory() as work:
        rows = NestedDataset(load_dataset("json", data_files=path, split="train", cache_dir=work))
        of = DocumentMinhashDeduplicator(
            tokenization="space", window_size=WORDS, jaccard_threshold=THRESHOLD, num_permutations=HASHES
        )
        kept = set(of.process(rows.map(of.compute_hash, num_proc=1))[0]["id"])
    return (i in kept for i in range(sum(1 for _ in texts_of(path))))


def datatrove(path):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashConfig,
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter
    from datatrove.utils.hashing import HashConfig

    size = {"num_buckets": BANDS, "hashes_per_bucket": ROWS, "n_grams": WORDS}
    config = MinhashConfig(hash_config=HashConfig(precision=64), **size)
    with tempfile.TemporaryDirectory() as work:

        def read():
            return JsonlReader(str(Path(path).parent), glob_pattern=Path(path).name)

        stages = [
            [read(), MinhashDedupSignature(f"{work}/signatures", config=config)],
            [MinhashDedupBuckets(f"{work}/signatures", f"{work}/buckets", config=config)],
            [MinhashDedupCluster(f"{work}/buckets", f"{work}/remove", config=config)],
            [read(), MinhashDedupFilter(f"{work}/remove"), JsonlWriter(f"{work}/kept", compression=None)],
        ]
        for number, stage in enumerate(stages):
            tasks = BANDS if number == 1 else 1
            LocalPipelineExecutor(stage, tasks=tasks, workers=1, logging_dir=f"{work}/log{number}").run()
        kept = {int(json.loads(line).get("id", 0)) for f in Path(f"{work}/kept").iterdir() for line in open(f)}
    return (i in kept for i in range(sum(1 for _ in texts_of(path))))


def start_ray():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    return ray.data.read_json


def mithril_ray(path):
    import mithril_stream.ray

    kept = set(mithril_stream.ray.deduplicate(start_ray()(path), text="text", order=["id"]).to_pandas()["id"])
    return (i in kept for i in range(sum(1 for _ in texts_of(path))))


def data_juicer_ray(path):
    from data_juicer.ops.deduplicator.ray_bts_minhash_deduplicator import RayBTSMinhashDeduplicator

    with tempfile.TemporaryDirectory() as work:
        read = start_ray()
        of = RayBTSMinhashDeduplicator(
            tokenization="space",
            window_size=WORDS,
            jaccard_threshold=THRESHOLD,
            num_permutations=HASHES,
            work_dir=work,
        )
        kept = set(of.run(read(path)).to_pandas()["id"])
    return (i in kept for i in range(sum(1 for _ in texts_of(path))))


def incrededup(path):
    """Its program over a table of SQLite. It has shingles of three words, and keeps the least id of a group."""
    import sqlite3
    import uuid

    with tempfile.TemporaryDirectory() as work:
        db = sqlite3.connect(f"{work}/documents.sqlite")
        db.execute("CREATE TABLE documents (id TEXT PRIMARY KEY, content TEXT NOT NULL, content_len INTEGER NOT NULL, "
                   "filename TEXT, is_parent INTEGER)")  # fmt: skip
        db.execute("CREATE TABLE dupes (child_id TEXT PRIMARY KEY, parent_id TEXT NOT NULL, "
                   "jaccard_similarity REAL NOT NULL, size_difference INTEGER NOT NULL, "
                   "size_difference_pct REAL NOT NULL)")  # fmt: skip
        rows = ((str(uuid.UUID(int=i)), t, len(t.encode())) for i, t in enumerate(texts_of(path)))
        db.executemany("INSERT INTO documents VALUES (?, ?, ?, NULL, NULL)", rows)
        db.commit()
        run = [Path(sys.prefix) / "bin" / "incrededup", "--sqlite", f"{work}/documents.sqlite"]
        run += ["--data-dir", f"{work}/index", "--min-content-len", "1", "--threshold", str(THRESHOLD)]
        run += ["--workers", "1"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        kept = [bool(of) for (of,) in db.execute("SELECT is_parent FROM documents ORDER BY id")]
        disk = sum(f.stat().st_blocks * 512 for f in Path(f"{work}/index").rglob("*"))
        print(f"{disk / len(kept):.0f} bytes of index a record", file=sys.stderr)
    return kept


def below():
    """Seconds of CPU of all processes below this one: an engine that nobody waits for."""
    tick, seen, stats = os.sysconf("SC_CLK_TCK"), {os.getpid()}, {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                stats[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
    while more := {pid for pid, fields in stats.items() if int(fields[1]) in seen} - seen:
        seen |= more
    return sum(sum(map(int, stats[pid][11:15])) for pid in seen - {os.getpid()} if pid in stats) / tick


def main():
    way, path, flags = sys.argv[1:]
    with open(flags, "w") as out:
        for kept in globals()[way](path):
            out.write("1\n" if kept else "0\n")
    Path(flags + ".below").write_text(str(below()))


if __name__ == "__main__":
    main()
