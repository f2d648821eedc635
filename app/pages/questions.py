"""Contexts of the dialog: one group per question of the round, filled in or settled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from app import forms
from app.forms import Field, Posted
from app.pages import words
from app.pages.links import link_host
from app.pages.naming import dom_id
from app.pages.panel import Given, given_to
from app.view import CallView, QuestionView
from resolver_runtime.events import QuestionKind
from resolver_runtime.graph import resolver_id

DEFAULT_ROOTS: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a sampling request: whose it is, and its text (of what is no text: its kind and size)."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person has posted for a question that is still open: to show the form again with it.

    `errors` maps a field's name to its sentence; `raw_error` and `problem` are sentences about the raw JSON and about
    the question as a whole ("This question has been answered in another tab.").
    """

    posted: Posted
    errors: Mapping[str, str]
    raw: str = ""
    raw_error: str | None = None
    text: str | None = None
    problem: str | None = None


EMPTY = Draft({}, {})


@dataclass(frozen=True, slots=True)
class Question:
    """`_question.html`: the group of one question; `id` is its element's id, `name` its accessible name.

    `number` is given where the round has several. `yes_no` is the property a Yes or No fills. `sent` says in words what
    was answered (None: open); `can_reopen` while its round has not gone.
    """

    template: ClassVar[str] = "_question.html"
    id: str
    href: str
    name: str
    number: int | None
    kind: QuestionKind
    asks: str
    message: str
    url: str | None
    url_host: str
    fields: tuple[Field, ...]
    yes_no: str | None
    messages: tuple[Message, ...]
    facts: tuple[tuple[str, str], ...]
    roots: str
    given: tuple[Given, ...]
    reason: str | None
    sent: str | None
    sent_json: str
    can_reopen: bool
    draft: Draft

    @classmethod
    def of(
        cls,
        view: CallView,
        question: QuestionView,
        draft: Draft | None = None,
        roots: Sequence[Mapping[str, str]] = DEFAULT_ROOTS,
    ) -> Question:
        """`draft` shows the form again with what was posted; `roots` are the client's own, to begin with."""
        request = question.request
        schema = request.get("requestedSchema") or {}
        url = request.get("url") if question.kind == "elicit_url" else None
        host = link_host(url)
        batch = [other for other in view.questions.values() if other.round == question.round]
        return cls(
            id=f"question-{dom_id(question.id)}",
            href=f"/calls/{quote(view.id, safe='')}/questions/{quote(question.id, safe='')}",
            name=name_of(view, question),
            number=question.number if len(batch) > 1 else None,
            kind=question.kind,
            asks=words.ASKS[question.kind],
            message=str(request.get("message") or ""),
            url=url if host else None,
            url_host=host or "",
            fields=tuple(
                forms.fields(schema, None if draft is None else draft.posted, None if draft is None else draft.errors)
            ),
            yes_no=forms.single_boolean(schema),
            messages=tuple(_messages(request)),
            facts=tuple(_facts(request)),
            roots=draft.text if draft and draft.text is not None else roots_text(roots),
            given=given_to(view, resolver_id(question.key)) if question.key else (),
            reason=question.reason,
            sent=None if question.answer is None else sent_words(question),
            sent_json=_short(question.answer),
            can_reopen=not question.sent and view.era != "2025-11-25",
            draft=draft or EMPTY,
        )


def name_of(view: CallView, question: QuestionView) -> str:
    """The resolver's name; `#1`, `#2` where two resolvers of the round share it; the tool's for its body's question."""
    batch = [other for other in view.questions.values() if other.round == question.round]
    names = Counter(other.resolver for other in batch)
    if question.resolver is None:
        return f"{view.tool} (its body)"
    if names[question.resolver] == 1:
        return question.resolver
    same = [other.id for other in batch if other.resolver == question.resolver]
    return f"{question.resolver} #{same.index(question.id) + 1}"


def sent_words(question: QuestionView) -> str:
    """What was answered, in a few words: `Yes`, `Accepted`, `Declined`, `Rejected`, `Answered` ..."""
    answer = question.answer or {}
    if "error" in answer:
        return "Rejected"
    content = answer.get("content")
    property_name = forms.single_boolean(question.request.get("requestedSchema") or {})
    if answer.get("action") == "accept" and property_name and isinstance(content, Mapping):
        return _YES_NO.get(json.dumps(content.get(property_name)), "Accepted")
    actions = {"accept": "Accepted", "decline": "Declined", "cancel": "Cancelled"}
    return actions.get(str(answer.get("action")), "Answered")


_YES_NO = {"true": "Yes", "false": "No"}


def roots_text(roots: Sequence[Mapping[str, str]]) -> str:
    """Roots as the page's text: one in a line, its address, a space, its name."""
    return "\n".join(f"{root['uri']} {root.get('name') or ''}".rstrip() for root in roots)


def roots_from(text: str) -> list[dict[str, str]]:
    """The inverse of `roots_text`; lines without anything are left out."""
    roots = []
    for line in filter(None, map(str.strip, text.splitlines())):
        uri, _, name = line.partition(" ")
        roots.append({"uri": uri, "name": name.strip()} if name.strip() else {"uri": uri})
    return roots


def _short(answer: Mapping[str, Any] | None) -> str:
    if answer is None:
        return ""
    content = answer.get("content") if answer.get("action") == "accept" else answer
    if answer.get("action") in ("decline", "cancel"):
        return ""
    return json.dumps(content, ensure_ascii=False)


def _messages(request: Mapping[str, Any]) -> list[Message]:
    messages = request.get("messages") or ()
    return [Message(str(one.get("role", "")), text) for one in messages for text in _texts(one.get("content"))]


def _texts(content: Any) -> list[str]:
    blocks = content if isinstance(content, list) else [content]
    return [_block_text(block) for block in blocks]


def _block_text(block: Any) -> str:
    if not isinstance(block, Mapping):
        return str(block)
    if block.get("type") == "text":
        return str(block.get("text", ""))
    if "data" in block:
        return f"({block.get('type')}, {block.get('mimeType')}, {len(str(block['data']))} characters)"
    return json.dumps(block, ensure_ascii=False)


_FACTS = (
    ("systemPrompt", "system"),
    ("maxTokens", "limit"),
    ("temperature", "temperature"),
    ("stopSequences", "stops at"),
    ("modelPreferences", "prefers"),
    ("includeContext", "context"),
    ("tools", "tools"),
    ("toolChoice", "tool choice"),
)


def _facts(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a sampling request says beside its messages: (word, text)."""
    return [(word, _fact(name, request[name])) for name, word in _FACTS if request.get(name) not in (None, [], {})]


def _fact(name: str, value: Any) -> str:
    if name == "maxTokens":
        return f"{value} tokens"
    if name == "tools":
        return ", ".join(str(tool.get("name")) for tool in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class DialogHead:
    """`_dialog_head.html`: how many questions, how many settled, and Stop."""

    template: ClassVar[str] = "_dialog_head.html"
    call: str
    title: str
    settled: str | None


@dataclass(frozen=True, slots=True)
class Dialog:
    """`_dialog.html`: all questions of the round while it waits for them; `head` None when nobody is waited for.

    `expires` is the moment (Unix seconds) at which the server's own policy ends the round's state; None: no clock runs.
    """

    template: ClassVar[str] = "_dialog.html"
    head: DialogHead | None
    questions: tuple[Question, ...]
    several: bool
    expires: float | None = None

    @classmethod
    def of(cls, view: CallView, roots: Sequence[Mapping[str, str]] = DEFAULT_ROOTS) -> Dialog:
        """The questions whose round has not gone: none while the server is at work."""
        if view.status != "waiting":
            return cls(None, (), False)
        shown = [question for question in view.questions.values() if not question.sent and _is_shown(view, question)]
        questions = tuple(Question.of(view, one, roots=roots) for one in shown)
        return cls(head_of(view), questions, len(shown) > 1, _expiry(view))


def _expiry(view: CallView) -> float | None:
    state = view.state if view.era != "2025-11-25" else None
    return state.expires if state is not None and state.own_policy else None


def _is_shown(view: CallView, question: QuestionView) -> bool:
    """In the handshake era an answer goes at once: what is settled is gone."""
    return question.answer is None or view.era != "2025-11-25"


def head_of(view: CallView) -> DialogHead:
    shown = [question for question in view.questions.values() if not question.sent and _is_shown(view, question)]
    settled = sum(question.answer is not None for question in shown)
    return DialogHead(
        view.id,
        words.count(len(shown), "question"),
        f"{settled} of {len(shown)} settled" if len(shown) > 1 else None,
    )
