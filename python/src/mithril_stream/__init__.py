"""Near-duplicate removal with mithril-stream. See :mod:`mithril_stream.dedup`."""

import importlib.metadata

from mithril_stream._program import MithrilError, find_program

try:
    __version__ = importlib.metadata.version("mithril-stream")
except importlib.metadata.PackageNotFoundError:  # the sources are used without having been installed
    __version__ = "0.0.0"

__all__ = ["MithrilError", "__version__", "find_program"]
