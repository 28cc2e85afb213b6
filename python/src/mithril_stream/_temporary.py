"""Temporary directories that go when this process does, also if it is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator

# A shell that waits until nobody holds its input any more, and then removes the directories that it was told of. A
# child that writes into one may take a moment longer to end.
REMOVE = """
while IFS= read -r path; do set -- "$@" "$path"; done
for path do
	tries=0
	while [ -e "$path" ] && [ $tries -lt 100 ]; do rm -rf "$path" || sleep 0.1; tries=$((tries + 1)); done
done
"""

_lock = threading.Lock()
_shell: tuple[int, int] | None = None  # the process that has started it, and the descriptor of its input


def temporary_directory() -> str:
    """Make a directory. remove takes it away, or else the end of this process, however it ends."""
    path = tempfile.mkdtemp(prefix="mithril-")
    try:
        os.write(_input_of_shell(), os.fsencode(path) + b"\n")
    except OSError:  # without a shell it goes when it is removed
        pass
    return path


@contextlib.contextmanager
def scratch_directory() -> Iterator[str]:
    """Make a directory for the time of a block."""
    path = temporary_directory()
    try:
        yield path
    finally:
        remove(path)


def remove(path: str) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _input_of_shell() -> int:
    """Return what the shell of this process reads. One that a parent has started is the parent's."""
    global _shell
    with _lock:
        if _shell is None or _shell[0] != os.getpid():
            out, to = os.pipe()
            subprocess.Popen(
                ["/bin/sh", "-c", REMOVE, "mithril-stream"],
                stdin=out,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # what ends this process and its group does not end it
            ).returncode = 0  # nobody waits for it: it ends after this process
            os.close(out)
            _shell = os.getpid(), to
        return _shell[1]
