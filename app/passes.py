"""The cookie that the token is exchanged for: what it holds, and who holds it.

Pure. With one workspace it is the token itself. With one for each browser it is a secret of that browser, good for one
start: a random name, signed with the start's token. Nothing is stored for it, so nothing can be filled up with it.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field

EVERYBODY = "everybody"
"""Who holds a cookie where all share one workspace."""
NAME_BYTES = 16


@dataclass(frozen=True)
class Passes:
    """The cookies of one start, which `token` belongs to."""

    token: str = field(repr=False)
    per_browser: bool = False

    def new(self) -> str:
        """A cookie for somebody who has shown the token."""
        if not self.per_browser:
            return self.token
        name = secrets.token_hex(NAME_BYTES)
        return f"{name}.{self._signature(name)}"

    def holder(self, cookie: str) -> str | None:
        """Who holds this cookie; None if it is not one of this start."""
        if not self.per_browser:
            return EVERYBODY if self.is_token(cookie) else None
        name, _, signature = cookie.partition(".")
        return name if _same(signature, self._signature(name)) else None

    def is_token(self, text: str) -> bool:
        return _same(text, self.token)

    def _signature(self, name: str) -> str:
        return hmac.new(self.token.encode(), b"browser " + _bytes(name), "sha256").hexdigest()


def _same(text: str, secret: str) -> bool:
    return hmac.compare_digest(_bytes(text), secret.encode())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
