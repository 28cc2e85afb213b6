"""Other programs that remove near-duplicates, beside this one, on the same records and in one run.

    go build -o bin/mithril-stream . && python bench/rivals/rivals.py [--records 100000] [--file FILE.jsonl]

Each is installed into an environment of its own, in --environments, and used again if it is there. --only names some.
What takes longer than --limit seconds is ended. The truth is the exact Jaccard similarity of sets of five words, by
`mithril-stream pairs`: a record is a duplicate if an earlier one is at least .85 similar. Right are removed records that
have another one as similar, earlier or later, since some programs do not keep the first one; precision is their share
of the removed ones. For recall, the right ones of each group of similar records count up to the number of duplicates
that the group has: a program that removes the originals as well finds no more for that. Memory is of the process and
of those below it, together.

--crowds 1000 10000 adds sets of that many pages of one site. Any two pages have a similarity of .74, so every removal
is wrong.
"""

import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "bin" / "mithril-stream"
OURS = {
    "mithril-stream": [],
    "mithril-stream --memory exact": ["--memory", "exact"],
}
RAY = "ray[data]==2.60.0"
# What is installed, and the function of ways.py.
RIVALS = {
    "mithril-stream on Ray": ([RAY, "numpy", "pandas", "pyarrow"], "mithril_ray"),
    "rensa": (["rensa==0.5.0"], "rensa"),
    "gaoya": (["gaoya==0.2.2"], "gaoya"),
    "FastSketchLSH": (["FastSketchLSH==1.0.1"], "fastsketchlsh"),
    "Daft, minhash and a join": (["daft==0.7.26", "numpy"], "daft"),
    "DuckDB over our signatures": (["duckdb==2.0.1"], "duckdb"),
    "datasketch MinHashLSH": (["datasketch==1.9.0"], "datasketch_tables"),
    "datasketch MinHashLSHBloom": (["datasketch==1.9.0", "pybloomfiltermmap3"], "datasketch_bloom"),
    "lshcurator": (["lshcurator==0.0.1"], "lshcurator"),
    "spark-lshbloom": (["spark-lshbloom==0.1.0", "numpy", "pandas", "pyarrow"], "spark_lshbloom"),
    "text-dedup": (["text-dedup==0.4.0"], "text_dedup"),
    "Data-Juicer": (["py-data-juicer==1.6.1", "aiohttp"], "data_juicer"),
    "Data-Juicer on Ray": (["py-data-juicer==1.6.1", "aiohttp", RAY], "data_juicer_ray"),
    "incrededup": (["cargo:incrededup@0.3.1"], "incrededup"),
    "datatrove": (["datatrove[processing]==0.10.1", "orjson", "spacy"], "datatrove"),
}
# What cannot take part.
ABSENT = {
    "NeMo Curator 1.4.0": "its fuzzy deduplication needs a GPU (cuDF)",
    "duplodocus": "a program in Rust that is in no registry; runs of several stages, without an index of earlier ones",
    "FOLD (RAD)": "a paper (arXiv 2606.03001) without a package: .94 to .97 of the recall of LSH at 30 million texts",
    "fast-dedup 0.1.0": "it compares two signatures, and has no index of them",
    "txtfp 0.3.2": "a library in Rust, which has signatures and no index of them",
}


def write_records(path, count):
    """Records of 200 words of 50,000. Of a tenth all words but some, up to 20 in a row, are of an earlier record."""
    rng = random.Random(3)
    words = [f"{rng.getrandbits(30):x}" for _ in range(50_000)]
    earlier = []
    with open(path, "w") as f:
        for i in range(count):
            text = rng.choices(words, k=200)
            if i % 10 == 9:
                text = list(rng.choice(earlier))
                start, changed = rng.randrange(180), rng.randint(1, 20)
                text[start : start + changed] = rng.choices(words, k=changed)
            elif len(earlier) < 20_000:
                earlier.append(text)
            f.write(f'{{"id":{i},"text":"{" ".join(text)}"}}\n')


def write_crowd(path, count):
    """Write pages of 400 words: the first 340 are the same on all pages, the last 60 are unique."""
    rng = random.Random(5)
    common = " ".join(f"{rng.getrandbits(30):x}" for _ in range(340))
    with open(path, "w") as f:
        for i in range(count):
            own = " ".join(f"{rng.getrandbits(30):x}" for _ in range(60))
            f.write(f'{{"id":{i},"text":"{common} {own}"}}\n')


def truth(path, records):
    """How many records have an earlier one that is similar enough, and the group of each that has any."""
    run = [PROGRAM, "pairs", "-q", "--threshold", "0.85", path]
    earlier, group = bytearray(records), list(range(records))

    def first_of(record):
        while group[record] != record:
            group[record] = record = group[group[record]]
        return record

    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True) as child:
        next(child.stdout)
        for line in child.stdout:
            first, second = (int(name.rpartition(":")[2]) - 1 for name in line.split("\t")[:2])
            earlier[second] = 1
            group[first_of(second)] = first_of(first)
    if child.returncode:
        sys.exit("the truth was not found")
    duplicates = collections.Counter(first_of(record) for record in range(records) if earlier[record])
    return sum(earlier), [(g if duplicates[g] else None) for g in map(first_of, range(records))], duplicates


def resident(pid):
    """MiB at the peaks of a process and of those below it that are there. What wait4 says begins with its parent's."""
    parents, peaks = {}, {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                lines = dict(line.split(":", 1) for line in (entry / "status").read_text().splitlines())
                parents[int(entry.name)] = int(lines["PPid"])
                peaks[int(entry.name)] = int(lines.get("VmHWM", "0 kB").split()[0]) / 1024
        except OSError:
            continue  # it has ended
    below = {pid}
    while more := {p for p, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(peaks.get(p, 0) for p in below)


def measure(run, limit, environment=None):
    """Seconds of CPU and MiB at the peak of a program and of what it has waited for, or why there are none."""
    started, peak = time.monotonic(), 0
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(run, stdout=said, stderr=said, env=environment, start_new_session=True)
        while True:
            peak = max(peak, resident(child.pid))
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - started > limit:
                os.killpg(child.pid, 9)
                os.wait4(child.pid, 0)
                child.returncode = -9
                return None, f"ended after {limit} s"
            time.sleep(0.05)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            said.seek(0)
            last = said.read().decode(errors="replace").strip().splitlines() or [f"exit {child.returncode}"]
            return None, last[-1][:120]
    return (used.ru_utime + used.ru_stime, peak), None


def installed(directory, packages):
    """Return the Python of an environment with these packages, or why it could not be made. Programs from cargo are
    compiled, which takes half an hour."""
    python = directory / "bin" / "python"
    done = directory / "installed"
    if not done.exists():
        venv.create(directory, with_pip=True, clear=True)
        run = [python, "-m", "pip", "install", "-q", *packages]
        if packages[0].startswith("cargo:"):
            if not shutil.which("cargo"):
                return None, "there is no cargo to build it"
            run = ["cargo", "install", "-q", "--locked", "--root", directory, packages[0].removeprefix("cargo:")]
        of = subprocess.run(run, capture_output=True, text=True)
        if of.returncode:
            return None, (of.stderr.strip().splitlines() or ["the installation fails"])[-1][:120]
        done.touch()
    return python, None


def quality(flags, groups, duplicates):
    removed, right = 0, collections.Counter()
    for number, line in enumerate(open(flags)):
        if line == "0\n":
            removed += 1
            if groups[number] is not None:
                right[groups[number]] += 1
    if number + 1 != len(groups):
        return f"{number + 1} verdicts of {len(groups)}"
    found = sum(min(count, duplicates[group]) for group, count in right.items())
    return f"{removed} | {right.total() / max(1, removed):.4f} | {found / max(1, duplicates.total()):.4f}"


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--records", type=int, default=100_000)
    flags.add_argument("--file")
    flags.add_argument("--crowds", type=int, nargs="*", default=[])
    flags.add_argument("--only", nargs="*", default=list(RIVALS))
    flags.add_argument("--limit", type=int, default=600)
    flags.add_argument("--environments", default=os.path.join(tempfile.gettempdir(), "rivals"))
    args = flags.parse_args()
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "records.jsonl")
        if args.file:
            os.symlink(os.path.abspath(args.file), path)
        else:
            write_records(path, args.records)
        for size in args.crowds:
            write_crowd(f"{work}/crowd{size}.jsonl", size)
        records = sum(1 for _ in open(path))
        count, groups, duplicates = truth(path, records)
        print(f"{records} records, of which {count} are duplicates; seconds of CPU of one thread\n")
        heads = ["", "CPU, s", "over the first", "peak, MiB", "removed", "precision", "recall"]
        heads += [f"removed of a crowd of {size}" for size in args.crowds]
        print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
        first = None
        for name, options in OURS.items():
            run = [PROGRAM, "-q", "--threads", "1", *options, "--flags", f"{work}/flags", "-o", os.devnull]
            used, why = measure([*run, path], args.limit)
            first = first or used[0]
            found = quality(f"{work}/flags", groups, duplicates)
            for size in args.crowds:
                measure([*run, f"{work}/crowd{size}.jsonl"], args.limit)
                found += crowd(f"{work}/flags", size)
            row(name, used, why, first, found)
        environment = os.environ | {"MITHRIL_STREAM_PROGRAM": str(PROGRAM), "OMP_NUM_THREADS": "1", "TMPDIR": work}
        environment |= {"PYTHONPATH": str(PROGRAM.parents[1] / "python" / "src"), "RAY_USAGE_STATS_ENABLED": "0"}
        for name in args.only:
            packages, way = RIVALS[name]
            python, why = installed(Path(args.environments) / way, packages)
            used, found = None, ""
            if python:
                run = [python, Path(__file__).with_name("ways.py"), way]
                used, why = measure([*run, path, f"{work}/flags"], args.limit, environment)
                if used:  # an engine that nobody has waited for
                    used = used[0] + float(Path(f"{work}/flags.below").read_text()), used[1]
                    found = quality(f"{work}/flags", groups, duplicates)
                for size in args.crowds if used else []:
                    of_crowd = [*run, f"{work}/crowd{size}.jsonl", f"{work}/flags"]
                    ended, why = measure(of_crowd, args.limit, environment)
                    found += crowd(f"{work}/flags", size) if ended else f" | {why}"
            row(f"{name} ({packages[0]})", used, why, first, found)
        for name, why in ABSENT.items():
            print(f"| {name} | {why} | | | | | |" + " |" * len(args.crowds))


def crowd(flags, size):
    """The share of a crowd that was removed."""
    verdicts = Path(flags).read_text().split()
    return f" | {verdicts.count('0') / size:.1%}" if len(verdicts) == size else f" | {len(verdicts)} verdicts"


def row(name, used, why, first, found):
    if used:
        print(f"| {name} | {used[0]:.1f} | {used[0] / first:.1f} | {used[1]:.0f} | {found} |")
    else:
        print(f"| {name} | {why} | | | | | |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
