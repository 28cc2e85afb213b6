# /// script
# requires-python = ">=3.10"
# dependencies = ["datasets", "mithril-stream"]
# ///
"""Remove near-duplicates from a data set of the Hugging Face Hub, and write a block for its card.

    uv run hub.py OWNER/NAME --split train --text text -o unique

A directory of files takes the place of OWNER/NAME. The rows that stay are written to unique/data.parquet, and what
was done to unique/card.md, for the card of the data set that you make of them.
"""

import argparse
import collections
import pathlib

import datasets

import mithril_stream
import mithril_stream.dedup as dedup

CARD = """\
## Deduplication

Near-duplicates were removed from `{source}`, split `{split}`, with
[mithril-stream](https://github.com/mithril-stream/mithril-stream) {version}. A row is one if the Jaccard similarity of
its five-word shingles in `{text}` with an earlier row is at least {threshold}; the first row of each group stays.

| | rows |
|---|---|
| before | {before:,} |
| after | {after:,} |
| removed | {removed:,} ({share:.1%}) |
| in the largest group | {largest:,} |

To repeat it: `uv run hub.py {source} --split {split} --text {text} --threshold {threshold}`
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="OWNER/NAME, or a directory")
    parser.add_argument("--split", default="train")
    parser.add_argument("--text", default="text", help="the column that is compared")
    parser.add_argument("--threshold", type=float, default=0.85)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("unique"))
    args = parser.parse_args()

    rows = datasets.load_dataset(args.source, split=args.split)
    unique, groups = dedup.deduplicate(rows, args.text, threshold=args.threshold, return_groups=True)
    args.output.mkdir(parents=True, exist_ok=True)
    unique.to_parquet(args.output / "data.parquet")
    removed = rows.num_rows - unique.num_rows
    card = CARD.format(
        **{name: getattr(args, name) for name in ("source", "split", "text", "threshold")},
        version=mithril_stream.__version__, before=rows.num_rows, after=unique.num_rows, removed=removed,
        share=removed / max(rows.num_rows, 1), largest=max(collections.Counter(groups).values(), default=0),
    )  # fmt: skip
    (args.output / "card.md").write_text(card)
    print(card)


if __name__ == "__main__":
    main()
