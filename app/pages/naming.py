"""Names that page and routes share: element ids, addresses, the names of form controls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

FIELD_PREFIX = "field:"
"""Before the name of a control that stands for a property: a property may be called "action" or "tool" as well."""
IDLE = "idle"
"""In the place of a call's id before there is a call."""


def dom_id(text: str) -> str:
    """`text` as part of an element's id: letters, digits and hyphens only; different texts stay different."""
    return re.sub(r"[^A-Za-z0-9-]", lambda match: f"_{ord(match[0]):x}_", text)


def posted_fields(items: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The controls that stand for properties, of a posted form: property → texts, in order."""
    posted: dict[str, list[str]] = {}
    for name, text in items:
        if name.startswith(FIELD_PREFIX):
            posted.setdefault(name.removeprefix(FIELD_PREFIX), []).append(text)
    return posted


@dataclass(frozen=True, slots=True)
class Place:
    """Which tool a page shows: module id, index of the server, name of the tool."""

    module: str
    server: int
    tool: str

    @property
    def href(self) -> str:
        return f"/tools/{self.server}/{quote(self.tool, safe='')}?{urlencode({'module': self.module})}"

    def node_href(self, call: str, node_id: str) -> str:
        """Where the node panel's content is; `call` is "" before the first call."""
        query = urlencode({"module": self.module, "server": self.server, "tool": self.tool})
        return f"/calls/{quote(call or IDLE, safe='')}/nodes/{quote(node_id, safe='')}?{query}"


def event_href(call: str, seq: int) -> str:
    return f"/calls/{quote(call, safe='')}/events/{seq}"


def module_href(module: str) -> str:
    return f"/?{urlencode({'module': module})}"
