"""Ports for what must be told its port before it starts; whatever can is given port 0 instead."""

from __future__ import annotations

import random
import socket
from pathlib import Path

_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000


def free_port() -> int:
    """A port on which nobody listens, and which the system gives to no connection of its own accord (tcp(7)).

    One that the system had picked would be given away again as soon as it is let go: found by a daemon whose port a
    client of another test had meanwhile.
    """
    ephemeral = int(_EPHEMERAL.read_text("ascii").split()[0])
    while True:
        port = random.randrange(_LOWEST, max(ephemeral, _LOWEST + 1_000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
