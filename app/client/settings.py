"""What the simulated client is: its era, what it declares, how long it plays along. Plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from resolver_runtime.events import Era, QuestionKind

CAPABILITIES = ("elicitation.form", "elicitation.url", "sampling", "sampling.tools", "roots")
DEFAULT_CAPABILITIES = frozenset({"elicitation.form", "sampling", "roots"})
MAX_ROUNDS = 10
"""Retries before the client gives up; the SDK's client has the same limit."""

_NEEDS: Mapping[QuestionKind, frozenset[str]] = {
    "elicit": frozenset({"elicitation.form"}),
    "elicit_url": frozenset({"elicitation.url"}),
    # Declaring tools for sampling declares sampling: on the wire the one stands inside the other.
    "sample": frozenset({"sampling", "sampling.tools"}),
    "list_roots": frozenset({"roots"}),
}


@dataclass(frozen=True)
class ClientSettings:
    """The simulated client of one call. `headers` go with each of its HTTP requests."""

    era: Era = "2026-07-28"
    capabilities: frozenset[str] = DEFAULT_CAPABILITIES
    max_rounds: int = MAX_ROUNDS
    headers: Mapping[str, str] = field(default_factory=dict)

    def can_answer(self, kind: QuestionKind) -> bool:
        """Whether this kind of question is among what the client declares."""
        return not _NEEDS[kind].isdisjoint(self.capabilities)
