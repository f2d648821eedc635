"""Asks the person at the terminal what a program would ask its client.

Knows lines of text: `read` shows a prompt and returns what was typed, or None when there is nobody any more. Asking
never blocks: the call goes on underneath, and can end while a question is open.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.answers import REJECTED, Answer, written_out
from app.forms import Field, fields, parse, single_boolean
from resolver_runtime.events import QuestionAsked

Read = Callable[[str], Awaitable[str | None]]
Say = Callable[[str], None]


class Gone(Exception):
    """Raised when standard input has ended: there is nobody to ask."""


@dataclass(frozen=True)
class Person:
    """The one at the terminal."""

    read: Read
    say: Say

    async def answer(self, asked: QuestionAsked) -> Answer | None:
        """What the person answers, or None if there is nobody any more."""
        self.say(f"{asked.resolver or 'The tool'} asks ({asked.kind.replace('_', ' ')}), round {asked.round}:")
        if asked.reason:
            self.say(f"  Asked again: {asked.reason}")
        try:
            return await _WAYS[asked.kind](self, asked.request)
        except Gone:
            return None

    async def elicit(self, request: Mapping[str, Any]) -> Answer:
        self.say(f"  {request.get('message', '')}")
        schema = request.get("requestedSchema") or {}
        if (name := single_boolean(schema)) is not None:
            return await self._yes_or_no(name, fields(schema)[0].title)
        action = await self._choose("accept", "decline", "cancel")
        return (
            {"action": "accept", "content": await self._fill_in(schema)} if action == "accept" else {"action": action}
        )

    async def elicit_url(self, request: Mapping[str, Any]) -> Answer:
        self.say(f"  {request.get('message', '')}")
        self.say(f"  Address to open: {request.get('url', '')}")
        return {"action": await self._choose("accept", "decline", "cancel")}

    async def sample(self, request: Mapping[str, Any]) -> Answer:
        if system := request.get("systemPrompt"):
            self.say(f"  system: {system}")
        for message in request.get("messages", ()):
            self.say(f"  {message.get('role')}: {_text(message.get('content'))}")
        if (await self._choose("answer", "reject")) == "reject":
            return REJECTED
        return written_out({"text": await self._line("  text: ")}, "sample")

    async def list_roots(self, request: Mapping[str, Any]) -> Answer:  # noqa: ARG002 - asked like the others
        roots = []
        while uri := (await self._line("  root (file:///..., empty to end): ")).strip():
            roots.append({"uri": uri})
        return {"roots": roots}

    async def _yes_or_no(self, name: str, title: str) -> Answer:
        choice = await self._choose("yes", "no", "decline", "cancel", label=f"{title}? ")
        if choice in ("yes", "no"):
            return {"action": "accept", "content": {name: choice == "yes"}}
        return {"action": choice}

    async def _fill_in(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        posted: dict[str, list[str]] = {}
        asked = fields(schema)
        while asked:
            for field in asked:
                posted[field.name] = await self._field(field)
            _, wrong = parse(schema, posted)
            asked = [replace(field, error=wrong[field.name]) for field in fields(schema) if field.name in wrong]
        return parse(schema, posted)[0]

    async def _field(self, field: Field) -> list[str]:
        for line in filter(None, [field.error, field.description]):
            self.say(f"  {line}")
        for value, title in field.options:
            self.say(f"    {value}" + (f": {title}" if title != value else ""))
        text = (await self._line(f"  {field.title}{_hint(field)}: ")).strip()
        if not text and field.default is not None:
            return _default(field)
        if field.kind == "multiselect":
            return [part.strip() for part in text.split(",") if part.strip()]
        if field.kind == "boolean" and text.lower() in ("y", "yes", "n", "no"):
            return ["true" if text.lower().startswith("y") else "false"]
        return [text] if text else []

    async def _choose(self, *choices: str, label: str = "") -> str:
        offered = ", ".join(f"[{choice[0]}]{choice[1:]}" for choice in choices)
        while True:
            typed = (await self._line(f"  {label}{offered}: ")).strip().lower()
            for choice in choices:
                if typed and choice.startswith(typed):
                    return choice

    async def _line(self, prompt: str) -> str:
        line = await self.read(prompt)
        if line is None:
            raise Gone
        return line


_WAYS: Mapping[str, Callable[[Person, Mapping[str, Any]], Awaitable[Answer]]] = {
    "elicit": Person.elicit,
    "elicit_url": Person.elicit_url,
    "sample": Person.sample,
    "list_roots": Person.list_roots,
}


def _hint(field: Field) -> str:
    kinds: Mapping[str, str] = {"boolean": "yes or no", "multiselect": "some, with commas", "json": "JSON"}
    parts = [kinds.get(field.kind, "" if field.kind in ("text", "select") else field.kind)]
    if field.default is not None:
        parts.append(f"empty for {json.dumps(field.default, ensure_ascii=False)}")
    elif not field.required:
        parts.append("may be empty")
    told = [part for part in parts if part]
    return f" ({', '.join(told)})" if told else ""


def _default(field: Field) -> list[str]:
    if isinstance(field.value, bool):
        return ["true" if field.value else "false"]
    return [field.value] if isinstance(field.value, str) else list(field.value)


def _text(content: Any) -> str:
    blocks: Sequence[Any] = content if isinstance(content, list) else [content]
    return " ".join(str(block.get("text", f"[{block.get('type')}]")) for block in blocks if isinstance(block, Mapping))
