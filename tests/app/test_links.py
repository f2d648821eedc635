"""An address from a server becomes a link only if it is http(s) and leads where it says."""

from __future__ import annotations

from typing import Any

import pytest

from app.pages.links import link_host

LINKS = {
    "http://shop.example": "shop.example",
    "https://shop.example/": "shop.example",
    "HTTPS://shop.example/a": "shop.example",
    "https://shop.example:8443/a?b=c#d": "shop.example:8443",
    "http://127.0.0.1:80/": "127.0.0.1:80",
    "http://[::1]:8000/": "[::1]:8000",
    "https://shop.example?next=javascript:alert(1)": "shop.example",
    "https://shop.example#@other.example": "shop.example",
    "https://bank.example@other.example/": "other.example",
    "https://bank.example:443@other.example/": "other.example",
    "https://a@b@other.example/": "other.example",
    "https://bank.example%2f@other.example/": "other.example",
    "https://shop.example/\"onclick='alert(1)'": "shop.example",
    "https://shop.example/<script>": "shop.example",
}
NO_LINKS: tuple[Any, ...] = (
    "",
    "shop.example",
    "/calls",
    "//other.example",
    "#result",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "java\tscript:alert(1)",
    "\x01javascript:alert(1)",
    "javascript://shop.example/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "blob:https://shop.example/1",
    "file:///etc/passwd",
    "ftp://shop.example/",
    "ws://shop.example/",
    "view-source:https://shop.example",
    "mailto:a@shop.example",
    "https:",
    "https:shop.example",
    "https:///shop.example",
    "https://@/",
    "https://:443/",
    "https:\\\\other.example",
    "https://bank.example\\@other.example/",
    "https://shop.example:port/",
    "https://shop.example:99999/",
    "http://[",
    "http://[::1",
    "https://shop.example/\r\nX: y",
    "ht\ntps://shop.example",
    " https://shop.example",
    "https://shop.example/\u202egnp.exe",
    "https://shop\u200b.example/",
    "https://shop.example/\u2028",
    "https://shop.example/\x00",
    "https://shop.example/\ud800",
    "https://bank.example\uff0fa@other.example/",
    None,
    7,
    ["https://shop.example"],
)


@pytest.mark.parametrize(("url", "host"), LINKS.items())
def test_a_link_says_the_host_to_which_it_leads(url: str, host: str) -> None:
    assert link_host(url) == host


@pytest.mark.parametrize("url", NO_LINKS, ids=ascii)
def test_what_is_no_plain_web_address_is_no_link(url: Any) -> None:
    assert link_host(url) is None
