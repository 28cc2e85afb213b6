"""Runs the program: python -m mithril_stream is mithril-stream."""

import os
import sys

from mithril_stream import find_program

if __name__ == "__main__":
    os.execv(find_program(), ["mithril-stream", *sys.argv[1:]])
