"""A program that judges for several clients."""

import contextlib
import signal
import subprocess

import mithril_stream


@contextlib.contextmanager
def listening(*options, ended_by=signal.SIGTERM):
    """Run `mithril-stream judge` with options, one of which is --listen; by SIGTERM it must end well. What it says is in
    the list that is yielded."""
    command = [mithril_stream.find_program(), "judge", *options]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said = [child.stderr.readline()]
    assert "listening on" in said[0]
    try:
        yield said
    finally:
        child.send_signal(ended_by)
        said += child.communicate()[1].splitlines()
    assert child.returncode == (0 if ended_by == signal.SIGTERM else -ended_by), said
