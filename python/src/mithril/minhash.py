"""The former name of mithril_stream.minhash."""

import sys

import mithril_stream.minhash

sys.modules[__name__] = mithril_stream.minhash
