"""Remove near-duplicates from lists, data frames, files and streams of texts.

A text is a duplicate if it resembles any earlier one: by default, if the Jaccard similarity of their sets of five
neighbouring words is at least .85. Verdicts are the verdicts of the program.
"""

from __future__ import annotations

from mithril_stream import MithrilError, __version__
from mithril_stream._client import Client
from mithril_stream._deduplicate import deduplicate, duplicates
from mithril_stream._deduplicator import Deduplicator
from mithril_stream._groups import Cluster
from mithril_stream._results import Match, Result, Stats

__all__ = [
    "Client", "Cluster", "Deduplicator", "Match", "MithrilError", "Result", "Stats", "__version__", "deduplicate",
    "duplicates",
]  # fmt: skip
