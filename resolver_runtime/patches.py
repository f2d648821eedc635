"""Names replaced on modules and classes of others, and put back as they were."""

from __future__ import annotations

from typing import Any


class Patches:
    """What was replaced; `undo` puts back the latest first."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, ours: Any) -> Any:
        """Put `ours` under the owner's name, and return theirs (a class's own, not bound to it)."""
        theirs = vars(owner)[name]
        self._replaced.append((owner, name, theirs))
        setattr(owner, name, ours)
        return theirs

    def undo(self) -> None:
        while self._replaced:
            owner, name, theirs = self._replaced.pop()
            setattr(owner, name, theirs)
