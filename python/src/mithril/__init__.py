"""The former name of mithril_stream. It stays for one release: import mithril_stream instead."""

import warnings

from mithril_stream import MithrilError, __version__, find_program

__all__ = ["MithrilError", "__version__", "find_program"]

warnings.warn(
    "the package mithril is now called mithril_stream, and the old name goes after one release: import mithril_stream",
    FutureWarning,
    stacklevel=2,
)
