"""Near-duplicate removal with mithril-stream. See :mod:`mithril_stream.dedup`."""

from mithril_stream._program import MithrilError, find_program

try:
    from mithril_stream._version import __version__  # pyright: ignore[reportMissingModuleSource]
except ImportError:  # the sources are used without having been built
    __version__ = "0.0.0"

__all__ = ["MithrilError", "__version__", "find_program"]
