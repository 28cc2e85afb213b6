"""The former name of mithril_stream.spark."""

import sys

import mithril_stream.spark

sys.modules[__name__] = mithril_stream.spark
