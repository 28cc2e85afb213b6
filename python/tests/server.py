"""A program that judges for several clients."""

import contextlib
import signal
import subprocess

import mithril_stream


@contextlib.contextmanager
def listening(*options, ended_by=signal.SIGTERM):
    """Run `mithril-stream judge` with options that include --listen, and yield a list of its messages. SIGTERM must
    end it without an error."""
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
