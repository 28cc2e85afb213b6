"""The program that does the work: where it is, and how it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence

from mithril_stream._settings import in_terms_of_python


WRONG_SETTINGS = 2  # the exit code
OTHER_SETTINGS = "the index was built with other parameters"  # than those that are given


class MithrilError(RuntimeError):
    """What the program says when it cannot go on."""


class SettingError(MithrilError, ValueError):
    """What the program says of settings that it does not take."""


def find_program() -> str:
    """Return the path of mithril-stream.

    It is that of the variable MITHRIL_STREAM_PROGRAM, if that is set; else the one that came with
    this package; else the first one in PATH. Raises FileNotFoundError if there is none.
    """
    given = os.environ.get("MITHRIL_STREAM_PROGRAM")
    if given:
        return given
    name = "mithril-stream" + (".exe" if sys.platform == "win32" else "")
    user = sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))
    for directory in (sysconfig.get_path("scripts"), user):
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError("mithril-stream is not installed: build it, and set MITHRIL_STREAM_PROGRAM to its path")
    return found


def complaint(stderr: bytes, code: int) -> MithrilError:
    """Return the error that a run of the program ended with."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    text = lines[-1] if lines else f"mithril-stream ended with {code}"
    text = text.removeprefix("mithril-stream: ")
    if code == WRONG_SETTINGS or OTHER_SETTINGS in text:
        return SettingError(in_terms_of_python(text))
    return MithrilError(text)


def run(args: Sequence[str], accepted: Sequence[int] = (0,), given: bytes | None = None) -> str:
    """Run the program to its end, with what is given as its standard input. Raises MithrilError unless it ends with an
    accepted code. Returns what it says if that is not 0, else nothing."""
    stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
    # DEVNULL is open for reading too, which is refused as a standard output that may have been closed by mistake.
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen([find_program(), *args], stdin=stdin, stdout=nowhere, stderr=subprocess.PIPE)
    try:
        _, stderr = child.communicate(given)
    except BaseException:  # Ctrl-C, too: what was written so far is called FILE.partial
        child.terminate()
        child.communicate()
        raise
    if child.returncode not in accepted:
        raise complaint(stderr, child.returncode)
    return str(complaint(stderr, child.returncode)) if child.returncode else ""
