"""A name server of the tests' own."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from aiohttp.abc import AbstractResolver, ResolveResult


class Names(AbstractResolver):
    """Every host leads to `port` of `otherwise`, those in `known` to their own address."""

    def __init__(self, port: int, known: Mapping[str, str], otherwise: str) -> None:
        self.port = port
        self.known = known
        self.otherwise = otherwise

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        address = self.known.get(host, self.otherwise)
        return [ResolveResult(hostname=host, host=address, port=self.port, family=socket.AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        """Nothing to close."""
