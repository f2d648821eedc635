"""Contexts of a call: arguments, rounds, result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from app import forms
from app.forms import Field, Posted
from app.pages import words
from app.pages.naming import Place
from app.pages.questions import sent_words
from app.pages.rendering import cut
from app.view import CallView, RoundView
from resolver_runtime.events import ArgumentIgnored, Failure
from resolver_runtime.graph import TOOL


@dataclass(frozen=True, slots=True)
class Arguments:
    """`_arguments.html`: the form "Arguments". `note` stands beside its heading; `has_errors`: a field does not fit.

    `raw` is the JSON that goes in the place of the fields, as it was typed; `ignored` has a sentence for each value
    that was sent and that no code saw.
    """

    template: ClassVar[str] = "_arguments.html"
    place: Place
    fields: tuple[Field, ...]
    note: str
    problem: str | None
    has_errors: bool
    raw: str
    raw_error: str | None
    ignored: tuple[str, ...]
    actions: Actions

    @classmethod
    def of(
        cls,
        view: CallView,
        place: Place,
        schema: Mapping[str, Any],
        posted: Posted | None = None,
        errors: Mapping[str, str] | None = None,
        problem: str | None = None,
        raw: str = "",
        raw_error: str | None = None,
    ) -> Arguments:
        """Filled with what was posted, else with the call's arguments, else with the defaults."""
        if posted is None and view.status != "idle":
            posted = forms.filled(schema, view.arguments)
        return cls(
            place=place,
            fields=tuple(forms.fields(schema, posted, errors)),
            note=_arguments_note(view),
            problem=problem,
            has_errors=bool(errors),
            raw=raw,
            raw_error=raw_error,
            ignored=tuple(_ignored(view, one) for one in view.ignored),
            actions=Actions.of(view),
        )


def _ignored(view: CallView, event: ArgumentIgnored) -> str:
    if not event.hidden:
        return f"The value sent for {event.name} was ignored: the tool has no such argument."
    filled_by = next((edge.source for edge in view.graph.inputs(TOOL) if edge.parameter == event.name), None)
    node = view.graph.by_id.get(filled_by or "")
    by = node.name if node and node.kind == "resolver" else "the server"
    return f"The value sent for {event.name} was ignored: {by} fills it, and no client can."


def _arguments_note(view: CallView) -> str:
    if view.status == "idle" or view.ended:
        return ""
    return f"sent, round {view.round.number}" if view.round else "sent"


@dataclass(frozen=True, slots=True)
class Actions:
    """`_actions.html`: Call; Stop while the call runs; nothing while the dialog stands there with its own."""

    template: ClassVar[str] = "_actions.html"
    call: str
    shows: str

    @classmethod
    def of(cls, view: CallView) -> Actions:
        if view.status == "waiting":
            return cls(view.id, "nothing")
        return cls(view.id, "stop" if view.status == "running" else "call")


@dataclass(frozen=True, slots=True)
class Cell:
    """One round. `marks` are (icon, colour, words); `answers` (icon, words) stand between it and the next."""

    number: int
    text: str
    marks: tuple[tuple[str, str, str], ...]
    is_waiting: bool
    answers: str


@dataclass(frozen=True, slots=True)
class Rounds:
    """`_rounds.html`: the region "Rounds": one cell per round, and the next one dashed."""

    template: ClassVar[str] = "_rounds.html"
    cells: tuple[Cell, ...]
    coming: tuple[int, str] | None
    note: str

    @classmethod
    def of(cls, view: CallView) -> Rounds:
        cells = tuple(_cell(view, one) for one in view.rounds)
        return cls(cells, _coming(view), _rounds_note(view))


def _rounds_note(view: CallView) -> str:
    if view.status == "idle":
        return "no call yet"
    return f"{view.seconds:.2f} s" if view.ended else ""


def _coming(view: CallView) -> tuple[int, str] | None:
    if view.status == "idle":
        return 1, "starts when you press Call"
    if view.status != "waiting" or view.era == "2025-11-25":
        return None
    asked = len(view.round.questions) if view.round else 0
    when = (
        "with your answer"
        if asked == 1
        else f"when all {words.NUMBERS[asked].lower() if asked < 10 else asked} are settled"
    )
    return len(view.rounds) + 1, f"starts {when}"


def _cell(view: CallView, one: RoundView) -> Cell:
    is_last = one is view.rounds[-1]
    answers = [sent_words(view.questions[name]) for name in one.questions if view.questions[name].answer is not None]
    return Cell(
        number=one.number,
        text=_ran(view, one),
        marks=tuple(_marks(view, one, is_last)),
        is_waiting=is_last and view.status == "waiting",
        answers="" if is_last else ", ".join(answers),
    )


def _ran(view: CallView, one: RoundView) -> str:
    names = [view.graph.by_id[node].name for node in dict.fromkeys(one.ran) if node in view.graph.by_id]
    earlier = {node for before in view.rounds if before.number < one.number for node in before.ran}
    again = bool(earlier & set(one.ran))
    return f"{'re-ran' if again else 'ran'} {', '.join(names)}" if names else "nothing ran yet"


def _marks(view: CallView, one: RoundView, is_last: bool) -> Iterator[tuple[str, str, str]]:
    if one.questions:
        number = len(one.questions)
        yield (
            "waiting",
            "waiting",
            f"asked {number} question{'' if number == 1 else 's'}{' at once' if number > 1 else ''}",
        )
    if one.restored:
        yield "restored", "restored", f"restored {len(one.restored)}"
    if one.answered:
        yield "answered", "done", f"took {len(one.answered)} answer{'' if len(one.answered) == 1 else 's'}"
    if is_last and view.ended:
        yield _ENDS[view.status]


_ENDS: Mapping[str, tuple[str, str, str]] = {
    "done": ("done", "done", "result"),
    "failed": ("problem", "failed", "error result"),
    "error": ("problem", "failed", "protocol error"),
    "stopped": ("cancelled", "cancelled", "stopped"),
    "unanswered": ("not-reached", "cancelled", "no answer"),
    "died": ("problem", "failed", "worker ended"),
    "interrupted": ("cancelled", "cancelled", "interrupted"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """One content block of a result: `text` to show, or an image's `data:` address."""

    kind: str
    text: str
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """`_result.html`: the region "Result". `mark` is an icon; `note` what its heading says at the right.

    `failure` is what was raised, where the client's error says less than that. `again` is the call that can be run
    again with the same answers, "" if it came to an end of its own.
    """

    template: ClassVar[str] = "_result.html"
    mark: str | None
    colour: str
    note: str
    blocks: tuple[Block, ...]
    structured: Any
    error: Mapping[str, Any] | None
    failure: Failure | None
    again: str

    @classmethod
    def of(cls, view: CallView) -> Result:
        end = _ENDS.get(view.status)
        result = view.result or {}
        return cls(
            mark=end[0] if end else None,
            colour=end[1] if end else "idle",
            note=_result_note(view),
            blocks=tuple(_block(block) for block in result.get("content") or ()),
            structured=result.get("structuredContent"),
            error=view.error,
            failure=view.failure if view.status == "failed" and _is_hidden(view.failure, result) else None,
            again=view.id if view.status == "interrupted" else "",
        )


def _is_hidden(failure: Failure | None, result: Mapping[str, Any]) -> bool:
    return failure is not None and failure.message not in json.dumps(result.get("content"), ensure_ascii=False)


def _result_note(view: CallView) -> str:
    if not view.ended:
        waiting = "comes after your answer" if len(view.open_questions) < 2 else "comes when all are settled"
        return {"idle": "no call yet", "running": "on its way"}.get(view.status, waiting)
    rounds = f"in {len(view.rounds)} round{'' if len(view.rounds) == 1 else 's'}"
    return {
        "done": f"Done {rounds}",
        "failed": f"Failed {rounds}",
        "error": "Protocol error",
        "stopped": "Stopped",
        "unanswered": "No answer",
        "died": "The worker ended",
        "interrupted": "Interrupted",
    }[view.status]


_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def _block(block: Any) -> Block:
    if not isinstance(block, Mapping):
        return Block("unknown", str(block))
    kind = str(block.get("type"))
    if kind == "text":
        return Block(kind, cut(str(block.get("text", ""))))
    if kind == "image" and block.get("mimeType") in _IMAGES:
        return Block(kind, "An image from the tool", f"data:{block['mimeType']};base64,{block.get('data', '')}")
    if "data" in block:
        return Block(kind, f"{kind}, {block.get('mimeType')}, {len(str(block['data']))} characters of base64")
    return Block(kind, json.dumps(block, indent=2, ensure_ascii=False))
