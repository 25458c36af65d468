"""Style, script and icon: few and small, held in memory, named after their content so that browsers may keep them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from aiohttp import web

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    """A file as it is sent."""

    path: str
    body: bytes
    content_type: str

    async def send(self, _request: web.Request) -> web.Response:
        """The file, to be kept for ever: with other content it has another path."""
        response = web.Response(body=self.body, content_type=self.content_type, charset="utf-8")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.enable_compression()
        return response


def _load() -> Mapping[str, Asset]:
    found = {}
    bodies = {entry.name: entry.read_bytes() for entry in files(__package__).joinpath("static").iterdir()}
    version = hashlib.sha256(b"".join(bodies[name] for name in sorted(bodies))).hexdigest()[:12]
    for name, body in bodies.items():
        content_type = _TYPES.get(name.rpartition(".")[2])
        if content_type is not None:
            # One folder for all of them: a module finds the next by its bare name.
            found[name] = Asset(path=f"/static/{version}/{name}", body=body, content_type=content_type)
    return found


ASSETS: Mapping[str, Asset] = _load()
"""By file name."""
