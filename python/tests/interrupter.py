"""What interrupts a call."""

from __future__ import annotations

import gc
import linecache
import os
import sys

import mithril_stream

PACKAGE = os.path.dirname(mithril_stream.__file__)


class Interrupt(BaseException):
    """What is raised in the middle of a call, as Ctrl-C is."""


class Interrupter:
    """Does something at one of the lines of the package that a call runs: of all, or of those from its first request
    on."""

    def __init__(self, at: int, asking: bool, locks: bool, do) -> None:
        """locks says whether locks may be left held, as they are if the line is a try, or the end of a with: only a
        trace can raise anything there, but no signal."""
        self.at, self.asking, self.locks, self.do, self.lines = at, asking, locks, do, 0

    def trace(self, frame, event, _):
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return None
        if self.asking:
            self.asking = code.co_name not in ASKING
        elif event == "line":
            self.lines += 1
            if self.lines == self.at:
                if not self.locks and is_edge(code.co_filename, frame.f_lineno):
                    self.at += 1
                else:
                    AT.add((code.co_filename, frame.f_lineno))
                    self.do()
        return self.trace

    def run(self, call):
        """Return what the call does, or raise what is raised in it."""
        before = sys.gettrace()
        gc.disable()  # what other objects do at their end is not to be interrupted
        sys.settrace(self.trace)
        try:
            return call()
        finally:
            sys.settrace(before)
            gc.enable()


ASKING = ("_send", "ask_at")  # the functions that send requests
AT = set()  # lines where something was done


def is_edge(file, line):
    return linecache.getline(file, line).lstrip().startswith(("with ", "try:"))


def interrupt():
    raise Interrupt
