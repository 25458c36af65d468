"""What Discord takes (Discord documentation, Execute Webhook and Embed Limits), and the body of a request within it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from daemon.notification.wording.plain import units

CONTENT = 2000
EMBEDS = 10
EMBEDS_TOTAL = 6000
"""Title, description, field names and values, footer and author of all embeds together."""
TITLE = 256
DESCRIPTION = 4096
FIELD_VALUE = 1024
FOOTER = 2048
AUTHOR = 256
URL = 2048

Embed = dict[str, Any]


def body(content: str, embeds: Sequence[Embed] = ()) -> str:
    """The JSON body that pings nobody, whatever its text says. It must be within the limits: the caller sees to it."""
    assert units(content) <= CONTENT, "a headline is longer than Discord takes"
    assert len(embeds) <= EMBEDS, "more embeds than Discord takes"
    assert sum(map(size, embeds)) <= EMBEDS_TOTAL, "the embeds are longer than Discord takes"
    message: dict[str, Any] = {"content": content, "allowed_mentions": {"parse": []}}
    if embeds:
        message["embeds"] = list(embeds)
    return json.dumps(message, ensure_ascii=False)


def size(embed: Embed) -> int:
    """What an embed counts towards the total."""
    counted = [embed.get("title", ""), embed.get("description", "")]
    counted += [embed.get("footer", {}).get("text", ""), embed.get("author", {}).get("name", "")]
    for field in embed.get("fields", ()):
        counted += [field["name"], field["value"]]
    return sum(map(units, counted))
