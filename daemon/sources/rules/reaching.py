"""Which addresses a site that a person named may have: those of the public internet only (DESIGN 1.9)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from daemon.sources.rules.asking import DEFAULT_PORTS, resolved_path
from daemon.sources.text.plain import CONTROL

ADDRESS_LENGTH = 2000

_LOCAL_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "home.arpa")
"""Ends of names that are never of the public internet (RFC 6761, 6762, 8375; ICANN's reserved ones)."""

_TRANSLATED = ip_network("64:ff9b::/96")
"""NAT64 carries the IPv4 address in its last four bytes (RFC 6052)."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class SiteUnfit(StrEnum):
    """Why an address is not asked."""

    NOT_AN_ADDRESS = "NOT_AN_ADDRESS"
    NOT_WEB = "NOT_WEB"
    """Another scheme than http and https, a port of its own, or a name and password in it."""
    NOT_PUBLIC = "NOT_PUBLIC"
    """Of this machine, of a private network, or otherwise not of the public internet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteAddress:
    """An address that may be asked."""

    url: str
    host: str
    """Lower-case ASCII (punycode)."""


def site_address(given: str) -> SiteAddress | SiteUnfit:
    """What a person means by `given`, where a missing scheme is https; what can be told without asking anyone."""
    text = given.strip()
    if not text or len(text) > ADDRESS_LENGTH or CONTROL.search(text) or re.search(r"[\s\\]", text):
        return SiteUnfit.NOT_AN_ADDRESS
    if text.startswith("//"):
        text = f"https:{text}"
    elif not _SCHEME.match(text) or re.match(r"[^/?#]+:[0-9]+(?:[/?#]|$)", text):
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
        # First in NFKC: there are dots that IDNA makes plain ones only after it has split the name at the others.
        host = unicodedata.normalize("NFKC", parts.hostname or "").rstrip(".")
        ascii_host = host.encode("idna").decode("ascii").lower()
    except ValueError:
        return SiteUnfit.NOT_AN_ADDRESS
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc or port not in (None, DEFAULT_PORTS[parts.scheme]):
        return SiteUnfit.NOT_WEB
    if not re.fullmatch(r"[a-z0-9_.-]+|[0-9a-f:.]+", ascii_host):
        return SiteUnfit.NOT_AN_ADDRESS
    if resolved_path(parts.path) is None:
        # It climbs, or hides what it is: the executor asks no such path of any site.
        return SiteUnfit.NOT_AN_ADDRESS
    if not _may_be_public(ascii_host):
        return SiteUnfit.NOT_PUBLIC
    authority = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
    return SiteAddress(url=parts._replace(netloc=authority, fragment="").geturl(), host=ascii_host)


def _may_be_public(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        pass
    else:
        return is_public(host)
    last = host.rpartition(".")[2]
    # `2130706433`, `127.1` and `0x7f.1` are addresses to a resolver, however they are written.
    numeric = last.isdigit() or last.startswith("0x")
    local = any(host == name or host.endswith(f".{name}") for name in _LOCAL_NAMES)
    return "." in host and not numeric and not local


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet; of one that carries an IPv4 address, whether that is.

    Not loopback, private, link-local (cloud metadata too), shared (RFC 6598), multicast, reserved or documentation.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        if found.sixtofour is not None or found.teredo is not None or found.is_site_local:
            return False
        if found in _TRANSLATED:
            found = IPv4Address(int(found) & 0xFFFF_FFFF)
        elif found.ipv4_mapped is not None:
            found = found.ipv4_mapped
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)
