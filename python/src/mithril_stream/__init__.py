"""Near-duplicate removal with mithril-stream. See :mod:`mithril_stream.dedup`."""

from mithril_stream._program import MithrilError, find_program

__version__ = "0.1.0.dev0"

__all__ = ["MithrilError", "__version__", "find_program"]
