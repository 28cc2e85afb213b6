"""A program that judges for several clients."""

import contextlib
import signal
import subprocess

import mithril_stream


@contextlib.contextmanager
def listening(*options):
    """Run `mithril-stream judge` with options, one of which is --listen; it must end well. What it said last is in the
    list that is yielded."""
    command = [mithril_stream.find_program(), "judge", *options]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said = [child.stderr.readline()]
    assert "listening on" in said[0]
    try:
        yield said
    finally:
        child.send_signal(signal.SIGTERM)
        said += child.communicate()[1].splitlines()
    assert child.returncode == 0, said
