"""The page's words and marks: what each state, kind and origin is called, and which icon stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.provenance import Origin
from app.view import NodeState
from resolver_runtime.events import QuestionKind
from resolver_runtime.graph import Ask, NodeKind


@dataclass(frozen=True, slots=True)
class Mark:
    """An icon (its name in the sprite) and the word that goes with it."""

    icon: str
    word: str


STATES: Mapping[NodeState, Mark] = {
    "idle": Mark("idle", "Idle"),
    "running": Mark("running", "Running"),
    "waiting": Mark("waiting", "Waiting for you"),
    "answered": Mark("answered", "Answered"),
    "done": Mark("done", "Done"),
    "reused": Mark("reused", "Reused"),
    "restored": Mark("restored", "Restored"),
    "declined": Mark("declined", "Declined"),
    "cancelled": Mark("cancelled", "Cancelled"),
    "failed": Mark("problem", "Failed"),
    "not_reached": Mark("not-reached", "Not reached"),
}
NOT_REACHED_YET = Mark("not-reached", "Not reached yet")
IN_CYCLE = Mark("problem", "In a cycle")

KINDS: Mapping[NodeKind, Mark] = {
    "argument": Mark("argument", "argument"),
    "resolver": Mark("resolver", "resolver"),
    "context": Mark("context", "Context"),
    "tool": Mark("tool", "tool"),
}

ORIGINS: Mapping[Origin, Mark] = {
    "person": Mark("person", "person"),
    "model": Mark("model", "model"),
    "llm": Mark("llm", "client's LLM"),
    "client": Mark("client", "client"),
    "server": Mark("server", "server"),
    "unknown": Mark("unknown", "unknown"),
}
WHO: Mapping[Origin, str] = {
    "person": "the person",
    "model": "the model",
    "llm": "the client's LLM",
    "client": "the client",
    "server": "the server",
    "unknown": "someone unknown",
}
KEY = (*ORIGINS.values(), Mark("roots", "roots"), Mark("problem", "problem"))
"""What the page's key explains."""
MAY_ASK: Mapping[Ask, Mark] = {
    "elicit": Mark("person", "may ask the user"),
    "sample": Mark("llm", "may ask the client's LLM"),
    "list_roots": Mark("roots", "may ask for the client's roots"),
}
ASKS: Mapping[QuestionKind, str] = {
    "elicit": "asks you",
    "elicit_url": "sends you to a page",
    "sample": "asks the LLM",
    "list_roots": "asks for roots",
}

CAPABILITIES = ("elicitation.form", "elicitation.url", "sampling", "sampling.tools", "roots")
PROTOCOLS = ("2026-07-28", "2025-11-25")

NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def count(number: int, noun: str) -> str:
    """`Three questions`, `One question`."""
    word = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"{word} {noun}{'' if number == 1 else 's'}"
