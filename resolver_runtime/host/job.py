"""What a worker is asked to be. Plain values, passed as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Job:
    """`module` as on the command line; `socket` is where it serves, `reports` where it reports (Unix socket paths).

    `key` seals request states of servers without a policy of their own: one key per workspace, in hexadecimal, so that
    a worker that takes over can read what the one before it sealed. `directory` is where relative paths begin.
    `scratch` is the directory in which alone an isolated worker may write, made by it; None: no walls round it.
    """

    module: str
    engine: Literal["playground", "sdk"]
    socket: str
    reports: str
    key: str
    directory: str
    scratch: str | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
