"""Contexts of what cannot be done: a sentence over a page in use, or a page of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Notice:
    """`_notice.html`: one sentence over the page, until it is closed or the next action; hidden without one."""

    template: ClassVar[str] = "_notice.html"
    sentence: str


@dataclass(frozen=True, slots=True)
class Refused:
    """`refused.html`: for an address that was opened and leads nowhere."""

    template: ClassVar[str] = "refused.html"
    title: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """`waiting.html`: in the place of a page while there is no room; looks again by itself after so many seconds."""

    template: ClassVar[str] = "waiting.html"
    sentence: str
    place: int
    seconds: int
