"""What a first visit loads: the page and every file it names, uncompressed, and whether it names another host."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from benchmarks.rows import Row
from benchmarks.server import Running, playground

LINKS = {
    "text/html": re.compile(r"<(?:script|link|img|use)\b[^>]*?\s(?:src|href)=\"([^\"#]+)"),
    "text/css": re.compile(r"url\(\"?([^\")]+)"),
    "text/javascript": re.compile(r"^\s*(?:import|export)\b[^;\"]*\"(\.{0,2}/[^\"]+)\"", re.MULTILINE),
}


def run() -> list[Row]:
    with playground() as running:
        sizes = _visit(running)
    own = urlsplit(running.url).netloc
    foreign = [address for address in sizes if urlsplit(address).netloc != own]
    return [
        Row("page weight, all files", f"{sum(sizes.values()) / 1000:.0f} kB", "< 250 kB", "2,600 kB (Inspector)"),
        Row("files of a first visit", str(len(sizes)), ""),
        Row("requests to other hosts", str(len(foreign)), "0"),
    ]


def _visit(running: Running) -> dict[str, int]:
    """Bytes by address; a foreign address counts as 0 bytes, for it is not asked."""
    sizes: dict[str, int] = {}
    waiting = [running.url]
    for address in waiting:
        if address in sizes or address.startswith("data:"):
            continue
        if urlsplit(address).netloc != urlsplit(running.url).netloc:
            sizes[address] = 0
            continue
        body, kind = running.get(address)
        sizes[address] = len(body)
        if kind in LINKS:
            waiting += [urljoin(address, link) for link in LINKS[kind].findall(body.decode())]
    return sizes
