"""The request state: what a server remembers of a call between its rounds, in the SDK's layout (version 3).

`{"v": 3, "outcomes": {key: {"action", "data", "q"}}, "asked": {key: q}}`, where `q` is the digest of a question. The
text comes back from the client under the server's own seal; what does not fit counts as no progress, for it can only
come from another version of the server.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

VERSION = 3
DIGEST_BYTES = 16


class Entry(BaseModel):
    """A recorded outcome. `data` is what the client sent, never a dump of our own; `q` the digest it answered."""

    action: Literal["accept", "decline", "cancel"]
    data: Any = None
    q: str | None = None


class Progress(BaseModel):
    """What earlier rounds achieved: outcomes by wire key, and the digests of the questions of the last round."""

    v: int = VERSION
    outcomes: dict[str, Entry] = Field(default_factory=dict)
    asked: dict[str, str] = Field(default_factory=dict)


def decoded(text: str | None) -> Progress:
    """The progress in a request state; none where there is no state, or one that does not fit."""
    if not text:
        return Progress()
    try:
        # The standard library's parser: a lone surrogate in an answer stands escaped here, which pydantic's refuses.
        progress = Progress.model_validate({"v": None, **_object(json.loads(text))})
    except ValueError:
        return Progress()
    return progress if progress.v == VERSION else Progress()


def encoded(outcomes: Mapping[str, Entry], asked: Mapping[str, str]) -> str:
    """The request state for the next round."""
    return _compact(Progress(outcomes=dict(outcomes), asked=dict(asked)).model_dump(mode="json"))


def digest(params: Mapping[str, Any] | None) -> str:
    """The fingerprint of a question: 22 characters, of its params as on the wire, in their order."""
    fingerprint = hashlib.sha256(_compact(params).encode()).digest()[:DIGEST_BYTES]
    return base64.urlsafe_b64encode(fingerprint).decode().rstrip("=")


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("a request state is an object")
    return value


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
