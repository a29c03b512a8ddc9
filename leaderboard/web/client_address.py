"""The address that a request came from: one function for failed logins, limits of the API, whatever tells readers apart."""

from __future__ import annotations

import ipaddress
import re

from django.conf import settings
from django.http import HttpRequest

LOCAL = "127.0.0.1"  # a peer without an address came through a socket file: it is on this host
LONGEST = 100  # of an entry: an IPv6 address with brackets, zone and port has 60 characters at most
WITH_PORT = re.compile(r"(\d+\.\d+\.\d+\.\d+):\d{0,5}|\[([^\[\]]*)\](?::\d{0,5})?", re.ASCII)


def client_address(request: HttpRequest) -> str:
    """The address of the last proxy that is not ours, in canonical form: the entry of X-Forwarded-For as far from its end as
    TRUSTED_PROXIES says (the first one where there are fewer). The peer's address where that entry is none (`unknown`,
    `_hidden`, nonsense), so that what comes back always is an IP address."""
    believed = settings.NINJA_NUM_PROXIES
    entries = [entry.strip() for entry in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if entry.strip()]
    named = ip_address(entries[-min(believed, len(entries))]) if believed > 0 and entries else None
    return named or ip_address(str(request.META.get("REMOTE_ADDR") or "")) or LOCAL


def ip_address(entry: str) -> str | None:
    """The address in an entry that may have quotes, brackets, a port or a zone; None where there is none."""
    entry = entry.strip().strip('"').strip()
    if len(entry) > LONGEST:
        return None
    if found := WITH_PORT.fullmatch(entry):
        entry = found[1] or found[2] or ""
    try:
        address = ipaddress.ip_address(entry.partition("%")[0])  # databases refuse zones, and they mean nothing elsewhere
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(address)
