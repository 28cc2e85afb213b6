"""Which options of the program have a meaning on a cluster, where keys of bands are compared by an engine."""

from __future__ import annotations

from collections.abc import Sequence

from mithril_stream._settings import strings

# Options that say how texts become keys of bands, and how many of these make a duplicate.
TAKEN = {
    "--markup",
    "--normalize",
    "--tokenize",
    "--shingle-size",
    "--tune",
    "--recall",
    "--profile",
    "--num-perm",
    "--bands",
    "--rows",
    "--votes",
    "--sketch",
    "--band-key",
    "--seed",
    "--max-record",
}
# Sketches that consist of bands.
SKETCHES = ("fss", "affine", "datasketch", "murmur3")

_VERIFIED = 'memory="exact" compares sets of shingles here, and there is no other way: use mithril_stream.dedup for it'
_FILTERS = "there are no filters here: keys are compared exactly, and kept in the directory index="
_PARTS = "texts are compared as wholes here: use mithril_stream.dedup for parts of them"
# Why others are refused.
REFUSED = {
    "--preset": "give preset=",
    "--threshold": "give threshold=",
    "--memory": "give memory=",
    "--verify": _VERIFIED,
    "--verify-shingle": _VERIFIED,
    "--containment": _VERIFIED,
    "--max-memory": "the engine says what its tasks may take",
    "--index": "give index= and day=",
    "--run": "give day=",
    "--read-only": "give annotate=True and no index=, or another directory",
    "--against": "rows are compared with the days in the directory index=",
    "--capacity": _FILTERS,
    "--fp-rate": _FILTERS,
    "--on-full": _FILTERS,
    "--filter": _FILTERS,
    "--keep-generations": "leave directories of days out of index= that are to be forgotten",
    "--remember": "a row is compared with all earlier ones here",
    "--within": "give within=",
    "--scale": _PARTS,
    "--contained": _PARTS,
    "--method": _PARTS,
    "--overlap": _PARTS,
    "--parts": _PARTS,
    "--threads": "each task has one",
    "--max-unreadable": "a row without a text is kept here, and is not compared",
    "--listen": "each task asks a program of its own",
    "--help": "see docs/reference/python.md",
    "--version": "it is mithril_stream.__version__",
}


def taken(options: Sequence[str]) -> list[str]:
    """Return the options, all of which have a meaning. Raises ValueError for the first one that has none."""
    options = strings(options)
    for at, option in enumerate(options):
        name, _, value = option.partition("=")
        if not name.startswith("-"):
            continue
        if name not in TAKEN:
            why = REFUSED.get(name, f"these are taken: {', '.join(sorted(TAKEN))}")
            raise ValueError(f"options has {name}, which has no meaning on a cluster: {why}")
        if name == "--sketch":
            value = value or "".join(options[at + 1 : at + 2])
            if value not in SKETCHES:
                raise ValueError(f"options has --sketch {value}, which has no bands: use one of {', '.join(SKETCHES)}")
    return options
