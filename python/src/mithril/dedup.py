"""Remove near-duplicates from lists, data frames, files and streams of texts.

A text is a duplicate if it resembles any earlier one: by default, if the Jaccard similarity of their sets of five
neighbouring words is at least .85, as MinHash estimates it. Verdicts are the verdicts of the program: of `mithril-stream
--memory exact`, unless another memory is asked for.
"""

from __future__ import annotations

from mithril import __version__
from mithril._deduplicate import deduplicate
from mithril._deduplicator import Deduplicator
from mithril._groups import Cluster
from mithril._results import Match, Result, Stats

__all__ = ["Cluster", "Deduplicator", "Match", "Result", "Stats", "__version__", "deduplicate"]
