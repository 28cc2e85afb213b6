"""A connection to a program that judges texts for several clients."""

from __future__ import annotations

import contextlib

from mithril_stream._judge import HEAD, JUDGED, NUMBERED, NUMBERED_HEAD, REFUSED, VERDICT, Asked
from mithril_stream._program import MithrilError
from mithril_stream._wire import Wire


class Connection(Asked):
    """A connection to a program that listens at an address: unix:PATH, a path with a slash, or HOST:PORT."""

    def __init__(self, address: str) -> None:
        super().__init__()
        import socket  # which takes a while

        path = address.removeprefix("unix:")
        if path != address or "/" in path:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(path)
        else:
            host, colon, port = address.rpartition(":")
            if not colon or not port.isdecimal():
                raise ValueError(f"give an address as unix:PATH or HOST:PORT, got {address!r}")
            self._socket = socket.create_connection((host.strip("[]") or "localhost", int(port)))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(None)
        self._wire = Wire.of_socket(self._socket)

    def close(self) -> None:
        if self._failed is None:
            self._failed = MithrilError("close() was called")
        self._abandon()
        self._socket.close()

    def _abandon(self) -> None:
        if not self.is_mine():  # it is still that of another process
            return
        from socket import SHUT_RDWR

        with contextlib.suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)

    def _why(self) -> MithrilError:
        # Writing has failed: the program may have said why before.
        return refusal_in(self._wire.rest()) or MithrilError("the program that judges has closed the connection")


def refusal_in(said: bytes) -> MithrilError | None:
    """Return the message that is the last of some replies, if one is."""
    while len(said) >= HEAD.size:
        kind, count, size = HEAD.unpack_from(said)
        if kind == REFUSED:
            return MithrilError(said[HEAD.size : HEAD.size + size].decode(errors="replace"))
        said = said[NUMBERED_HEAD.size + (VERDICT.size * count if kind - NUMBERED in JUDGED else size) :]
    return None
