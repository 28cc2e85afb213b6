"""The former name of mithril_stream.ray."""

import sys

import mithril_stream.ray

sys.modules[__name__] = mithril_stream.ray
