"""Near-duplicate removal with mithril-stream. See :mod:`mithril.dedup`."""

from mithril._program import MithrilError, find_program

__version__ = "0.1.0.dev0"

__all__ = ["MithrilError", "__version__", "find_program"]
