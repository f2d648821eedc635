"""From the posted form of a question to the answer it stands for, or to a draft that says what does not fit.

Pure: knows forms and questions, neither calls nor routes. Nothing typed is lost: whatever cannot be sent comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app import forms
from app.answers import REJECTED, Answer, written_out
from app.pages.naming import posted_fields
from app.pages.questions import Draft, roots_from
from app.view import QuestionView

Items = Iterable[tuple[str, str]]

NO_FILE = "A root is an address that begins with file:// (then, after a space, its name). Check: {}."
NO_OBJECT = "An answer is a JSON object. Begin with { and end with }."
NO_ROOM = "There is nothing to send yet. Write the answer as JSON."


def reply_to(question: QuestionView, items: Items) -> Answer | Draft:
    """`items` are the posted names and texts, `action` among them, in order."""
    posted = [(name, text) for name, text in items]
    last = dict(posted)
    action, raw = last.get("action", ""), last.get("raw", "")
    if action in ("decline", "cancel"):
        return {"action": action}
    if action == "reject":
        return REJECTED
    if action in ("yes", "no"):
        return _yes_or_no(question, action == "yes")
    if action == "raw" or (raw.strip() and action in ("accept", "answer")):
        return _from_raw(question, action, raw, posted)
    return _FROM_FORM[question.kind](question, posted, action == "force")


def _yes_or_no(question: QuestionView, yes: bool) -> Answer:
    name = forms.single_boolean(question.request.get("requestedSchema") or {})
    return {"action": "accept", "content": {} if name is None else {name: yes}}


def _from_raw(question: QuestionView, action: str, raw: str, posted: list[tuple[str, str]]) -> Answer | Draft:
    value, error = forms.parse_json(raw) if raw.strip() else (None, NO_ROOM)
    if error is None and action == "accept" and question.kind in ("elicit", "elicit_url"):
        return {"action": "accept", "content": value}
    if error is None and isinstance(value, dict):
        return value
    return _draft(posted, raw_error=error or NO_OBJECT)


def _from_fields(question: QuestionView, posted: list[tuple[str, str]], force: bool) -> Answer | Draft:
    content, errors = forms.parse(question.request.get("requestedSchema") or {}, posted_fields(posted))
    if errors and not force:
        return _draft(posted, errors)
    return {"action": "accept", "content": content}


def _from_url(question: QuestionView, posted: list[tuple[str, str]], force: bool) -> Answer | Draft:  # noqa: ARG001
    return {"action": "accept"}


def _from_text(question: QuestionView, posted: list[tuple[str, str]], force: bool) -> Answer | Draft:  # noqa: ARG001
    return written_out({"text": dict(posted).get("text", "")}, "sample")


def _from_roots(question: QuestionView, posted: list[tuple[str, str]], force: bool) -> Answer | Draft:  # noqa: ARG001
    roots = roots_from(dict(posted).get("roots", ""))
    wrong = [root["uri"] for root in roots if not root["uri"].startswith("file://")]
    if wrong and not force:
        sentence = NO_FILE.format(", ".join(wrong))
        return _draft(posted, {"roots": sentence}, problem=sentence)
    return {"roots": roots}


_FROM_FORM = {"elicit": _from_fields, "elicit_url": _from_url, "sample": _from_text, "list_roots": _from_roots}


def _draft(posted: list[tuple[str, str]], errors: Mapping[str, str] | None = None, **sentences: Any) -> Draft:
    last = dict(posted)
    text = last.get("text", last.get("roots"))
    return Draft(posted_fields(posted), errors or {}, raw=last.get("raw", ""), text=text, **sentences)
