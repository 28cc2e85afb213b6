"""The former name of mithril_stream.dedup."""

import sys

import mithril_stream.dedup

sys.modules[__name__] = mithril_stream.dedup
