"""Which addresses of a server may become links: those of which it can be said where they lead."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit


def link_host(url: Any) -> str | None:
    """The host (and port) to which a click on `url` would lead; None: it may not become a link.

    Only http(s). A browser reads a backslash as a slash and drops control characters, which Python does not do alike:
    an address with any of them could lead elsewhere than it says. A name before an `@` is no host.
    """
    if not isinstance(url, str) or "\\" in url or " " in url or not url.isprintable():
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and parts.hostname
    return parts.netloc.rpartition("@")[2] if is_web else None
