"""Near-duplicate removal with mithril-stream. See :mod:`mithril.dedup`."""

from mithril._program import MithrilError, find_program

__all__ = ["MithrilError", "find_program"]
