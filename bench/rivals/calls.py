"""What each way to ask for the same duplicates costs, in user CPU time of Python and of the program, in turns.

    python rivals/calls.py --rows 20000 --words 80 --rounds 5
"""

import argparse
import random
import resource
import statistics

import mithril_stream.dedup as dedup

CALLS = {
    "deduplicate": lambda d, texts: len(d.deduplicate(texts).keep),
    "unique": lambda d, texts: sum(1 for _ in d.unique(texts)),
    "add_many": lambda d, texts: sum(not found for found in d.add_many(texts)),
    "add": lambda d, texts: sum(not d.add(text) for text in texts),
    "unique, batch_size=1": lambda d, texts: sum(1 for _ in d.unique(texts, batch_size=1)),
}


def texts_of(rows, words):
    """Texts of random words; three in ten are an earlier one with a word more."""
    rng = random.Random(1)
    known = [f"w{i}" for i in range(20_000)]
    made = []
    for _ in range(rows):
        if made and rng.random() < 0.3:
            made.append(rng.choice(made) + " more")
        else:
            made.append(" ".join(rng.choices(known, k=words)))
    return made


def used():
    return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=80)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    texts = texts_of(args.rows, args.words)
    ratios, times, kept = {call: [] for call in CALLS}, {call: [] for call in CALLS}, set()
    for _ in range(args.rounds):
        for name, call in CALLS.items():
            began = used()
            with dedup.Deduplicator() as d:
                kept.add(call(d, texts))
            took = used() - began
            if name == "deduplicate":
                first = took
            ratios[name].append(took / first)
            times[name].append(took / len(texts) * 1e6)
    if len(kept) != 1:
        raise SystemExit(f"the calls keep different numbers of texts: {kept}")
    print("the time of deduplicate is 1, and µs of CPU for a text: medians, least and most")
    for name in CALLS:
        print(f"{name:22} {spread(ratios[name])}   {spread(times[name])}")


def spread(all):
    return f"{statistics.median(all):.2f} ({min(all):.2f} – {max(all):.2f})"


if __name__ == "__main__":
    main()
