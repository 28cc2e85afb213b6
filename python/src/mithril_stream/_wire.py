"""Two files to another program, of which neither side waits for the other."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

FIRST_READ = 64 << 10  # bytes: mostly all of a reply
MOST_READ = 4 << 20  # bytes that are read at once


class Wire:
    """Takes in what the program says while it does not take what is sent to it. Raises EOFError if the program has
    closed its side, and OSError for what else goes wrong."""

    def __init__(self, write: Callable[[Any], int], to: int, come_from: int) -> None:
        """write must not wait: it writes some bytes to the file to, or raises BlockingIOError."""
        self._write, self._to, self._from = write, to, come_from
        self._come = b""  # what was read, and that nobody has received

    @classmethod
    def of_pipes(cls, to: int, come_from: int) -> Wire:
        """Use two pipes. The end that is written to must be of this process alone."""
        os.set_blocking(to, False)
        return cls(partial(os.write, to), to, come_from)

    @classmethod
    def of_socket(cls, connected: socket.socket) -> Wire:
        from socket import MSG_DONTWAIT

        return cls(lambda data: connected.send(data, MSG_DONTWAIT), connected.fileno(), connected.fileno())

    def send(self, data: Any) -> None:
        """Send bytes, and take in what comes meanwhile."""
        while len(data):
            try:
                written = self._write(data)
            except BlockingIOError:
                self._take_in()
            else:
                if written == len(data):  # mostly so, if there are few
                    return
                data = memoryview(data)[written:]

    def receive(self, size: int) -> bytes:
        """Return the next bytes that come."""
        data = self._come
        if len(data) < size:
            parts, missing = [data], size - len(data)
            while missing > 0:
                parts.append(self._read(max(FIRST_READ, min(missing, MOST_READ))))
                missing -= len(parts[-1])
            data = b"".join(parts)
        self._come = data[size:]
        return data if len(data) == size else data[:size]

    def rest(self) -> bytes:
        """Return what is there when nothing more can be sent."""
        try:
            while True:
                self._come += self._read(FIRST_READ)
        except (EOFError, OSError):
            return self._come

    def _take_in(self) -> None:
        """Wait until something can be sent, and take in what comes before."""
        polled = select.poll()
        polled.register(self._from, select.POLLIN)
        polled.register(self._to, select.POLLOUT | (select.POLLIN if self._to == self._from else 0))
        for file, event in polled.poll():
            if file == self._from and event & ~select.POLLOUT:
                self._come += self._read(MOST_READ)

    def _read(self, size: int) -> bytes:
        data = os.read(self._from, size)
        if not data:
            raise EOFError
        return data
