"""HTTP headers as people write them: one in a line, `Name: value`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A token of RFC 9110, section 5.6.2."""


class HeadersError(ValueError):
    """Raised when a line is no header; the message says which, and how to write one."""


def headers_from(text: str) -> dict[str, str]:
    """The headers of a text; blank lines are left out.

    Raises:
        HeadersError: a line is no header.
    """
    return dict(header_from(line) for line in text.splitlines() if line.strip())


def header_from(line: str) -> tuple[str, str]:
    """One header.

    Raises:
        HeadersError: the name or the value is none (RFC 9110, section 5.5: visible ASCII, spaces and tabs).
    """
    name, colon, value = (part.strip() for part in line.partition(":"))
    if not colon or not _NAME.fullmatch(name) or not (value.isascii() and value.replace("\t", " ").isprintable()):
        raise HeadersError(
            f"{line.strip()!r} is no header. Write name, colon and value in ASCII, such as X-Branch: Lisbon."
        )
    return name, value


def headers_text(headers: Mapping[str, str]) -> str:
    """The inverse of `headers_from`."""
    return "\n".join(f"{name}: {value}" for name, value in headers.items())
